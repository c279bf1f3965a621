// File: codegen/emit/functor_emitters.h
//
// The instances behind elementwise_emitter, one function per group of dtypes, each in its own file.
// Operands and result are in the compute type (small floats have been widened to float).
#ifndef SWAGE_CODEGEN_EMIT_FUNCTOR_EMITTERS_H_
#define SWAGE_CODEGEN_EMIT_FUNCTOR_EMITTERS_H_

#include <span>

#include "codegen/emit/llvm_math_builder.h"
#include "compiler/ir/dtype.h"
#include "compiler/math/ops.h"

namespace swage::emit {

using Operands = std::span<llvm::Value* const>;

// kMap, kPredicate and kCompare in IEEE or integer order; nullptr where the op is not defined.
llvm::Value* EmitOnFloat(LlvmBuilder& b, ir::Opcode opcode, const math::ElementwiseAttrs& attrs,
                         Operands operands);
llvm::Value* EmitOnDouble(LlvmBuilder& b, ir::Opcode opcode, const math::ElementwiseAttrs& attrs,
                          Operands operands);
llvm::Value* EmitOnSigned(LlvmBuilder& b, ir::Opcode opcode, ir::DType dtype,
                          const math::ElementwiseAttrs& attrs, Operands operands);
// Unsigned integers and pred.
llvm::Value* EmitOnUnsigned(LlvmBuilder& b, ir::Opcode opcode, ir::DType dtype,
                            const math::ElementwiseAttrs& attrs, Operands operands);

// Between any two dtypes, as carried.
llvm::Value* EmitConversion(LlvmBuilder& b, ir::DType from, ir::DType to, llvm::Value* value);

// On the bits of a float.
llvm::Value* EmitReducePrecision(LlvmBuilder& b, ir::DType dtype,
                                 const ir::ReducePrecisionAttrs& attrs, llvm::Value* value);
llvm::Value* EmitTotalOrder(LlvmBuilder& b, ir::DType dtype, ir::CompareDirection direction,
                            Operands operands);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_FUNCTOR_EMITTERS_H_
