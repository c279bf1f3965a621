// Shape rules of ops that move data or make it.
#include <limits>

#include "compiler/ir/shape_rules.h"

namespace swage::ir {
namespace {

Shape WithoutLayout(Shape shape) {
  shape.clear_layout();
  return shape;
}

Status RequireArray(const ShapeQuery& query, const Shape& shape, std::string_view what) {
  if (shape.is_array()) return OkStatus();
  return ShapeError(query, ToAbsl(what), " must be an array, got ", Text(shape));
}

Status RequireSameDType(const ShapeQuery& query, DType got, DType wanted, std::string_view what) {
  if (got == wanted) return OkStatus();
  return ShapeError(query, ToAbsl(what), " must be ", ToAbsl(DTypeName(wanted)), ", got ",
                    ToAbsl(DTypeName(got)));
}

// Not every byte is a value: the type of the element decides the rest of the byte.
bool IsPartOfByte(DType dtype) { return dtype == DType::kPred || DTypeBits(dtype) < 8; }

}  // namespace

StatusOr<Shape> InferDeclared(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireDeclared(query));
  return WithoutLayout(*query.declared);
}

StatusOr<Shape> InferParameter(const ShapeQuery& query) { return InferDeclared(query); }

StatusOr<Shape> InferConstant(const ShapeQuery& query) {
  return WithoutLayout(AttrsOf<ConstantAttrs>(query).literal.shape());
}

StatusOr<Shape> InferSameAsOperand(const ShapeQuery& query) {
  const Shape& operand = *query.operands[0];
  if (const auto* attrs = AttrsIf<DimensionsAttrs>(query.attributes)) {  // reverse
    SWAGE_RETURN_IF_ERROR(RequireArrays(query));
    SWAGE_RETURN_IF_ERROR(
        RequireDimNumbers(query, attrs->dimensions, operand.rank(), "dimensions"));
  }
  return WithoutLayout(operand);
}

StatusOr<Shape> InferCopy(const ShapeQuery& query) { return WithoutLayout(*query.operands[0]); }

StatusOr<Shape> InferConvert(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireDeclared(query));
  SWAGE_RETURN_IF_ERROR(RequireArrays(query));
  SWAGE_RETURN_IF_ERROR(RequireArray(query, *query.declared, "the result"));
  const Shape& x = *query.operands[0];
  const DType to = query.declared->dtype();
  if (IsComplex(x.dtype()) && !IsComplex(to)) {
    return ShapeError(query, "complex does not convert to ", ToAbsl(DTypeName(to)),
                      "; take real or imag");
  }
  return Shape::Array(to, x.dims());
}

StatusOr<Shape> InferBitcast(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireDeclared(query));
  SWAGE_RETURN_IF_ERROR(RequireArrays(query));
  SWAGE_RETURN_IF_ERROR(RequireArray(query, *query.declared, "the result"));
  const Shape& x = *query.operands[0];
  const Shape& to = *query.declared;
  if (DTypeBytes(x.dtype()) != DTypeBytes(to.dtype()) ||
      (x.dtype() != to.dtype() && (IsPartOfByte(x.dtype()) || IsPartOfByte(to.dtype())))) {
    return ShapeError(query, "elements of ", ToAbsl(DTypeName(x.dtype())),
                      " do not lie in memory as those of ", ToAbsl(DTypeName(to.dtype())),
                      "; use bitcast-convert or convert");
  }
  SWAGE_RETURN_IF_ERROR(RequireEqual(query, x.num_elements_dim(), to.num_elements_dim(),
                                     absl::StrCat("elements of ", Text(x), " and ", Text(to))));
  return WithoutLayout(to);
}

StatusOr<Shape> InferBitcastConvert(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireDeclared(query));
  SWAGE_RETURN_IF_ERROR(RequireArrays(query));
  SWAGE_RETURN_IF_ERROR(RequireArray(query, *query.declared, "the result"));
  const Shape& x = *query.operands[0];
  const DType to = query.declared->dtype();
  const int from_bits = DTypeBits(x.dtype());
  const int to_bits = DTypeBits(to);
  if ((x.dtype() == DType::kPred) != (to == DType::kPred) ||
      IsComplex(x.dtype()) != IsComplex(to)) {
    return ShapeError(query, "the bits of ", ToAbsl(DTypeName(x.dtype())), " are not those of ",
                      ToAbsl(DTypeName(to)));
  }
  // To a narrower type a minor dim is added, to a wider one it goes away.
  Dims dims(x.dims().begin(), x.dims().end());
  if (to_bits < from_bits) {
    dims.push_back(from_bits / to_bits);
  } else if (to_bits > from_bits) {
    if (dims.empty()) {
      return ShapeError(query, "a scalar ", Text(x), " has too few bits for ",
                        ToAbsl(DTypeName(to)));
    }
    SWAGE_RETURN_IF_ERROR(
        RequireEqual(query, dims.back(), to_bits / from_bits, "the minor dimension"));
    dims.pop_back();
  }
  return Shape::Array(to, dims);
}

StatusOr<Shape> InferBroadcast(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireDeclared(query));
  SWAGE_RETURN_IF_ERROR(RequireArrays(query));
  SWAGE_RETURN_IF_ERROR(RequireArray(query, *query.declared, "the result"));
  const Shape& x = *query.operands[0];
  const Shape& to = *query.declared;
  const DimList& dimensions = AttrsOf<DimensionsAttrs>(query).dimensions;
  if (dimensions.size() != static_cast<size_t>(x.rank())) {
    return ShapeError(query, "needs a result dimension for each of the operand's ", x.rank(),
                      " dimensions, got ", dimensions.size());
  }
  SWAGE_RETURN_IF_ERROR(RequireDimNumbers(query, dimensions, to.rank(), "dimensions"));
  for (int i = 0; i < x.rank(); ++i) {
    SWAGE_RETURN_IF_ERROR(
        RequireEqual(query, x.dim(i), to.dim(dimensions[i]),
                     absl::StrCat("dimension ", i, " of ", Text(x), " becomes dimension ",
                                  dimensions[i], " of ", Text(to))));
  }
  return Shape::Array(x.dtype(), to.dims());
}

StatusOr<Shape> InferReshape(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireDeclared(query));
  SWAGE_RETURN_IF_ERROR(RequireArrays(query));
  SWAGE_RETURN_IF_ERROR(RequireArray(query, *query.declared, "the result"));
  const Shape& x = *query.operands[0];
  const Shape& to = *query.declared;
  SWAGE_RETURN_IF_ERROR(RequireEqual(query, x.num_elements_dim(), to.num_elements_dim(),
                                     absl::StrCat("elements of ", Text(x), " and ", Text(to))));
  return Shape::Array(x.dtype(), to.dims());
}

StatusOr<Shape> InferTranspose(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireArrays(query));
  const Shape& x = *query.operands[0];
  const DimList& dimensions = AttrsOf<DimensionsAttrs>(query).dimensions;
  if (dimensions.size() != static_cast<size_t>(x.rank())) {
    return ShapeError(query, "needs all ", x.rank(), " dimensions of ", Text(x), ", got ",
                      dimensions.size());
  }
  SWAGE_RETURN_IF_ERROR(RequireDimNumbers(query, dimensions, x.rank(), "dimensions"));
  Dims dims;
  for (int64_t d : dimensions) dims.push_back(x.dim(static_cast<int>(d)));
  return Shape::Array(x.dtype(), dims);
}

StatusOr<Shape> InferIota(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireDeclared(query));
  SWAGE_RETURN_IF_ERROR(RequireArray(query, *query.declared, "the result"));
  const Shape& to = *query.declared;
  if (to.dtype() == DType::kPred) return ShapeError(query, "makes numbers, not pred");
  const int64_t dimension = AttrsOf<IotaAttrs>(query).dimension;
  SWAGE_RETURN_IF_ERROR(RequireDimNumbers(query, {dimension}, to.rank(), "iota_dimension"));
  return WithoutLayout(to);
}

StatusOr<Shape> InferSlice(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireArrays(query));
  const Shape& x = *query.operands[0];
  const auto& attrs = AttrsOf<SliceAttrs>(query);
  const size_t rank = x.rank();
  if (attrs.starts.size() != rank || attrs.limits.size() != rank || attrs.strides.size() != rank) {
    return ShapeError(query, "needs a range for each dimension of ", Text(x), ", got ",
                      attrs.starts.size());
  }
  Dims dims;
  for (size_t i = 0; i < rank; ++i) {
    const std::string what = absl::StrCat("dimension ", i, " of ", Text(x));
    if (attrs.strides[i] < 1) return ShapeError(query, what, ": the stride must be positive");
    SWAGE_RETURN_IF_ERROR(RequireAtMost(query, 0, attrs.starts[i], what + ": the start"));
    SWAGE_RETURN_IF_ERROR(
        RequireAtMost(query, attrs.starts[i], attrs.limits[i], what + ": start and limit"));
    SWAGE_RETURN_IF_ERROR(RequireAtMost(query, attrs.limits[i], x.dim(i), what + ": the limit"));
    const Dim length = attrs.limits[i] - attrs.starts[i];
    dims.push_back(attrs.strides[i] == 1 ? length : CeilDiv(length, attrs.strides[i]));
  }
  return Shape::Array(x.dtype(), dims);
}

StatusOr<Shape> InferPad(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireArrays(query));
  const Shape& x = *query.operands[0];
  const Shape& value = *query.operands[1];
  const auto& attrs = AttrsOf<PadAttrs>(query);
  if (!value.is_scalar()) return ShapeError(query, "operand 1 must be a scalar, got ", Text(value));
  SWAGE_RETURN_IF_ERROR(RequireSameDType(query, value.dtype(), x.dtype(), "operand 1"));
  if (attrs.dims.size() != static_cast<size_t>(x.rank())) {
    return ShapeError(query, "needs a padding for each dimension of ", Text(x), ", got ",
                      attrs.dims.size());
  }
  Dims dims;
  for (int i = 0; i < x.rank(); ++i) {
    const PadAttrs::Entry& entry = attrs.dims[i];
    const std::string what = absl::StrCat("dimension ", i, " of ", Text(x));
    if (entry.interior < 0) return ShapeError(query, what, ": interior padding is negative");
    Dim dim = x.dim(i) + entry.low + entry.high;
    if (entry.interior != 0) dim += Max(x.dim(i) - 1, 0) * entry.interior;
    SWAGE_RETURN_IF_ERROR(RequireAtMost(query, 0, dim, what + ": the padded extent"));
    dims.push_back(dim);
  }
  return Shape::Array(x.dtype(), dims);
}

StatusOr<Shape> InferConcatenate(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireOperands(query, 1));
  SWAGE_RETURN_IF_ERROR(RequireArrays(query));
  const Shape& first = *query.operands[0];
  const DimList& dimensions = AttrsOf<DimensionsAttrs>(query).dimensions;
  if (dimensions.size() != 1) {
    return ShapeError(query, "needs one dimension, got ", dimensions.size());
  }
  SWAGE_RETURN_IF_ERROR(RequireDimNumbers(query, dimensions, first.rank(), "dimensions"));
  const int along = static_cast<int>(dimensions[0]);
  Dims dims(first.dims().begin(), first.dims().end());
  for (size_t i = 1; i < query.operands.size(); ++i) {
    const Shape& other = *query.operands[i];
    const std::string what = absl::StrCat("operand ", i);
    SWAGE_RETURN_IF_ERROR(RequireSameDType(query, other.dtype(), first.dtype(), what));
    if (other.rank() != first.rank()) {
      return ShapeError(query, "operands must have one rank, got ", Text(first), " and ",
                        Text(other));
    }
    for (int d = 0; d < first.rank(); ++d) {
      if (d == along) continue;
      SWAGE_RETURN_IF_ERROR(
          RequireEqual(query, first.dim(d), other.dim(d), absl::StrCat(what, ", dimension ", d)));
    }
    dims[along] += other.dim(along);
  }
  return Shape::Array(first.dtype(), dims);
}

StatusOr<Shape> InferGetDimensionSize(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireArrays(query));
  const DimList& dimensions = AttrsOf<DimensionsAttrs>(query).dimensions;
  if (dimensions.size() != 1) {
    return ShapeError(query, "needs one dimension, got ", dimensions.size());
  }
  SWAGE_RETURN_IF_ERROR(
      RequireDimNumbers(query, dimensions, query.operands[0]->rank(), "dimensions"));
  const Dim extent = query.operands[0]->dim(static_cast<int>(dimensions[0]));
  if (extent.lower_bound() > std::numeric_limits<int32_t>::max()) {
    return ShapeError(query, "dimension ", dimensions[0], " of ", Text(*query.operands[0]),
                      " is too large for an s32");
  }
  return Shape::Scalar(DType::kS32);
}

}  // namespace swage::ir
