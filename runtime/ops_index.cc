// Indexing ops of ops.h: slices, windows, gathers, triangles.
#include <algorithm>
#include <limits>

#include "runtime/op_support.h"

namespace swage {

using ir::Opcode;
using runtime::Graph;
using runtime::Node;
using runtime::OpContext;
using runtime::ShapeOf;
using NodeSpan = absl::Span<const Node>;

namespace {

// numpy's start:stop:step over `extent`, as a forward range [low, high) in steps of `stride`, read
// backwards when `reverse`.
struct Range {
  ir::Dim low, high;
  int64_t stride;
  bool reverse;
};

// Over an extent that has no number; nullopt for what needs one.
std::optional<Range> ResolveSymbolic(const Slice& slice, ir::Dim extent) {
  const auto place = [&](int64_t given) {
    return given < 0 ? ir::Max(extent + ir::Dim(given), ir::Dim(0))
                     : ir::Min(ir::Dim(given), extent);
  };
  if (slice.step == -1 && !slice.start.has_value() && !slice.stop.has_value()) {
    return Range{0, extent, 1, true};
  }
  if (slice.step < 0) return std::nullopt;
  const ir::Dim start = slice.start.has_value() ? place(*slice.start) : ir::Dim(0);
  const ir::Dim stop = slice.stop.has_value() ? place(*slice.stop) : extent;
  return Range{start, ir::Max(start, stop), slice.step, false};
}

Range Resolve(const Slice& slice, int64_t extent) {
  const bool back = slice.step < 0;
  auto place = [&](std::optional<int64_t> given, int64_t absent) {
    if (!given.has_value()) return absent;
    const int64_t wrapped = *given < 0 ? *given + extent : *given;
    return std::clamp(wrapped, back ? int64_t{-1} : int64_t{0}, back ? extent - 1 : extent);
  };
  const int64_t start = place(slice.start, back ? extent - 1 : 0);
  const int64_t stop = place(slice.stop, back ? -1 : extent);
  if (!back) return {start, std::max(start, stop), slice.step, false};
  if (start <= stop) return {0, 0, 1, false};
  const int64_t stride = -slice.step;
  const int64_t last = start - (start - stop - 1) / stride * stride;
  return {last, start + 1, stride, true};
}

// Outside jit the starts of a plain window are arguments of its one-op program, so that a loop over
// x[i] compiles once. They fit, so clamping changes nothing.
Tensor WindowAtOnce(const OpContext& context, const Tensor& x, const ir::SliceAttrs& attrs,
                    const ir::Dims& result) {
  std::vector<Tensor> operands = {x};
  std::vector<ir::Dim> sizes;
  for (size_t i = 0; i < attrs.starts.size(); ++i) {
    const int64_t start = *attrs.starts[i].static_value();
    operands.push_back(context.NumberAs(Operand(start, context.where), ir::DType::kS64, "starts"));
    sizes.push_back(attrs.limits[i] - attrs.starts[i]);
  }
  return runtime::ApplyOp(context.op, context.where, operands, [&](Graph& g, NodeSpan nodes) {
    return g.Reshape(g.DynamicSlice(nodes[0], nodes.subspan(1), sizes), result);
  });
}

bool IsPlainWindow(const ir::SliceAttrs& attrs) {
  return std::all_of(attrs.strides.begin(), attrs.strides.end(),
                     [](int64_t stride) { return stride == 1; });
}

ir::Dims WindowDims(const ir::SliceAttrs& attrs) {
  ir::Dims dims;
  for (size_t i = 0; i < attrs.starts.size(); ++i)
    dims.push_back(attrs.limits[i] - attrs.starts[i]);
  return dims;
}

}  // namespace

Tensor slice(const Tensor& x, const std::vector<Slice>& slices, Where where) {
  const OpContext context{"slice", where};
  context.Defined(x);
  const ir::Shape& shape = ShapeOf(x);
  if (static_cast<int>(slices.size()) > shape.rank()) {
    context.Fail("got ", slices.size(), " slices for ", runtime::Text(x), ", expected at most ",
                 shape.rank());
  }
  ir::SliceAttrs attrs;
  ir::DimList reversed;
  bool whole = true;
  for (int i = 0; i < shape.rank(); ++i) {
    const Slice wanted = i < static_cast<int>(slices.size()) ? slices[i] : Slice{};
    if (wanted.step == 0 || wanted.step == std::numeric_limits<int64_t>::min()) {
      context.Fail("got step ", wanted.step, " for dimension ", i, ", expected another");
    }
    if (!wanted.start.has_value() && !wanted.stop.has_value() && wanted.step == 1) {
      attrs.starts.push_back(ir::Dim(0));
      attrs.limits.push_back(shape.dim(i));
      attrs.strides.push_back(1);
      continue;
    }
    const ir::Dim extent = shape.dim(i);
    std::optional<Range> range;
    if (!extent.is_static()) range = ResolveSymbolic(wanted, extent);
    if (!range.has_value()) range = Resolve(wanted, context.StaticDim(x, i));
    whole = whole && range->low == ir::Dim(0) && range->high == extent && range->stride == 1;
    if (range->reverse) reversed.push_back(i);
    attrs.starts.push_back(range->low);
    attrs.limits.push_back(range->high);
    attrs.strides.push_back(range->stride);
  }
  const bool traced = runtime::TraceScope::Current() != nullptr;
  if (!traced && !whole && reversed.empty() && IsPlainWindow(attrs)) {
    return WindowAtOnce(context, x, attrs, WindowDims(attrs));
  }
  return runtime::ApplyOp("slice", where, absl::MakeConstSpan(&x, 1),
                          [&](Graph& g, NodeSpan nodes) {
                            return g.Reverse(whole ? nodes[0] : g.Slice(nodes[0], attrs), reversed);
                          });
}

Tensor index(const Tensor& x, int64_t i, int axis, Where where) {
  const OpContext context{"index", where};
  context.Defined(x);
  const int along = context.Axis(axis, ShapeOf(x).rank());
  const ir::Dim extent = ShapeOf(x).dim(along);
  if (const std::optional<int64_t> count = extent.static_value()) {
    if (i < -*count || i >= *count) {
      context.Fail("got index ", i, " for axis ", along, " of ", runtime::Text(x), ", expected ",
                   -*count, " to ", *count - 1);
    }
  }
  const ir::Dim at = i < 0 ? extent + ir::Dim(i) : ir::Dim(i);
  ir::SliceAttrs attrs;
  ir::Dims dims;
  for (int d = 0; d < ShapeOf(x).rank(); ++d) {
    attrs.starts.push_back(d == along ? at : ir::Dim(0));
    attrs.limits.push_back(d == along ? at + ir::Dim(1) : ShapeOf(x).dim(d));
    attrs.strides.push_back(1);
    if (d != along) dims.push_back(ShapeOf(x).dim(d));
  }
  if (runtime::TraceScope::Current() == nullptr) return WindowAtOnce(context, x, attrs, dims);
  return runtime::ApplyOp(
      "index", where, absl::MakeConstSpan(&x, 1),
      [&](Graph& g, NodeSpan nodes) { return g.Reshape(g.Slice(nodes[0], attrs), dims); });
}

namespace {

// Starts as rank-0 integer tensors of one dtype, behind `operands`.
void AppendStarts(const OpContext& context, const Tensor& x, const std::vector<Operand>& starts,
                  std::vector<Tensor>* operands) {
  if (static_cast<int>(starts.size()) != ShapeOf(x).rank()) {
    context.Fail("got ", starts.size(), " starts for ", runtime::Text(x), ", expected ",
                 ShapeOf(x).rank());
  }
  // Numbers take the dtype of the first tensor among the starts, else s64.
  ir::DType dtype = ir::DType::kS64;
  for (const Operand& start : starts) {
    if (!start.is_tensor()) continue;
    context.Integer(start.tensor());
    dtype = ShapeOf(start.tensor()).dtype();
    break;
  }
  for (const Operand& start : starts) {
    if (!start.is_tensor()) {
      operands->push_back(
          context.NumberAs(start, dtype, absl::StrCat("starts of ", ToAbsl(ir::DTypeName(dtype)))));
      continue;
    }
    context.Integer(start.tensor());
    if (ShapeOf(start.tensor()).rank() != 0) {
      context.Fail("got the start ", runtime::Text(start.tensor()), ", expected rank 0");
    }
    operands->push_back(start.tensor());
  }
}

// HLO wants starts of one dtype; s64 holds all but the upper half of u64, which is clamped first.
std::vector<Node> AlignStarts(Graph& g, NodeSpan starts) {
  bool mixed = false;
  for (Node start : starts) mixed = mixed || start->shape().dtype() != starts[0]->shape().dtype();
  std::vector<Node> aligned;
  for (Node start : starts) {
    if (mixed && start->shape().dtype() == ir::DType::kU64) {
      start = g.Binary(Opcode::kMinimum, start,
                       g.Number(ir::DType::kU64, std::numeric_limits<int64_t>::max()));
    }
    aligned.push_back(mixed ? g.Convert(start, ir::DType::kS64) : start);
  }
  return aligned;
}

}  // namespace

Tensor dynamic_slice(const Tensor& x, const std::vector<Operand>& starts, const Dims& sizes,
                     Where where) {
  const OpContext context{"dynamic_slice", where};
  context.Defined(x);
  const ir::Dims dims = context.MakeDims(sizes);
  bool fits = static_cast<int>(dims.size()) == ShapeOf(x).rank();
  for (size_t i = 0; fits && i < dims.size(); ++i) {
    fits = ir::ProveLessEqual(dims[i], ShapeOf(x).dim(static_cast<int>(i))) == ir::Ternary::kYes;
  }
  if (!fits) {
    context.Fail("got ", runtime::Text(x), " and a window of ", runtime::Text(sizes),
                 ", expected a window that fits");
  }
  std::vector<Tensor> operands = {x};
  AppendStarts(context, x, starts, &operands);
  if (starts.empty()) return x;
  return runtime::ApplyOp("dynamic_slice", where, operands, [&](Graph& g, NodeSpan nodes) {
    return g.DynamicSlice(nodes[0], AlignStarts(g, nodes.subspan(1)), {dims.begin(), dims.end()});
  });
}

Tensor dynamic_update_slice(const Tensor& x, const Tensor& update,
                            const std::vector<Operand>& starts, Where where) {
  const OpContext context{"dynamic_update_slice", where};
  context.Defined(x);
  context.Defined(update);
  context.SameDType(x, update);
  bool fits = ShapeOf(x).rank() == ShapeOf(update).rank();
  for (int i = 0; fits && i < ShapeOf(x).rank(); ++i) {
    fits = ir::ProveLessEqual(ShapeOf(update).dim(i), ShapeOf(x).dim(i)) == ir::Ternary::kYes;
  }
  if (!fits) {
    context.Fail("got ", runtime::Text(x), " and the update ", runtime::Text(update),
                 ", expected an update that fits");
  }
  std::vector<Tensor> operands = {x, update};
  AppendStarts(context, x, starts, &operands);
  if (starts.empty()) return update;
  return runtime::ApplyOp("dynamic_update_slice", where, operands, [&](Graph& g, NodeSpan nodes) {
    return g.DynamicUpdateSlice(nodes[0], nodes[1], AlignStarts(g, nodes.subspan(2)));
  });
}

namespace {

// Indices into dimension `axis` of x with negative ones wrapped, in a dtype that holds both them
// and the extent. What is still out of range is left to gather, which clamps.
Node WrapIndices(Graph& g, Node indices, Node x, int axis) {
  const ir::DType dtype = indices->shape().dtype();
  if (!ir::IsSigned(dtype)) return indices;
  const ir::Dim extent = x->shape().dim(axis);
  const bool narrow =
      ir::DTypeBits(dtype) <= 32 && extent.upper_bound() <= std::numeric_limits<int32_t>::max();
  const Node wide = g.Convert(indices, narrow ? ir::DType::kS32 : ir::DType::kS64);
  Node count;
  if (const std::optional<int64_t> number = extent.static_value()) {
    count = g.NumberLike(wide, *number);
  } else {
    const Node size = g.DimensionSize(x, axis);
    count =
        g.Splat(g.Convert(size, narrow ? ir::DType::kS32 : ir::DType::kS64), wide->shape().dims());
  }
  const Node wrapped = g.Binary(Opcode::kAdd, wide, count);
  return g.Select(g.Compare(ir::CompareDirection::kLt, wide, g.NumberLike(wide, 0)), wrapped, wide);
}

void RequireElements(const OpContext& context, const Tensor& x, int axis, const Tensor& indices) {
  const ir::Dim extent = ShapeOf(x).dim(axis);
  if (extent != ir::Dim(0)) return context.AtMost(1, extent, "no elements to take");
  if (ShapeOf(indices).num_elements_dim() == ir::Dim(0)) return;
  context.Fail("got axis ", axis, " of ", runtime::Text(x),
               ", which has no elements, expected one or more");
}

}  // namespace

Tensor take(const Tensor& x, const Tensor& indices, int axis, Where where) {
  const OpContext context{"take", where};
  context.Defined(x);
  context.Integer(indices);
  const int along = context.Axis(axis, ShapeOf(x).rank());
  RequireElements(context, x, along, indices);
  const Tensor operands[] = {x, indices};
  return runtime::ApplyOp("take", where, operands, [&](Graph& g, NodeSpan nodes) -> Node {
    const ir::Shape& shape = nodes[0]->shape();
    const int index_rank = nodes[1]->shape().rank();
    const bool empty = shape.dim(along) == ir::Dim(0);
    ir::GatherAttrs attrs;
    ir::Dims result;
    for (int i = 0; i < shape.rank(); ++i) {
      const bool taken = i == along;
      attrs.slice_sizes.push_back(taken ? ir::Dim(empty ? 0 : 1) : shape.dim(i));
      if (taken) {
        result.insert(result.end(), nodes[1]->shape().dims().begin(),
                      nodes[1]->shape().dims().end());
      } else {
        attrs.offset_dims.push_back(i < along ? i : i - 1 + index_rank);
        result.push_back(shape.dim(i));
      }
    }
    if (empty) return g.Splat(g.Number(shape.dtype(), 0), result);
    attrs.collapsed_slice_dims = {along};
    attrs.start_index_map = {along};
    attrs.index_vector_dim = index_rank;
    return g.Gather(nodes[0], WrapIndices(g, nodes[1], nodes[0], along), std::move(attrs));
  });
}

Tensor take_along_axis(const Tensor& x, const Tensor& indices, int axis, Where where) {
  const OpContext context{"take_along_axis", where};
  context.Defined(x);
  context.Integer(indices);
  const ir::Shape& shape = ShapeOf(x);
  const int along = context.Axis(axis, shape.rank());
  bool fits = ShapeOf(indices).rank() == shape.rank();
  for (int i = 0; fits && i < shape.rank(); ++i) {
    fits = i == along || ShapeOf(indices).dim(i) == shape.dim(i);
  }
  if (!fits) {
    context.Fail("got ", runtime::Text(x), " and the indices ", runtime::Text(indices),
                 ", expected equal shapes but along axis ", along);
  }
  RequireElements(context, x, along, indices);
  const Tensor operands[] = {x, indices};
  return runtime::ApplyOp(
      "take_along_axis", where, operands, [&](Graph& g, NodeSpan nodes) -> Node {
        const ir::Shape& places = nodes[1]->shape();
        if (nodes[0]->shape().dim(along) == ir::Dim(0))
          return g.Splat(g.Number(nodes[0]->shape().dtype(), 0), places.dims());
        ir::GatherAttrs attrs;
        for (int i = 0; i < places.rank(); ++i) {
          attrs.slice_sizes.push_back(ir::Dim(1));
          if (i == along) continue;
          attrs.operand_batching_dims.push_back(i);
          attrs.start_indices_batching_dims.push_back(i);
        }
        attrs.collapsed_slice_dims = {along};
        attrs.start_index_map = {along};
        attrs.index_vector_dim = places.rank();
        return g.Gather(nodes[0], WrapIndices(g, nodes[1], nodes[0], along), std::move(attrs));
      });
}

namespace {

// Keeps the elements whose column is at most (or at least) row + k; the others become 0.
Tensor Triangle(const OpContext& context, const Tensor& x, int64_t k, ir::CompareDirection kept) {
  context.Defined(x);
  const int rank = ShapeOf(x).rank();
  if (rank < 2) context.Fail("got ", runtime::Text(x), ", expected rank 2 or more");
  // Diagonals beyond the corners all mean the same.
  const int64_t largest =
      std::max(ShapeOf(x).dim(rank - 2).upper_bound(), ShapeOf(x).dim(rank - 1).upper_bound());
  const int64_t limit = std::min(largest, std::numeric_limits<int64_t>::max() / 4) + 1;
  const int64_t diagonal = std::clamp(k, -limit, limit);
  return runtime::ApplyOp(
      context.op, context.where, absl::MakeConstSpan(&x, 1), [&](Graph& g, NodeSpan nodes) {
        const Node n = nodes[0];
        const bool narrow = limit < std::numeric_limits<int32_t>::max() / 2;
        const ir::DType dtype = narrow ? ir::DType::kS32 : ir::DType::kS64;
        const auto matrix = n->shape().dims().subspan(rank - 2);
        const Node rows = g.Iota(dtype, matrix, 0);
        const Node columns = g.Iota(dtype, matrix, 1);
        const Node edge = g.Binary(Opcode::kAdd, rows, g.NumberLike(rows, diagonal));
        const Node mask = g.BroadcastTo(g.Compare(kept, columns, edge), n->shape().dims());
        return g.Select(mask, n, g.NumberLike(n, 0));
      });
}

}  // namespace

Tensor tril(const Tensor& x, int64_t k, Where where) {
  return Triangle({"tril", where}, x, k, ir::CompareDirection::kLe);
}

Tensor triu(const Tensor& x, int64_t k, Where where) {
  return Triangle({"triu", where}, x, k, ir::CompareDirection::kGe);
}

}  // namespace swage
