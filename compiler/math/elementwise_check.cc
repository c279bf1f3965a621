#include "compiler/math/elementwise_check.h"

#include <string>

namespace swage::math {

namespace {

using ops::OpKind;

struct FunctorInfo {
  bool elementwise = false;
  OpKind kind = OpKind::kMap;
  int arity = 0;
  unsigned domain = 0;
};

FunctorInfo InfoOfFunctor(ir::Opcode opcode) {
  return DispatchFunctor(opcode, FunctorInfo{}, []<class Op>() {
    return FunctorInfo{true, Op::kKind, Op::kArity, Op::kDomain};
  });
}

unsigned KindOfDType(ir::DType dtype) {
  if (dtype == ir::DType::kPred) return ops::kPred;
  if (ir::IsInteger(dtype)) return ops::kInt;
  return ir::IsFloat(dtype) ? ops::kFloat : 0;
}

Status CheckReducePrecision(const ir::ReducePrecisionAttrs& attrs) {
  if (attrs.exponent_bits >= 1 && attrs.mantissa_bits >= 0) return OkStatus();
  return InvalidArgument("[reduce-precision] got ", attrs.exponent_bits, " exponent and ",
                         attrs.mantissa_bits, " mantissa bits, expected at least 1 and 0");
}

}  // namespace

ops::OpKind KindOfElementwise(ir::Opcode opcode) { return InfoOfFunctor(opcode).kind; }

Status CheckElementwise(ir::Opcode opcode, ir::DType out_dtype,
                        std::span<const ir::DType> operand_dtypes, const ElementwiseAttrs& attrs) {
  const FunctorInfo info = InfoOfFunctor(opcode);
  const absl::string_view name = ToAbsl(ir::OpcodeName(opcode));
  if (!info.elementwise) return Internal("[", name, "] is not an elementwise op");
  if (static_cast<int>(operand_dtypes.size()) != info.arity) {
    return InvalidArgument("[", name, "] got ", operand_dtypes.size(), " operands, expected ",
                           info.arity);
  }
  const size_t first = info.kind == OpKind::kSelect ? 1 : 0;
  const ir::DType dtype = operand_dtypes[first];
  for (ir::DType t : {dtype, out_dtype}) {
    if (KindOfDType(t) != 0) continue;
    return Unimplemented("[", name, "] on ", ToAbsl(ir::DTypeName(t)), " is not implemented yet");
  }
  if ((info.domain & KindOfDType(dtype)) == 0) {
    return InvalidArgument("[", name, "] is not defined on ", ToAbsl(ir::DTypeName(dtype)));
  }
  for (size_t i = first; i < operand_dtypes.size(); ++i) {
    if (operand_dtypes[i] == dtype) continue;
    return InvalidArgument("[", name, "] operand ", i, " is ",
                           ToAbsl(ir::DTypeName(operand_dtypes[i])), ", expected ",
                           ToAbsl(ir::DTypeName(dtype)), " as the others; convert it");
  }
  if (first == 1 && operand_dtypes[0] != ir::DType::kPred) {
    return InvalidArgument("[", name, "] operand 0 is ", ToAbsl(ir::DTypeName(operand_dtypes[0])),
                           ", expected pred; compare it with 0");
  }
  if (info.kind == OpKind::kConvert) return OkStatus();
  const bool to_pred = info.kind == OpKind::kCompare || info.kind == OpKind::kPredicate;
  const ir::DType expected = to_pred ? ir::DType::kPred : dtype;
  if (out_dtype != expected) {
    return InvalidArgument("[", name, "] result is ", ToAbsl(ir::DTypeName(out_dtype)),
                           ", expected ", ToAbsl(ir::DTypeName(expected)));
  }
  if (info.kind == OpKind::kReducePrecision) return CheckReducePrecision(attrs.reduce_precision);
  return OkStatus();
}

}  // namespace swage::math
