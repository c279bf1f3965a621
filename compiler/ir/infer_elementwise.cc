// Shape rules of elementwise ops: equal dims, and which dtypes each op takes.
#include "compiler/ir/shape_rules.h"

namespace swage::ir {
namespace {

using DTypeTest = bool (*)(DType);

bool IsPred(DType t) { return t == DType::kPred; }
bool IsBits(DType t) { return IsPred(t) || IsInteger(t); }
bool IsNumeric(DType t) { return IsInteger(t) || IsFloat(t) || IsComplex(t); }
bool IsFloatOrComplex(DType t) { return IsFloat(t) || IsComplex(t); }
bool IsSignedNumeric(DType t) { return IsSigned(t) || IsFloat(t) || IsComplex(t); }
bool IsOrdered(DType t) { return !IsComplex(t); }
bool IsAny(DType) { return true; }

Status RequireDType(const ShapeQuery& query, DTypeTest test, std::string_view wanted) {
  const DType dtype = query.operands[0]->dtype();
  if (test(dtype)) return OkStatus();
  return ShapeError(query, "takes ", ToAbsl(wanted), ", got ", ToAbsl(DTypeName(dtype)));
}

// All operands are arrays of equal dims and dtype, and the dtype passes.
Status RequireAlike(const ShapeQuery& query, DTypeTest test, std::string_view wanted) {
  SWAGE_RETURN_IF_ERROR(RequireArrays(query));
  const DType dtype = query.operands[0]->dtype();
  for (const Shape* operand : query.operands) {
    if (operand->dtype() == dtype) continue;
    return ShapeError(query, "operands must have one element type, got ", Text(*query.operands[0]),
                      " and ", Text(*operand));
  }
  SWAGE_RETURN_IF_ERROR(RequireSameDims(query));
  return RequireDType(query, test, wanted);
}

Shape Like(const Shape& shape, DType dtype) { return Shape::Array(dtype, shape.dims()); }

StatusOr<Shape> Alike(const ShapeQuery& query, DTypeTest test, std::string_view wanted) {
  SWAGE_RETURN_IF_ERROR(RequireAlike(query, test, wanted));
  return Like(*query.operands[0], query.operands[0]->dtype());
}

}  // namespace

StatusOr<Shape> InferUnaryAbs(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireAlike(query, IsSignedNumeric, "signed integers, floats or complex"));
  const Shape& x = *query.operands[0];
  const DType dtype = x.dtype() == DType::kC64    ? DType::kF32
                      : x.dtype() == DType::kC128 ? DType::kF64
                                                  : x.dtype();
  return Like(x, dtype);
}

StatusOr<Shape> InferUnaryFloat(const ShapeQuery& query) {
  // Rounding and erf have no complex form; the other functions have.
  const CostClass cost = InfoOf(query.opcode).cost;
  const bool complex = (cost == CostClass::kTranscendental || cost == CostClass::kDivision) &&
                       query.opcode != Opcode::kErf;
  if (query.opcode == Opcode::kReducePrecision) {
    const auto& attrs = AttrsOf<ReducePrecisionAttrs>(query);
    if (attrs.exponent_bits < 1 || attrs.mantissa_bits < 0) {
      return ShapeError(query, "needs at least 1 exponent bit and 0 mantissa bits, got ",
                        attrs.exponent_bits, " and ", attrs.mantissa_bits);
    }
  }
  return complex ? Alike(query, IsFloatOrComplex, "floats or complex")
                 : Alike(query, IsFloat, "floats");
}

StatusOr<Shape> InferUnaryInteger(const ShapeQuery& query) {
  return Alike(query, IsInteger, "integers");
}

StatusOr<Shape> InferUnaryNumeric(const ShapeQuery& query) {
  if (query.opcode == Opcode::kSign) {
    return Alike(query, IsSignedNumeric, "signed integers, floats or complex");
  }
  return Alike(query, IsNumeric, "numbers");
}

StatusOr<Shape> InferUnaryBits(const ShapeQuery& query) {
  return Alike(query, IsBits, "pred or integers");
}

StatusOr<Shape> InferUnaryFloatToPred(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireAlike(query, IsFloat, "floats"));
  return Like(*query.operands[0], DType::kPred);
}

StatusOr<Shape> InferBinary(const ShapeQuery& query) {
  switch (query.opcode) {
    case Opcode::kMaximum:
    case Opcode::kMinimum:
      return Alike(query, IsOrdered, "ordered elements");
    case Opcode::kDivide:
      return Alike(query, IsNumeric, "numbers");
    default:
      return Alike(query, IsAny, "arrays");
  }
}

StatusOr<Shape> InferBinaryBits(const ShapeQuery& query) {
  return Alike(query, IsBits, "pred or integers");
}

StatusOr<Shape> InferBinaryFloat(const ShapeQuery& query) {
  return Alike(query, IsFloatOrComplex, "floats or complex");
}

StatusOr<Shape> InferBinaryInteger(const ShapeQuery& query) {
  return Alike(query, IsInteger, "integers");
}

StatusOr<Shape> InferBinaryNumeric(const ShapeQuery& query) {
  return Alike(query, IsNumeric, "numbers");
}

StatusOr<Shape> InferCompare(const ShapeQuery& query) {
  const auto& attrs = AttrsOf<CompareAttrs>(query);
  SWAGE_RETURN_IF_ERROR(RequireAlike(query, IsAny, "arrays"));
  const Shape& x = *query.operands[0];
  const DType dtype = x.dtype();
  if (IsComplex(dtype) && attrs.direction != CompareDirection::kEq &&
      attrs.direction != CompareDirection::kNe) {
    return ShapeError(query, "complex numbers have no order, only EQ and NE");
  }
  bool fits = true;
  switch (attrs.type) {
    case CompareType::kDefault:
      break;
    case CompareType::kFloat:
      fits = IsFloatOrComplex(dtype);
      break;
    case CompareType::kTotalOrder:
      fits = IsFloat(dtype);
      break;
    case CompareType::kSigned:
      fits = IsSigned(dtype);
      break;
    case CompareType::kUnsigned:
      fits = IsUnsigned(dtype) || IsPred(dtype);
      break;
  }
  if (!fits) {
    return ShapeError(query, "the comparison type does not fit ", ToAbsl(DTypeName(dtype)));
  }
  return Like(x, DType::kPred);
}

StatusOr<Shape> InferSelect(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireArrays(query));
  SWAGE_RETURN_IF_ERROR(RequireDType(query, IsPred, "pred as first operand"));
  const Shape& on_true = *query.operands[1];
  const Shape& on_false = *query.operands[2];
  if (on_true.dtype() != on_false.dtype()) {
    return ShapeError(query, "operands 1 and 2 must have one element type, got ", Text(on_true),
                      " and ", Text(on_false));
  }
  SWAGE_RETURN_IF_ERROR(RequireSameDims(query));
  return Like(on_true, on_true.dtype());
}

// The bounds are scalars, or arrays like the operand between them.
StatusOr<Shape> InferClamp(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireArrays(query));
  const Shape& x = *query.operands[1];
  for (int i : {0, 2}) {
    const Shape& bound = *query.operands[i];
    if (bound.dtype() == x.dtype() && (bound.is_scalar() || ProvenCompatible(bound, x))) continue;
    return ShapeError(query, "operand ", i, " must be a scalar of the same type or like ", Text(x),
                      ", got ", Text(bound));
  }
  SWAGE_RETURN_IF_ERROR(RequireDType(query, IsOrdered, "ordered elements"));
  return Like(x, x.dtype());
}

}  // namespace swage::ir
