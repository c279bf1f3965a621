#include "codegen/emit/elementwise_emitter.h"

#include <vector>

#include "codegen/emit/functor_emitters.h"
#include "compiler/math/elementwise_check.h"

namespace swage::emit {

namespace {

using math::ops::OpKind;

unsigned LanesOf(const llvm::Value* value) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return vector == nullptr ? 0 : vector->getNumElements();
}

// Scalars among vectors become vectors.
StatusOr<std::vector<llvm::Value*>> Splat(llvm::IRBuilderBase& ir, Operands operands,
                                          unsigned& lanes) {
  lanes = 0;
  for (const llvm::Value* operand : operands) lanes = std::max(lanes, LanesOf(operand));
  std::vector<llvm::Value*> result(operands.begin(), operands.end());
  for (llvm::Value*& value : result) {
    if (LanesOf(value) == lanes) continue;
    SWAGE_RET_CHECK(LanesOf(value) == 0, "operands of ", LanesOf(value), " and ", lanes, " lanes");
    value = ir.CreateVectorSplat(lanes, value);
  }
  return result;
}

llvm::Value* EmitInComputeType(LlvmBuilder& b, ir::Opcode opcode, ir::DType dtype,
                               const math::ElementwiseAttrs& attrs, Operands operands) {
  if (dtype == ir::DType::kF32) return EmitOnFloat(b, opcode, attrs, operands);
  if (dtype == ir::DType::kF64) return EmitOnDouble(b, opcode, attrs, operands);
  if (ir::IsSigned(dtype)) return EmitOnSigned(b, opcode, dtype, attrs, operands);
  return EmitOnUnsigned(b, opcode, dtype, attrs, operands);
}

// An op of one element type: small floats are widened, and a result of that type is narrowed.
llvm::Value* EmitOnDType(LlvmBuilder& b, ir::Opcode opcode, ir::DType out_dtype, ir::DType dtype,
                         const math::ElementwiseAttrs& attrs, std::vector<llvm::Value*> operands) {
  if (!ir::IsSmallFloat(dtype)) return EmitInComputeType(b, opcode, dtype, attrs, operands);
  for (llvm::Value*& value : operands) {
    value = EmitConversion(b, dtype, ir::DType::kF32, value);
  }
  llvm::Value* result = EmitInComputeType(b, opcode, ir::DType::kF32, attrs, operands);
  if (result == nullptr || out_dtype == ir::DType::kPred) return result;
  return EmitConversion(b, ir::DType::kF32, out_dtype, result);
}

}  // namespace

StatusOr<llvm::Type*> CarriedType(llvm::LLVMContext& context, ir::DType dtype) {
  if (dtype == ir::DType::kPred) return llvm::Type::getInt1Ty(context);
  if (dtype == ir::DType::kF32) return llvm::Type::getFloatTy(context);
  if (dtype == ir::DType::kF64) return llvm::Type::getDoubleTy(context);
  if (ir::IsInteger(dtype) || ir::IsSmallFloat(dtype)) {
    return llvm::Type::getIntNTy(context, 8 * ir::DTypeBytes(dtype));
  }
  return Unimplemented("[emit] values of ", ToAbsl(ir::DTypeName(dtype)),
                       " are not implemented yet");
}

StatusOr<llvm::Value*> EmitElementwise(llvm::IRBuilderBase& ir, ir::Opcode opcode,
                                       ir::DType out_dtype,
                                       std::span<const ir::DType> operand_dtypes,
                                       const math::ElementwiseAttrs& attrs,
                                       std::span<llvm::Value* const> operands) {
  SWAGE_RETURN_IF_ERROR(math::CheckElementwise(opcode, out_dtype, operand_dtypes, attrs));
  SWAGE_RET_CHECK(operands.size() == operand_dtypes.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    SWAGE_ASSIGN_OR_RETURN(llvm::Type * type, CarriedType(ir.getContext(), operand_dtypes[i]));
    SWAGE_RET_CHECK(operands[i]->getType()->getScalarType() == type, "operand ", i, " of ",
                    ToAbsl(ir::OpcodeName(opcode)), " is not carried as ",
                    ToAbsl(ir::DTypeName(operand_dtypes[i])));
  }
  unsigned lanes = 0;
  SWAGE_ASSIGN_OR_RETURN(const std::vector<llvm::Value*> values, Splat(ir, operands, lanes));
  LlvmBuilder b(ir, lanes);
  const ir::DType dtype = operand_dtypes[0];
  const OpKind kind = math::KindOfElementwise(opcode);
  llvm::Value* result = nullptr;
  if (kind == OpKind::kSelect) {
    result = ir.CreateSelect(values[0], values[1], values[2]);
  } else if (kind == OpKind::kConvert) {
    result = EmitConversion(b, dtype, out_dtype, values[0]);
  } else if (kind == OpKind::kReducePrecision) {
    result = EmitReducePrecision(b, dtype, attrs.reduce_precision, values[0]);
  } else if (kind == OpKind::kCompare && ir::IsFloat(dtype) &&
             attrs.compare.type == ir::CompareType::kTotalOrder) {
    result = EmitTotalOrder(b, dtype, attrs.compare.direction, values);
  } else {
    result = EmitOnDType(b, opcode, out_dtype, dtype, attrs, values);
  }
  SWAGE_RET_CHECK(result != nullptr, "no emitter for ", ToAbsl(ir::OpcodeName(opcode)), " on ",
                  ToAbsl(ir::DTypeName(dtype)));
  return result;
}

StatusOr<llvm::Value*> EmitConvert(llvm::IRBuilderBase& ir, ir::DType from, ir::DType to,
                                   llvm::Value* value) {
  return EmitElementwise(ir, ir::Opcode::kConvert, to, {&from, 1}, {}, {&value, 1});
}

}  // namespace swage::emit
