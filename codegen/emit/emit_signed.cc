#include "codegen/emit/emit_functor.h"

namespace swage::emit {

llvm::Value* EmitOnSigned(LlvmBuilder& b, ir::Opcode opcode, ir::DType dtype,
                          const math::ElementwiseAttrs& attrs, Operands operands) {
  switch (ir::DTypeBits(dtype)) {
    case 4:
      return EmitFunctor<math::S4Elem>(b, opcode, attrs, operands);
    case 8:
      return EmitFunctor<math::Elem<int8_t>>(b, opcode, attrs, operands);
    case 16:
      return EmitFunctor<math::Elem<int16_t>>(b, opcode, attrs, operands);
    case 32:
      return EmitFunctor<math::Elem<int32_t>>(b, opcode, attrs, operands);
    default:
      return EmitFunctor<math::Elem<int64_t>>(b, opcode, attrs, operands);
  }
}

}  // namespace swage::emit
