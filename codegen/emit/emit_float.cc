#include "codegen/emit/emit_functor.h"

namespace swage::emit {

llvm::Value* EmitOnFloat(LlvmBuilder& b, ir::Opcode opcode, const math::ElementwiseAttrs& attrs,
                         Operands operands) {
  return EmitFunctor<math::Elem<float>>(b, opcode, attrs, operands);
}

}  // namespace swage::emit
