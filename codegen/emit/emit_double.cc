#include "codegen/emit/emit_functor.h"

namespace swage::emit {

llvm::Value* EmitOnDouble(LlvmBuilder& b, ir::Opcode opcode, const math::ElementwiseAttrs& attrs,
                          Operands operands) {
  return EmitFunctor<math::Elem<double>>(b, opcode, attrs, operands);
}

}  // namespace swage::emit
