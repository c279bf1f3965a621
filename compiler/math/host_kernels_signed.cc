#include "compiler/math/host_loops.h"

namespace swage::math {

HostKernel FindSignedKernel(ir::Opcode opcode, ir::DType dtype, const ElementwiseAttrs& attrs) {
  switch (ir::DTypeBits(dtype)) {
    case 4:
      return FindKernel<S4Elem>(opcode, attrs);
    case 8:
      return FindKernel<Elem<int8_t>>(opcode, attrs);
    case 16:
      return FindKernel<Elem<int16_t>>(opcode, attrs);
    case 32:
      return FindKernel<Elem<int32_t>>(opcode, attrs);
    default:
      return FindKernel<Elem<int64_t>>(opcode, attrs);
  }
}

}  // namespace swage::math
