#include "compiler/math/host_loops.h"

namespace swage::math {

HostKernel FindDoubleKernel(ir::Opcode opcode, const ElementwiseAttrs& attrs) {
  return FindKernel<Elem<double>>(opcode, attrs);
}

}  // namespace swage::math
