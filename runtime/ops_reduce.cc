// Reductions of ops.h. Small floats are widened to f32 first and the result is narrowed once.
#include <limits>

#include "runtime/op_support.h"

namespace swage {

using ir::Opcode;
using runtime::FromIr;
using runtime::Graph;
using runtime::Node;
using runtime::OpContext;
using runtime::ShapeOf;
using NodeSpan = absl::Span<const Node>;

namespace {

// x's dims with the reduced ones gone, or 1.
ir::Dims ReducedDims(const ir::Shape& shape, const ir::DimList& axes, bool keepdims) {
  ir::Dims dims;
  size_t next = 0;
  for (int i = 0; i < shape.rank(); ++i) {
    const bool reduced = next < axes.size() && axes[next] == i;
    if (reduced) ++next;
    if (!reduced)
      dims.push_back(shape.dim(i));
    else if (keepdims)
      dims.push_back(ir::Dim(1));
  }
  return dims;
}

// One reduce over the axes, computed in `wide` from `init`.
Tensor Reduce(const OpContext& context, const Tensor& x, const Axes& axes, bool keepdims,
              Opcode opcode, ir::DType wide, const ir::Literal& init) {
  const ir::DimList dimensions = context.AxesOrAll(axes, ShapeOf(x).rank());
  const ir::Dims dims = ReducedDims(ShapeOf(x), dimensions, keepdims);
  return runtime::ApplyOp(
      context.op, context.where, absl::MakeConstSpan(&x, 1), [&](Graph& g, NodeSpan nodes) -> Node {
        const ir::DType dtype = nodes[0]->shape().dtype();
        const Node node = g.Convert(nodes[0], wide);
        if (dimensions.empty()) return nodes[0];
        const Node reduced = g.Reduce(opcode, node, g.Constant(init), dimensions);
        return g.Reshape(g.Convert(reduced, dtype), dims);
      });
}

void RequireNumber(const OpContext& context, const Tensor& x) {
  context.Defined(x);
  if (ShapeOf(x).dtype() != ir::DType::kPred) return;
  context.Fail("got ", runtime::Text(x), ", expected a number dtype; use convert, any or all");
}

// max and min have no identity for nothing.
void RequireElements(const OpContext& context, const Tensor& x, const Axes& axes) {
  for (int64_t axis : context.AxesOrAll(axes, ShapeOf(x).rank())) {
    const ir::Dim extent = ShapeOf(x).dim(static_cast<int>(axis));
    if (extent != ir::Dim(0)) {
      context.AtMost(1, extent, "no elements to choose from");
      continue;
    }
    context.Fail("got ", runtime::Text(x), ", whose axis ", axis,
                 " has no elements, expected one or more");
  }
}

Tensor SumOrProduct(const OpContext& context, const Tensor& x, const Axes& axes, bool keepdims,
                    Opcode opcode) {
  RequireNumber(context, x);
  const ir::DType wide = runtime::WideDType(ShapeOf(x).dtype());
  const int identity = opcode == Opcode::kMultiply ? 1 : 0;
  return Reduce(context, x, axes, keepdims, opcode, wide, ir::Literal::Scalar(wide, identity));
}

Tensor Extreme(const OpContext& context, const Tensor& x, const Axes& axes, bool keepdims,
               Opcode opcode) {
  context.Defined(x);
  RequireElements(context, x, axes);
  const ir::DType dtype = ShapeOf(x).dtype();
  const ir::Literal init =
      opcode == Opcode::kMaximum ? runtime::LowestOf(dtype) : runtime::HighestOf(dtype);
  return Reduce(context, x, axes, keepdims, opcode, dtype, init);
}

Tensor Logical(const OpContext& context, const Tensor& x, const Axes& axes, bool keepdims,
               Opcode opcode) {
  context.Defined(x);
  const ir::DimList dimensions = context.AxesOrAll(axes, ShapeOf(x).rank());
  const ir::Dims dims = ReducedDims(ShapeOf(x), dimensions, keepdims);
  return runtime::ApplyOp(
      context.op, context.where, absl::MakeConstSpan(&x, 1), [&](Graph& g, NodeSpan nodes) {
        Node node = nodes[0];
        if (node->shape().dtype() != ir::DType::kPred) {
          node = g.Compare(ir::CompareDirection::kNe, node, g.NumberLike(node, 0));
        }
        const int identity = opcode == Opcode::kAnd ? 1 : 0;
        return g.Reshape(g.Reduce(opcode, node, g.Number(ir::DType::kPred, identity), dimensions),
                         dims);
      });
}

Tensor ExtremePlace(const OpContext& context, const Tensor& x, int axis, bool keepdims,
                    bool largest) {
  context.Defined(x);
  const int along = context.Axis(axis, ShapeOf(x).rank());
  RequireElements(context, x, {along});
  const ir::Dim extent = ShapeOf(x).dim(along);
  if (extent.upper_bound() > std::numeric_limits<int32_t>::max() && extent.is_static()) {
    context.Fail("got axis ", along, " of ", runtime::Text(x),
                 ", expected at most 2147483647 elements");
  }
  const ir::Dims dims = ReducedDims(ShapeOf(x), {along}, keepdims);
  return runtime::ApplyOp(context.op, context.where, absl::MakeConstSpan(&x, 1),
                          [&](Graph& g, NodeSpan nodes) {
                            return g.Reshape(g.ReduceExtreme(largest, nodes[0], along), dims);
                          });
}

// How many elements each result of the reduction joins, as a scalar of x's dtype.
Tensor CountOf(const OpContext& context, const Tensor& x, const Axes& axes) {
  ir::Dim count = 1;
  const ir::DimList reduced = context.AxesOrAll(axes, ShapeOf(x).rank());
  for (int64_t axis : reduced) count *= ShapeOf(x).dim(static_cast<int>(axis));
  const std::optional<int64_t> value = count.static_value();
  if (!value.has_value() && !count.is_poisoned()) {
    // A product of integers, rounded once: what the number would be.
    return runtime::ApplyOp(
        context.op, context.where, absl::MakeConstSpan(&x, 1), [&](Graph& g, NodeSpan nodes) {
          Node product = g.Number(ir::DType::kS64, int64_t{1});
          for (int64_t axis : reduced) {
            const Node size = g.DimensionSize(nodes[0], axis);
            product = g.Binary(Opcode::kMultiply, product, g.Convert(size, ir::DType::kS64));
          }
          return g.Convert(product, ShapeOf(x).dtype());
        });
  }
  if (!value.has_value()) {
    context.Fail("got ", count.ToString(), " elements to join in ", runtime::Text(x),
                 ", expected a number of at most 63 bits");
  }
  return context.NumberAs(Operand(static_cast<double>(*value), context.where), ShapeOf(x).dtype(),
                          runtime::Text(x));
}

Tensor Widened(const Tensor& x, Where where) {
  return convert(x, FromIr(runtime::WideDType(ShapeOf(x).dtype())), where);
}

// A reduction made of ops, computed in the wide dtype.
Tensor WideComposite(const OpContext& context, const Tensor& x,
                     absl::FunctionRef<Tensor(const Tensor& wide)> body) {
  context.Float(x);
  const DType dtype = x.dtype();
  return runtime::ApplyComposite(context.op, context.where, absl::MakeConstSpan(&x, 1),
                                 [&](absl::Span<const Tensor> operands) {
                                   return convert(body(Widened(operands[0], context.where)), dtype,
                                                  context.where);
                                 });
}

Tensor MeanOf(const OpContext& context, const Tensor& wide, const Axes& axes, bool keepdims) {
  return divide(sum(wide, axes, keepdims, context.where), CountOf(context, wide, axes),
                context.where);
}

}  // namespace

Tensor sum(const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  return SumOrProduct({"sum", where}, x, axes, keepdims, Opcode::kAdd);
}

Tensor prod(const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  return SumOrProduct({"prod", where}, x, axes, keepdims, Opcode::kMultiply);
}

Tensor max(const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  return Extreme({"max", where}, x, axes, keepdims, Opcode::kMaximum);
}

Tensor min(const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  return Extreme({"min", where}, x, axes, keepdims, Opcode::kMinimum);
}

Tensor any(const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  return Logical({"any", where}, x, axes, keepdims, Opcode::kOr);
}

Tensor all(const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  return Logical({"all", where}, x, axes, keepdims, Opcode::kAnd);
}

Tensor argmax(const Tensor& x, int axis, bool keepdims, Where where) {
  return ExtremePlace({"argmax", where}, x, axis, keepdims, true);
}

Tensor argmin(const Tensor& x, int axis, bool keepdims, Where where) {
  return ExtremePlace({"argmin", where}, x, axis, keepdims, false);
}

Tensor mean(const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  const OpContext context{"mean", where};
  return WideComposite(context, x,
                       [&](const Tensor& wide) { return MeanOf(context, wide, axes, keepdims); });
}

Tensor var(const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  const OpContext context{"var", where};
  return WideComposite(context, x, [&](const Tensor& wide) {
    const Tensor center = MeanOf(context, wide, axes, true);
    const Tensor distance = square(subtract(wide, center, where), where);
    return MeanOf(context, distance, axes, keepdims);
  });
}

Tensor logsumexp(const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  const OpContext context{"logsumexp", where};
  return WideComposite(context, x, [&](const Tensor& wide) {
    RequireElements(context, wide, axes);
    const Tensor largest = max(wide, axes, true, where);
    // An infinite maximum would give inf - inf.
    const Tensor shift =
        swage::where(isfinite(largest, where), largest, zeros_like(largest, where), where);
    const Tensor total = sum(exp(subtract(wide, shift, where), where), axes, true, where);
    const Tensor result = add(log(total, where), shift, where);
    if (keepdims) return result;
    const ir::DimList dimensions = context.AxesOrAll(axes, ShapeOf(wide).rank());
    return dimensions.empty() ? result
                              : squeeze(result, Axes(dimensions.begin(), dimensions.end()), where);
  });
}

Tensor norm(const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  const OpContext context{"norm", where};
  return WideComposite(context, x, [&](const Tensor& wide) {
    return sqrt(sum(square(wide, where), axes, keepdims, where), where);
  });
}

namespace runtime {

Tensor MaxOrLowest(const OpContext& context, const Tensor& x, const Axes& axes) {
  const ir::DType dtype = ShapeOf(x).dtype();
  return Reduce(context, x, axes, /*keepdims=*/true, Opcode::kMaximum, dtype, LowestOf(dtype));
}

}  // namespace runtime
}  // namespace swage
