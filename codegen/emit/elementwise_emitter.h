// File: codegen/emit/elementwise_emitter.h
//
// Elementwise ops as LLVM IR: the functors of compiler/math over LlvmBuilder, chosen by opcode and
// dtype through the op table. What is emitted computes the same bits as EvalElementwise.
//
// A value of a dtype is carried, as a scalar or as a fixed vector of any number of lanes, as
//   pred                        i1
//   s4, u4                      i8, sign- or zero-extended
//   s8 .. s64, u8 .. u64        i8 .. i64
//   f8e4m3fn, f8e5m2, f16, bf16 i8, i8, i16, i16: the bits
//   f32, f64                    float, double
// Everything is emitted at the builder's insertion point, in its block; nothing branches.
#ifndef SWAGE_CODEGEN_EMIT_ELEMENTWISE_EMITTER_H_
#define SWAGE_CODEGEN_EMIT_ELEMENTWISE_EMITTER_H_

#include <span>

#include "base/status.h"
#include "compiler/ir/dtype.h"
#include "compiler/ir/opcode.h"
#include "compiler/math/ops.h"
#include "llvm/IR/IRBuilder.h"

namespace swage::emit {

// The LLVM type of one element as it is carried; Unimplemented for complex types and tokens.
StatusOr<llvm::Type*> CarriedType(llvm::LLVMContext& context, ir::DType dtype);

// Where some operands are vectors, scalars among them stand for all lanes. The errors are those of
// math::EvalElementwise.
StatusOr<llvm::Value*> EmitElementwise(llvm::IRBuilderBase& ir, ir::Opcode opcode,
                                       ir::DType out_dtype,
                                       std::span<const ir::DType> operand_dtypes,
                                       const math::ElementwiseAttrs& attrs,
                                       std::span<llvm::Value* const> operands);

// `value` of dtype `from` as dtype `to`.
StatusOr<llvm::Value*> EmitConvert(llvm::IRBuilderBase& ir, ir::DType from, ir::DType to,
                                   llvm::Value* value);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_ELEMENTWISE_EMITTER_H_
