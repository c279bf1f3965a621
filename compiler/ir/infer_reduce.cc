// Shape rules of reductions, dots, convolutions and sorts.
#include <algorithm>

#include "compiler/ir/shape_rules.h"

namespace swage::ir {
namespace {

// Half of the operands are arrays of equal dims, the other half scalars of their dtypes.
Status RequireInputsAndInits(const ShapeQuery& query, std::vector<DType>* dtypes) {
  const size_t n = query.operands.size() / 2;
  if (n == 0 || query.operands.size() % 2 != 0) {
    return ShapeError(query, "takes as many initial values as arrays, got ", query.operands.size(),
                      " operands");
  }
  SWAGE_RETURN_IF_ERROR(RequireArrays(query));
  ShapeQuery inputs = query;
  inputs.operands = query.operands.subspan(0, n);
  SWAGE_RETURN_IF_ERROR(RequireSameDims(inputs));
  for (size_t i = 0; i < n; ++i) {
    const Shape& init = *query.operands[n + i];
    dtypes->push_back(query.operands[i]->dtype());
    if (!init.is_scalar() || init.dtype() != dtypes->back()) {
      return ShapeError(query, "initial value ", i, " must be ",
                        Text(Shape::Scalar(dtypes->back())), ", got ", Text(init));
    }
  }
  return RequireReducer(query, *dtypes, *dtypes);
}

Shape ArraysOf(const std::vector<DType>& dtypes, const Dims& dims) {
  std::vector<Shape> shapes;
  for (DType dtype : dtypes) shapes.push_back(Shape::Array(dtype, dims));
  return ArrayOrTuple(std::move(shapes));
}

// The extent of a windowed dim.
StatusOr<Dim> WindowedDim(const ShapeQuery& query, Dim dim, const WindowDim& window, int i) {
  if (window.size < 1 || window.stride < 1 || window.base_dilation < 1 ||
      window.window_dilation < 1) {
    return ShapeError(query, "dimension ", i,
                      " of the window: size, stride and dilations must be positive");
  }
  Dim padded = dim;
  if (window.base_dilation != 1) padded = Max(dim - 1, 0) * window.base_dilation + Min(dim, 1);
  padded = padded + window.pad_low + window.pad_high;
  const Dim extent = (Dim(window.size) - 1) * window.window_dilation + 1;
  const Dim result = Max(FloorDiv(padded - extent, window.stride) + 1, 0);
  if (result.is_poisoned()) return ShapeError(query, "dimension ", i, " of the window overflows");
  return result;
}

DType Widest(DType a, DType b) { return DTypeBits(b) > DTypeBits(a) ? b : a; }

}  // namespace

StatusOr<Shape> InferReduce(const ShapeQuery& query) {
  std::vector<DType> dtypes;
  SWAGE_RETURN_IF_ERROR(RequireInputsAndInits(query, &dtypes));
  const Shape& x = *query.operands[0];
  const DimList& dimensions = AttrsOf<DimensionsAttrs>(query).dimensions;
  SWAGE_RETURN_IF_ERROR(RequireDimNumbers(query, dimensions, x.rank(), "dimensions"));
  Dims dims;
  for (int d = 0; d < x.rank(); ++d) {
    if (!Contains(dimensions, d)) dims.push_back(x.dim(d));
  }
  return ArraysOf(dtypes, dims);
}

StatusOr<Shape> InferReduceWindow(const ShapeQuery& query) {
  std::vector<DType> dtypes;
  SWAGE_RETURN_IF_ERROR(RequireInputsAndInits(query, &dtypes));
  const Shape& x = *query.operands[0];
  const std::vector<WindowDim>& window = AttrsOf<WindowAttrs>(query).dims;
  if (window.size() != static_cast<size_t>(x.rank())) {
    return ShapeError(query, "needs a window of rank ", x.rank(), " for ", Text(x), ", got ",
                      window.size());
  }
  Dims dims;
  for (int d = 0; d < x.rank(); ++d) {
    SWAGE_ASSIGN_OR_RETURN(const Dim dim, WindowedDim(query, x.dim(d), window[d], d));
    dims.push_back(dim);
  }
  return ArraysOf(dtypes, dims);
}

StatusOr<Shape> InferMap(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireOperands(query, 1));
  SWAGE_RETURN_IF_ERROR(RequireArrays(query));
  SWAGE_RETURN_IF_ERROR(RequireSameDims(query));
  const Shape& x = *query.operands[0];
  const DimList& dimensions = AttrsOf<DimensionsAttrs>(query).dimensions;
  for (int d = 0; d < x.rank() || d < static_cast<int>(dimensions.size()); ++d) {
    if (d >= x.rank() || d >= static_cast<int>(dimensions.size()) || dimensions[d] != d) {
      return ShapeError(query, "dimensions must be all ", x.rank(), " of them, in order");
    }
  }
  std::vector<Shape> scalars;
  for (const Shape* operand : query.operands) scalars.push_back(Shape::Scalar(operand->dtype()));
  std::vector<const Shape*> parameters;
  for (const Shape& scalar : scalars) parameters.push_back(&scalar);
  SWAGE_RETURN_IF_ERROR(RequireParameters(query, 0, parameters));
  const Shape& result = query.called[0]->root()->shape();
  if (!result.is_scalar()) {
    return ShapeError(query, query.called[0]->name(), " must return a scalar, got ", Text(result));
  }
  return Shape::Array(result.dtype(), x.dims());
}

StatusOr<Shape> InferDot(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireArrays(query));
  const Shape& lhs = *query.operands[0];
  const Shape& rhs = *query.operands[1];
  const auto& attrs = AttrsOf<DotAttrs>(query);
  if (attrs.lhs_batch.size() != attrs.rhs_batch.size() ||
      attrs.lhs_contracting.size() != attrs.rhs_contracting.size()) {
    return ShapeError(query, "needs as many batch and contracting dimensions of ", Text(lhs),
                      " as of ", Text(rhs));
  }
  DimList lhs_named = attrs.lhs_batch, rhs_named = attrs.rhs_batch;
  lhs_named.insert(lhs_named.end(), attrs.lhs_contracting.begin(), attrs.lhs_contracting.end());
  rhs_named.insert(rhs_named.end(), attrs.rhs_contracting.begin(), attrs.rhs_contracting.end());
  SWAGE_RETURN_IF_ERROR(RequireDimNumbers(query, lhs_named, lhs.rank(), "the left side"));
  SWAGE_RETURN_IF_ERROR(RequireDimNumbers(query, rhs_named, rhs.rank(), "the right side"));
  for (size_t i = 0; i < lhs_named.size(); ++i) {
    const std::string what =
        absl::StrCat(i < attrs.lhs_batch.size() ? "batch" : "contracting", " dimension ",
                     lhs_named[i], " of ", Text(lhs), " and ", rhs_named[i], " of ", Text(rhs));
    SWAGE_RETURN_IF_ERROR(RequireEqual(query, lhs.dim(static_cast<int>(lhs_named[i])),
                                       rhs.dim(static_cast<int>(rhs_named[i])), what));
  }

  const DTypeKind kind = KindOf(lhs.dtype());
  const bool both_integers = IsInteger(lhs.dtype()) && IsInteger(rhs.dtype());
  if (kind != KindOf(rhs.dtype()) && !both_integers) {
    return ShapeError(query, "element types do not go together: ", Text(lhs), " and ", Text(rhs));
  }
  DType dtype = Widest(lhs.dtype(), rhs.dtype());
  if (query.declared != nullptr && query.declared->is_array()) {
    const DType wanted = query.declared->dtype();
    const bool same_kind = KindOf(wanted) == kind || (both_integers && IsInteger(wanted));
    if (same_kind && DTypeBits(wanted) >= DTypeBits(dtype)) dtype = wanted;
  }

  Dims dims;
  for (int64_t d : attrs.lhs_batch) dims.push_back(lhs.dim(static_cast<int>(d)));
  for (int d = 0; d < lhs.rank(); ++d) {
    if (!Contains(lhs_named, d)) dims.push_back(lhs.dim(d));
  }
  for (int d = 0; d < rhs.rank(); ++d) {
    if (!Contains(rhs_named, d)) dims.push_back(rhs.dim(d));
  }
  return Shape::Array(dtype, dims);
}

StatusOr<Shape> InferConvolution(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireArrays(query));
  const Shape& lhs = *query.operands[0];
  const Shape& rhs = *query.operands[1];
  const auto& attrs = AttrsOf<ConvolutionAttrs>(query);
  const std::string& labels = attrs.dim_labels;
  const size_t split = labels.find('_');
  const size_t arrow = labels.find("->");
  if (split == std::string::npos || arrow == std::string::npos || arrow < split) {
    return ShapeError(query, "dim_labels must look like b01f_01io->b01f, got '", labels, "'");
  }
  const std::string in = labels.substr(0, split);
  const std::string kernel = labels.substr(split + 1, arrow - split - 1);
  const std::string out = labels.substr(arrow + 2);
  const size_t spatial = attrs.window.size();
  const size_t rank = spatial + 2;
  if (in.size() != rank || kernel.size() != rank || out.size() != rank ||
      lhs.rank() != static_cast<int>(rank) || rhs.rank() != static_cast<int>(rank)) {
    return ShapeError(query, "ranks do not agree: ", Text(lhs), ", ", Text(rhs), ", dim_labels ",
                      labels, ", a window of rank ", spatial);
  }
  auto at = [](const std::string& order, char label) {
    const size_t found = order.find(label);
    return found == std::string::npos ? -1 : static_cast<int>(found);
  };
  std::string data_labels = "bf", kernel_labels = "io";
  for (size_t i = 0; i < spatial && i < 10; ++i) {
    data_labels += static_cast<char>('0' + i);
    kernel_labels += static_cast<char>('0' + i);
  }
  for (size_t i = 0; i < rank; ++i) {
    if (i >= data_labels.size() || at(in, data_labels[i]) < 0 || at(out, data_labels[i]) < 0 ||
        at(kernel, kernel_labels[i]) < 0) {
      return ShapeError(query, "dim_labels ", labels, " do not name each dimension once");
    }
  }
  if (lhs.dtype() != rhs.dtype() && KindOf(lhs.dtype()) != KindOf(rhs.dtype())) {
    return ShapeError(query, "element types do not go together: ", Text(lhs), " and ", Text(rhs));
  }
  const int64_t groups = attrs.feature_group_count;
  const int64_t batch_groups = attrs.batch_group_count;
  if (groups < 1 || batch_groups < 1 || (groups > 1 && batch_groups > 1)) {
    return ShapeError(query, "group counts must be positive, and one of them 1");
  }
  const Dim batch = lhs.dim(at(in, 'b'));
  const Dim features = rhs.dim(at(kernel, 'o'));
  SWAGE_RETURN_IF_ERROR(RequireEqual(query, lhs.dim(at(in, 'f')), rhs.dim(at(kernel, 'i')) * groups,
                                     "input features and the kernel's, times the groups"));
  SWAGE_RETURN_IF_ERROR(RequireEqual(query, Mod(features, groups), 0, "output features by groups"));
  SWAGE_RETURN_IF_ERROR(RequireEqual(query, Mod(batch, batch_groups), 0, "batch by batch groups"));
  Dims dims(rank, Dim(0));
  dims[at(out, 'b')] = batch_groups == 1 ? batch : FloorDiv(batch, batch_groups);
  dims[at(out, 'f')] = features;
  for (size_t i = 0; i < spatial; ++i) {
    const char label = static_cast<char>('0' + i);
    SWAGE_RETURN_IF_ERROR(RequireEqual(query, rhs.dim(at(kernel, label)), attrs.window[i].size,
                                       "the kernel's extent and the window's size"));
    SWAGE_ASSIGN_OR_RETURN(dims[at(out, label)], WindowedDim(query, lhs.dim(at(in, label)),
                                                             attrs.window[i], static_cast<int>(i)));
  }
  DType dtype = Widest(lhs.dtype(), rhs.dtype());
  if (query.declared != nullptr && query.declared->is_array() &&
      KindOf(query.declared->dtype()) == KindOf(dtype) &&
      DTypeBits(query.declared->dtype()) >= DTypeBits(dtype)) {
    dtype = query.declared->dtype();
  }
  return Shape::Array(dtype, dims);
}

StatusOr<Shape> InferSort(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireOperands(query, 1));
  SWAGE_RETURN_IF_ERROR(RequireArrays(query));
  SWAGE_RETURN_IF_ERROR(RequireSameDims(query));
  const Shape& first = *query.operands[0];
  SWAGE_RETURN_IF_ERROR(
      RequireDimNumbers(query, {AttrsOf<SortAttrs>(query).dimension}, first.rank(), "dimensions"));
  std::vector<Shape> scalars;
  std::vector<DType> dtypes;
  for (const Shape* operand : query.operands) {
    dtypes.push_back(operand->dtype());
    scalars.insert(scalars.end(), 2, Shape::Scalar(operand->dtype()));
  }
  std::vector<const Shape*> parameters;
  for (const Shape& scalar : scalars) parameters.push_back(&scalar);
  SWAGE_RETURN_IF_ERROR(RequireParameters(query, 0, parameters));
  const Shape& result = query.called[0]->root()->shape();
  if (!result.is_scalar() || result.dtype() != DType::kPred) {
    return ShapeError(query, query.called[0]->name(), " must return pred[], got ", Text(result));
  }
  return ArraysOf(dtypes, Dims(first.dims().begin(), first.dims().end()));
}

StatusOr<Shape> InferTopK(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireArrays(query));
  const Shape& x = *query.operands[0];
  const int64_t k = AttrsOf<TopKAttrs>(query).k;
  if (x.rank() == 0) return ShapeError(query, "needs a dimension, got ", Text(x));
  Dims dims(x.dims().begin(), x.dims().end());
  if (k < 0) return ShapeError(query, "k must not be negative, got ", k);
  SWAGE_RETURN_IF_ERROR(RequireAtMost(query, k, dims.back(), "k and the last dimension"));
  dims.back() = k;
  return Shape::Tuple({Shape::Array(x.dtype(), dims), Shape::Array(DType::kS32, dims)});
}

}  // namespace swage::ir
