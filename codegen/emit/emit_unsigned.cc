#include "codegen/emit/emit_functor.h"

namespace swage::emit {

llvm::Value* EmitOnUnsigned(LlvmBuilder& b, ir::Opcode opcode, ir::DType dtype,
                            const math::ElementwiseAttrs& attrs, Operands operands) {
  if (dtype == ir::DType::kPred) return EmitFunctor<math::PredElem>(b, opcode, attrs, operands);
  switch (ir::DTypeBits(dtype)) {
    case 4:
      return EmitFunctor<math::U4Elem>(b, opcode, attrs, operands);
    case 8:
      return EmitFunctor<math::Elem<uint8_t>>(b, opcode, attrs, operands);
    case 16:
      return EmitFunctor<math::Elem<uint16_t>>(b, opcode, attrs, operands);
    case 32:
      return EmitFunctor<math::Elem<uint32_t>>(b, opcode, attrs, operands);
    default:
      return EmitFunctor<math::Elem<uint64_t>>(b, opcode, attrs, operands);
  }
}

}  // namespace swage::emit
