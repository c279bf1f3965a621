// File: codegen/emit/types.h
//
// Element types in LLVM: how a value is carried between operations and how it lies in memory. pred
// is i1 in registers and a byte in memory; integers are iN (4-bit ones i8); f32 and f64 are
// themselves; smaller floats are their bits.
#ifndef SWAGE_CODEGEN_EMIT_TYPES_H_
#define SWAGE_CODEGEN_EMIT_TYPES_H_

#include <cstdint>

#include "compiler/ir/dtype.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"

namespace swage::emit {

llvm::Type* LaneType(llvm::LLVMContext& context, ir::DType dtype);
llvm::Type* StoredType(llvm::LLVMContext& context, ir::DType dtype);

// Between the two, for scalars and vectors.
llvm::Value* FromStored(llvm::IRBuilder<>& builder, ir::DType dtype, llvm::Value* value);
llvm::Value* ToStored(llvm::IRBuilder<>& builder, ir::DType dtype, llvm::Value* value);

// The carried constant with these bits (as Literal::GetBits gives them).
llvm::Constant* ConstantOfBits(llvm::LLVMContext& context, ir::DType dtype, uint64_t bits);

inline bool IsVector(const llvm::Value* value) { return value->getType()->isVectorTy(); }
int WidthOf(const llvm::Value* value);  // lanes; 1 for a scalar
// `value` as a vector of `width` lanes; a vector stays, and width 1 leaves a scalar.
llvm::Value* Splat(llvm::IRBuilder<>& builder, llvm::Value* value, int width);
llvm::Type* VectorOf(llvm::Type* element, int width);  // the element itself for width 1

// The smaller of two signed integers.
inline llvm::Value* Smaller(llvm::IRBuilder<>& builder, llvm::Value* x, llvm::Value* y) {
  return builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y);
}

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_TYPES_H_
