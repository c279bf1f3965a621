// File: codegen/emit/types.cc
#include "codegen/emit/types.h"

namespace swage::emit {

using ir::DType;

llvm::Type* LaneType(llvm::LLVMContext& context, DType dtype) {
  if (dtype == DType::kPred) return llvm::Type::getInt1Ty(context);
  return StoredType(context, dtype);
}

llvm::Type* StoredType(llvm::LLVMContext& context, DType dtype) {
  if (dtype == DType::kF32) return llvm::Type::getFloatTy(context);
  if (dtype == DType::kF64) return llvm::Type::getDoubleTy(context);
  return llvm::Type::getIntNTy(context, 8 * ir::DTypeBytes(dtype));
}

llvm::Value* FromStored(llvm::IRBuilder<>& builder, DType dtype, llvm::Value* value) {
  if (dtype != DType::kPred) return value;
  return builder.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
}

llvm::Value* ToStored(llvm::IRBuilder<>& builder, DType dtype, llvm::Value* value) {
  if (dtype != DType::kPred) return value;
  return builder.CreateZExt(value, value->getType()->getWithNewBitWidth(8));
}

llvm::Constant* ConstantOfBits(llvm::LLVMContext& context, DType dtype, uint64_t bits) {
  llvm::Type* type = LaneType(context, dtype);
  if (dtype == DType::kPred) return llvm::ConstantInt::get(type, bits != 0);
  if (dtype == DType::kF32) {
    return llvm::ConstantFP::get(context,
                                 llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, bits)));
  }
  if (dtype == DType::kF64) {
    return llvm::ConstantFP::get(context,
                                 llvm::APFloat(llvm::APFloat::IEEEdouble(), llvm::APInt(64, bits)));
  }
  return llvm::ConstantInt::get(type, bits);
}

llvm::Type* VectorOf(llvm::Type* element, int width) {
  if (width == 1) return element;
  return llvm::FixedVectorType::get(element, width);
}

int WidthOf(const llvm::Value* value) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return vector == nullptr ? 1 : static_cast<int>(vector->getNumElements());
}

llvm::Value* Splat(llvm::IRBuilder<>& builder, llvm::Value* value, int width) {
  if (width == 1 || IsVector(value)) return value;
  return builder.CreateVectorSplat(width, value);
}

}  // namespace swage::emit
