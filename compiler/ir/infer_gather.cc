// Shape rules of reads and writes at run-time places.
#include <algorithm>

#include "compiler/ir/shape_rules.h"

namespace swage::ir {
namespace {

Status RequireSorted(const ShapeQuery& query, absl::Span<const int64_t> dims,
                     std::string_view what) {
  if (std::is_sorted(dims.begin(), dims.end())) return OkStatus();
  return ShapeError(query, ToAbsl(what), " must be in ascending order");
}

// What gather and scatter share: how a start index names a place of the operand.
struct IndexDims {
  std::string_view map_name;
  const DimList& map;  // start_index_map, scatter_dims_to_operand_dims
  const DimList& operand_batching;
  const DimList& indices_batching;
  int64_t vector_dim;
};

// Checks them, and gives the dims of the indices but the vector dim: the batch dims.
StatusOr<Dims> BatchDims(const ShapeQuery& query, const Shape& operand, const Shape& indices,
                         const IndexDims& index) {
  if (!IsInteger(indices.dtype())) {
    return ShapeError(query, "indices must be integers, got ", Text(indices));
  }
  if (index.vector_dim < 0 || index.vector_dim > indices.rank()) {
    return ShapeError(query, "index_vector_dim ", index.vector_dim, " is not in [0, ",
                      indices.rank(), "]");
  }
  SWAGE_RETURN_IF_ERROR(RequireDimNumbers(query, index.map, operand.rank(), index.map_name));
  const Dim length =
      index.vector_dim == indices.rank() ? Dim(1) : indices.dim(static_cast<int>(index.vector_dim));
  SWAGE_RETURN_IF_ERROR(
      RequireEqual(query, length, static_cast<int64_t>(index.map.size()),
                   absl::StrCat("the length of an index and of ", ToAbsl(index.map_name))));
  if (index.operand_batching.size() != index.indices_batching.size()) {
    return ShapeError(query, "needs as many batching dimensions of the indices as of the operand");
  }
  SWAGE_RETURN_IF_ERROR(RequireDimNumbers(query, index.operand_batching, operand.rank(),
                                          "operand batching dimensions"));
  SWAGE_RETURN_IF_ERROR(RequireDimNumbers(query, index.indices_batching, indices.rank(),
                                          "indices batching dimensions"));
  for (size_t i = 0; i < index.operand_batching.size(); ++i) {
    if (Contains(index.map, index.operand_batching[i]) ||
        index.indices_batching[i] == index.vector_dim) {
      return ShapeError(query, "a batching dimension is also indexed");
    }
    SWAGE_RETURN_IF_ERROR(RequireEqual(query,
                                       operand.dim(static_cast<int>(index.operand_batching[i])),
                                       indices.dim(static_cast<int>(index.indices_batching[i])),
                                       "batching dimensions of operand and indices"));
  }
  Dims batch;
  for (int d = 0; d < indices.rank(); ++d) {
    if (d != index.vector_dim) batch.push_back(indices.dim(d));
  }
  return batch;
}

}  // namespace

StatusOr<Shape> InferDynamicSlice(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireOperands(query, 1));
  SWAGE_RETURN_IF_ERROR(RequireArrays(query));
  const Shape& x = *query.operands[0];
  const std::vector<Dim>& sizes = AttrsOf<DynamicSliceAttrs>(query).sizes;
  SWAGE_RETURN_IF_ERROR(RequireStartIndices(query, 1, x.rank()));
  if (sizes.size() != static_cast<size_t>(x.rank())) {
    return ShapeError(query, "needs a size for each dimension of ", Text(x), ", got ",
                      sizes.size());
  }
  for (int d = 0; d < x.rank(); ++d) {
    const std::string what = absl::StrCat("dimension ", d, " of ", Text(x), ": the size");
    SWAGE_RETURN_IF_ERROR(RequireAtMost(query, 0, sizes[d], what));
    SWAGE_RETURN_IF_ERROR(RequireAtMost(query, sizes[d], x.dim(d), what));
  }
  return Shape::Array(x.dtype(), sizes);
}

StatusOr<Shape> InferDynamicUpdateSlice(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireOperands(query, 2));
  SWAGE_RETURN_IF_ERROR(RequireArrays(query));
  const Shape& x = *query.operands[0];
  const Shape& update = *query.operands[1];
  if (update.rank() != x.rank() || update.dtype() != x.dtype()) {
    return ShapeError(query, "the update must have the operand's rank and element type, got ",
                      Text(update), " for ", Text(x));
  }
  SWAGE_RETURN_IF_ERROR(RequireStartIndices(query, 2, x.rank()));
  for (int d = 0; d < x.rank(); ++d) {
    SWAGE_RETURN_IF_ERROR(
        RequireAtMost(query, update.dim(d), x.dim(d),
                      absl::StrCat("dimension ", d, " of the update ", Text(update))));
  }
  return Shape::Array(x.dtype(), x.dims());
}

StatusOr<Shape> InferGather(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireArrays(query));
  const Shape& x = *query.operands[0];
  const auto& attrs = AttrsOf<GatherAttrs>(query);
  SWAGE_ASSIGN_OR_RETURN(
      const Dims batch,
      BatchDims(query, x, *query.operands[1],
                {"start_index_map", attrs.start_index_map, attrs.operand_batching_dims,
                 attrs.start_indices_batching_dims, attrs.index_vector_dim}));
  SWAGE_RETURN_IF_ERROR(
      RequireDimNumbers(query, attrs.collapsed_slice_dims, x.rank(), "collapsed_slice_dims"));
  SWAGE_RETURN_IF_ERROR(RequireSorted(query, attrs.collapsed_slice_dims, "collapsed_slice_dims"));
  SWAGE_RETURN_IF_ERROR(RequireSorted(query, attrs.offset_dims, "offset_dims"));
  if (attrs.slice_sizes.size() != static_cast<size_t>(x.rank())) {
    return ShapeError(query, "needs a slice size for each dimension of ", Text(x), ", got ",
                      attrs.slice_sizes.size());
  }
  Dims window;
  for (int d = 0; d < x.rank(); ++d) {
    const std::string what = absl::StrCat("slice size ", d);
    const Dim size = attrs.slice_sizes[d];
    SWAGE_RETURN_IF_ERROR(RequireAtMost(query, 0, size, what));
    SWAGE_RETURN_IF_ERROR(RequireAtMost(query, size, x.dim(d), what));
    const bool batching = Contains(attrs.operand_batching_dims, d);
    const bool collapsed = Contains(attrs.collapsed_slice_dims, d);
    if (batching && collapsed) {
      return ShapeError(query, "dimension ", d, " is collapsed and batching");
    }
    if (!batching && !collapsed) {
      window.push_back(size);
      continue;
    }
    SWAGE_RETURN_IF_ERROR(RequireAtMost(query, size, 1, what + " of a dimension that goes away"));
  }
  const int64_t rank = static_cast<int64_t>(batch.size() + window.size());
  SWAGE_RETURN_IF_ERROR(RequireDimNumbers(query, attrs.offset_dims, rank, "offset_dims"));
  if (attrs.offset_dims.size() != window.size()) {
    return ShapeError(query, "needs ", window.size(), " offset_dims, got ",
                      attrs.offset_dims.size());
  }
  Dims dims;
  size_t next_window = 0, next_batch = 0;
  for (int64_t d = 0; d < rank; ++d) {
    dims.push_back(Contains(attrs.offset_dims, d) ? window[next_window++] : batch[next_batch++]);
  }
  return Shape::Array(x.dtype(), dims);
}

StatusOr<Shape> InferScatter(const ShapeQuery& query) {
  const size_t n = query.operands.size() / 2;
  if (query.operands.size() % 2 == 0 || n == 0) {
    return ShapeError(query, "takes operands, indices and as many updates, got ",
                      query.operands.size(), " operands");
  }
  SWAGE_RETURN_IF_ERROR(RequireArrays(query));
  const Shape& x = *query.operands[0];
  const auto& attrs = AttrsOf<ScatterAttrs>(query);
  SWAGE_ASSIGN_OR_RETURN(const Dims batch,
                         BatchDims(query, x, *query.operands[n],
                                   {"scatter_dims_to_operand_dims",
                                    attrs.scatter_dims_to_operand_dims, attrs.input_batching_dims,
                                    attrs.scatter_indices_batching_dims, attrs.index_vector_dim}));
  SWAGE_RETURN_IF_ERROR(
      RequireDimNumbers(query, attrs.inserted_window_dims, x.rank(), "inserted_window_dims"));
  Dims window;
  for (int d = 0; d < x.rank(); ++d) {
    if (!Contains(attrs.inserted_window_dims, d) && !Contains(attrs.input_batching_dims, d)) {
      window.push_back(x.dim(d));
    }
  }
  const int64_t rank = static_cast<int64_t>(batch.size() + window.size());
  SWAGE_RETURN_IF_ERROR(
      RequireDimNumbers(query, attrs.update_window_dims, rank, "update_window_dims"));
  SWAGE_RETURN_IF_ERROR(RequireSorted(query, attrs.update_window_dims, "update_window_dims"));
  if (attrs.update_window_dims.size() != window.size()) {
    return ShapeError(query, "needs ", window.size(), " update_window_dims, got ",
                      attrs.update_window_dims.size());
  }
  std::vector<DType> dtypes;
  std::vector<Shape> results;
  for (size_t i = 0; i < n; ++i) {
    const Shape& operand = *query.operands[i];
    const Shape& update = *query.operands[n + 1 + i];
    dtypes.push_back(operand.dtype());
    results.push_back(Shape::Array(operand.dtype(), operand.dims()));
    if (!SameDims(operand, x)) {
      return ShapeError(query, "operands must have equal dimensions, got ", Text(x), " and ",
                        Text(operand));
    }
    if (update.dtype() != operand.dtype() || update.rank() != rank) {
      return ShapeError(query, "update ", i, " must be ", ToAbsl(DTypeName(operand.dtype())),
                        " of rank ", rank, ", got ", Text(update));
    }
    size_t next_window = 0, next_batch = 0;
    for (int d = 0; d < rank; ++d) {
      const std::string what = absl::StrCat("dimension ", d, " of update ", i);
      if (Contains(attrs.update_window_dims, d)) {
        SWAGE_RETURN_IF_ERROR(RequireAtMost(query, update.dim(d), window[next_window++], what));
      } else {
        SWAGE_RETURN_IF_ERROR(RequireEqual(query, update.dim(d), batch[next_batch++], what));
      }
    }
  }
  SWAGE_RETURN_IF_ERROR(RequireReducer(query, dtypes, dtypes));
  return ArrayOrTuple(std::move(results));
}

}  // namespace swage::ir
