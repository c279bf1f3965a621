// File: codegen/emit/dot_arithmetic.h
//
// What all emitted dots share: the type they accumulate in and one step of the sum.
#ifndef SWAGE_CODEGEN_EMIT_DOT_ARITHMETIC_H_
#define SWAGE_CODEGEN_EMIT_DOT_ARITHMETIC_H_

#include <algorithm>

#include "compiler/ir/instruction.h"
#include "llvm/IR/IRBuilder.h"

namespace swage::emit {

// f64 for f64, f32 for every smaller float, else the integer type of the result, of a byte at
// least: the low bits of a sum do not depend on the higher ones.
inline ir::DType AccumulatorOf(const ir::Instruction& dot) {
  const ir::DType out = dot.shape().dtype();
  if (out == ir::DType::kF64) return out;
  if (out == ir::DType::kS4) return ir::DType::kS8;
  if (out == ir::DType::kU4) return ir::DType::kU8;
  return ir::IsFloat(out) ? ir::DType::kF32 : out;
}

// acc + a * b: fused for floats, wrapping for integers, or-of-ands for pred.
inline llvm::Value* MultiplyAdd(llvm::IRBuilder<>& b, ir::DType dtype, llvm::Value* x,
                                llvm::Value* y, llvm::Value* acc) {
  if (ir::IsFloat(dtype)) {
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {acc->getType()}, {x, y, acc});
  }
  if (dtype == ir::DType::kPred) return b.CreateOr(acc, b.CreateAnd(x, y));
  return b.CreateAdd(acc, b.CreateMul(x, y));
}

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_DOT_ARITHMETIC_H_
