#include "compiler/math/host_loops.h"

namespace swage::math {

HostKernel FindFloatKernel(ir::Opcode opcode, const ElementwiseAttrs& attrs) {
  return FindKernel<Elem<float>>(opcode, attrs);
}

}  // namespace swage::math
