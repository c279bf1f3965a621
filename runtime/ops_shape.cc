// Shape ops of ops.h: the same elements in another arrangement.
#include <algorithm>
#include <numeric>

#include "runtime/op_support.h"

namespace swage {

using runtime::Graph;
using runtime::Node;
using runtime::OpContext;
using runtime::ShapeOf;
using NodeSpan = absl::Span<const Node>;

namespace {

Tensor Apply(const OpContext& context, const Tensor& x,
             absl::FunctionRef<Node(Graph&, Node)> body) {
  return runtime::ApplyOp(context.op, context.where, absl::MakeConstSpan(&x, 1),
                          [&](Graph& g, NodeSpan nodes) { return body(g, nodes[0]); });
}

Tensor ReshapeTo(const OpContext& context, const Tensor& x, const ir::Dims& dims) {
  return Apply(context, x, [&](Graph& g, Node n) { return g.Reshape(n, dims); });
}

// The dims asked for, with -1 solved.
ir::Dims SolveReshape(const OpContext& context, const Tensor& x, const Dims& shape) {
  ir::Dims dims;
  ir::Dim known = 1;
  int unknown = -1;
  for (size_t i = 0; i < shape.size(); ++i) {
    const ir::Dim dim = runtime::ToIr(shape[i]);
    if (dim == ir::Dim(-1) && unknown < 0) {
      unknown = static_cast<int>(i);
    } else if (dim.is_static() && *dim.static_value() < 0) {
      context.Fail("got the shape ", runtime::Text(shape),
                   ", expected extents of 0 or more and at "
                   "most one -1");
    } else {
      known *= dim;
    }
    dims.push_back(dim);
  }
  const ir::Dim count = ShapeOf(x).num_elements_dim();
  if (unknown >= 0) {
    if (known == ir::Dim(0)) {
      context.Fail("got the shape ", runtime::Text(shape), " for ", runtime::Text(x),
                   ", expected no 0 beside -1");
    }
    const std::optional<ir::Dim> quotient = ir::ExactQuotient(count, known);
    dims[unknown] = quotient.value_or(ir::FloorDiv(count, known));
    context.AtMost(1, known, "no 0 beside -1");
    known *= dims[unknown];
  }
  if (ir::ProveEqual(known, count) != ir::Ternary::kYes) {
    context.Unequal(known, count);
    context.Fail("got ", runtime::Text(x), " (", count.ToString(), " elements) and the shape ",
                 runtime::Text(shape), ", expected as many elements");
  }
  return dims;
}

}  // namespace

Tensor reshape(const Tensor& x, const Dims& shape, Where where) {
  const OpContext context{"reshape", where};
  context.Defined(x);
  return ReshapeTo(context, x, SolveReshape(context, x, shape));
}

Tensor ravel(const Tensor& x, Where where) {
  const OpContext context{"ravel", where};
  context.Defined(x);
  return ReshapeTo(context, x, {ShapeOf(x).num_elements_dim()});
}

Tensor squeeze(const Tensor& x, const Axes& axes, Where where) {
  const OpContext context{"squeeze", where};
  context.Defined(x);
  const ir::Shape& shape = ShapeOf(x);
  const ir::DimList gone = context.AxisList(axes, shape.rank());
  ir::Dims dims;
  for (int i = 0; i < shape.rank(); ++i) {
    const bool one = shape.dim(i) == ir::Dim(1);
    const bool listed = std::find(gone.begin(), gone.end(), i) != gone.end();
    if (listed && !one) {
      context.Fail("got axis ", i, " of ", runtime::Text(x), ", whose extent is ",
                   shape.dim(i).ToString(), ", expected 1");
    }
    // Without axes all of extent 1 go, as numpy does.
    if (!listed && !(axes.empty() && one)) dims.push_back(shape.dim(i));
  }
  return ReshapeTo(context, x, dims);
}

Tensor expand_dims(const Tensor& x, int axis, Where where) {
  const OpContext context{"expand_dims", where};
  context.Defined(x);
  ir::Dims dims(ShapeOf(x).dims().begin(), ShapeOf(x).dims().end());
  dims.insert(dims.begin() + context.Axis(axis, ShapeOf(x).rank() + 1), ir::Dim(1));
  return ReshapeTo(context, x, dims);
}

Tensor broadcast_to(const Tensor& x, const Dims& shape, Where where) {
  const OpContext context{"broadcast_to", where};
  context.Defined(x);
  const ir::Dims dims = context.MakeDims(shape);
  const int offset = static_cast<int>(dims.size()) - ShapeOf(x).rank();
  for (int i = 0; i < ShapeOf(x).rank(); ++i) {
    const ir::Dim have = ShapeOf(x).dim(i);
    if (offset < 0 || (have != ir::Dim(1) && have != dims[offset + i])) {
      context.Fail("got ", runtime::Text(x), " and the shape ", runtime::Text(shape),
                   ", expected a shape that it broadcasts to");
    }
  }
  return Apply(context, x, [&](Graph& g, Node n) { return g.BroadcastTo(n, dims); });
}

Tensor transpose(const Tensor& x, const Axes& axes, Where where) {
  const OpContext context{"transpose", where};
  context.Defined(x);
  const int rank = ShapeOf(x).rank();
  if (static_cast<int>(axes.size()) != rank) {
    context.Fail("got ", axes.size(), " axes for ", runtime::Text(x), ", expected ", rank);
  }
  const ir::DimList permutation = context.AxisList(axes, rank);
  return Apply(context, x, [&](Graph& g, Node n) { return g.Transpose(n, permutation); });
}

Tensor transpose(const Tensor& x, Where where) {
  const OpContext context{"transpose", where};
  context.Defined(x);
  Axes axes(ShapeOf(x).rank());
  std::iota(axes.rbegin(), axes.rend(), 0);
  return transpose(x, axes, where);
}

Tensor swapaxes(const Tensor& x, int a, int b, Where where) {
  const OpContext context{"swapaxes", where};
  context.Defined(x);
  ir::DimList permutation(ShapeOf(x).rank());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[context.Axis(a, ShapeOf(x).rank())],
            permutation[context.Axis(b, ShapeOf(x).rank())]);
  return Apply(context, x, [&](Graph& g, Node n) { return g.Transpose(n, permutation); });
}

namespace {

// The axis along which `xs` are joined, after their shapes were compared.
int CheckJoined(const OpContext& context, const std::vector<Tensor>& xs, int axis) {
  if (xs.empty()) context.Fail("got no tensors, expected one or more");
  for (const Tensor& x : xs) context.Defined(x);
  const ir::Shape& first = ShapeOf(xs[0]);
  const int along = context.Axis(axis, first.rank());
  for (const Tensor& x : xs) {
    const ir::Shape& shape = ShapeOf(x);
    bool fits = shape.rank() == first.rank();
    for (int i = 0; fits && i < first.rank(); ++i) {
      fits = i == along || shape.dim(i) == first.dim(i);
    }
    if (!fits) {
      context.Fail("got ", runtime::Text(xs[0]), " and ", runtime::Text(x),
                   ", expected equal extents but along axis ", along);
    }
    context.SameDType(xs[0], x);
  }
  return along;
}

}  // namespace

Tensor concatenate(const std::vector<Tensor>& xs, int axis, Where where) {
  const OpContext context{"concatenate", where};
  const int along = CheckJoined(context, xs, axis);
  return runtime::ApplyOp("concatenate", where, xs,
                          [&](Graph& g, NodeSpan nodes) { return g.Concatenate(nodes, along); });
}

Tensor stack(const std::vector<Tensor>& xs, int axis, Where where) {
  const OpContext context{"stack", where};
  if (xs.empty()) context.Fail("got no tensors, expected one or more");
  for (const Tensor& x : xs) {
    context.Defined(x);
    context.SameDType(xs[0], x);
    if (!ir::SameDims(ShapeOf(xs[0]), ShapeOf(x))) {
      context.Fail("got ", runtime::Text(xs[0]), " and ", runtime::Text(x),
                   ", expected equal shapes");
    }
  }
  const int along = context.Axis(axis, ShapeOf(xs[0]).rank() + 1);
  ir::Dims dims(ShapeOf(xs[0]).dims().begin(), ShapeOf(xs[0]).dims().end());
  dims.insert(dims.begin() + along, ir::Dim(1));
  return runtime::ApplyOp("stack", where, xs, [&](Graph& g, NodeSpan nodes) {
    std::vector<Node> rows;
    for (Node node : nodes) rows.push_back(g.Reshape(node, dims));
    return g.Concatenate(rows, along);
  });
}

std::vector<Tensor> split(const Tensor& x, int parts, int axis, Where where) {
  const OpContext context{"split", where};
  context.Defined(x);
  const int along = context.Axis(axis, ShapeOf(x).rank());
  const int64_t extent = context.StaticDim(x, along);
  if (parts < 1 || extent % parts != 0) {
    context.Fail("got ", parts, " parts of axis ", along, " of ", runtime::Text(x),
                 ", expected a divisor of ", extent);
  }
  constexpr int kMaxEmptyParts = 1 << 16;  // every number divides 0
  if (extent == 0 && parts > kMaxEmptyParts) {
    context.Fail("got ", parts, " parts of axis ", along, " of ", runtime::Text(x),
                 ", expected at most ", kMaxEmptyParts, " empty ones");
  }
  std::vector<Tensor> results;
  for (int part = 0; part < parts; ++part) {
    std::vector<Slice> slices(along + 1);
    slices[along] = {.start = part * (extent / parts), .stop = (part + 1) * (extent / parts)};
    results.push_back(slice(x, slices, where));
  }
  return results;
}

Tensor flip(const Tensor& x, const Axes& axes, Where where) {
  const OpContext context{"flip", where};
  context.Defined(x);
  const ir::DimList dimensions = context.AxesOrAll(axes, ShapeOf(x).rank());
  return Apply(context, x, [&](Graph& g, Node n) { return g.Reverse(n, dimensions); });
}

Tensor roll(const Tensor& x, int64_t shift, int axis, Where where) {
  const OpContext context{"roll", where};
  context.Defined(x);
  const int along = context.Axis(axis, ShapeOf(x).rank());
  const ir::Dim extent = ShapeOf(x).dim(along);
  if (extent == ir::Dim(0)) return x;
  context.AtMost(1, extent, "no elements to roll");
  const ir::Dim moved = ir::Mod(ir::Dim(shift), extent);
  if (moved == ir::Dim(0)) return x;
  return Apply(context, x, [&](Graph& g, Node n) {
    auto part = [&](ir::Dim start, ir::Dim stop) {
      ir::SliceAttrs attrs;
      for (int i = 0; i < n->shape().rank(); ++i) {
        attrs.starts.push_back(i == along ? start : ir::Dim(0));
        attrs.limits.push_back(i == along ? stop : n->shape().dim(i));
        attrs.strides.push_back(1);
      }
      return g.Slice(n, std::move(attrs));
    };
    const Node parts[] = {part(extent - moved, extent), part(0, extent - moved)};
    return g.Concatenate(parts, along);
  });
}

Tensor pad(const Tensor& x, const std::vector<std::pair<int64_t, int64_t>>& widths,
           const Operand& value, Where where) {
  const OpContext context{"pad", where};
  context.Defined(x);
  if (static_cast<int>(widths.size()) != ShapeOf(x).rank()) {
    context.Fail("got ", widths.size(), " widths for ", runtime::Text(x), ", expected ",
                 ShapeOf(x).rank(), " pairs");
  }
  ir::PadAttrs attrs;
  for (const auto& [before, behind] : widths) {
    if (before < 0 || behind < 0) {
      context.Fail("got the widths {", before, ", ", behind,
                   "}, expected 0 or more; use slice to cut");
    }
    attrs.dims.push_back({ir::Dim(before), ir::Dim(behind), 0});
  }
  // The default is the number 0, which every dtype has.
  const bool plain_zero = value.kind() == Operand::Kind::kSigned && value.integer_value() == 0;
  const bool pred = ShapeOf(x).dtype() == ir::DType::kPred;
  const Tensor filler = context.AsTensor(plain_zero && pred ? Operand(false, where) : value, x);
  if (ShapeOf(filler).rank() != 0) {
    context.Fail("got the value ", runtime::Text(filler), ", expected rank 0");
  }
  const Tensor operands[] = {x, filler};
  return runtime::ApplyOp("pad", where, operands, [&](Graph& g, NodeSpan nodes) {
    return g.Pad(nodes[0], nodes[1], attrs);
  });
}

}  // namespace swage
