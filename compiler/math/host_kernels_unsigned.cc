#include "compiler/math/host_loops.h"

namespace swage::math {

HostKernel FindUnsignedKernel(ir::Opcode opcode, ir::DType dtype, const ElementwiseAttrs& attrs) {
  if (dtype == ir::DType::kPred) return FindKernel<PredElem>(opcode, attrs);
  switch (ir::DTypeBits(dtype)) {
    case 4:
      return FindKernel<U4Elem>(opcode, attrs);
    case 8:
      return FindKernel<Elem<uint8_t>>(opcode, attrs);
    case 16:
      return FindKernel<Elem<uint16_t>>(opcode, attrs);
    case 32:
      return FindKernel<Elem<uint32_t>>(opcode, attrs);
    default:
      return FindKernel<Elem<uint64_t>>(opcode, attrs);
  }
}

}  // namespace swage::math
