// Ops of ops.h that make values: constants, ranges, extents.
#include <limits>

#include "runtime/op_support.h"

namespace swage {

using runtime::Graph;
using runtime::Node;
using runtime::OpContext;
using runtime::ShapeOf;
using NodeSpan = absl::Span<const Node>;

namespace {

Tensor Filled(const OpContext& context, const Operand& value, ir::DType dtype,
              const ir::Dims& dims) {
  Tensor scalar;
  if (value.is_tensor()) {
    scalar = value.tensor();
    context.Defined(scalar);
    if (ShapeOf(scalar).rank() != 0 || ShapeOf(scalar).dtype() != dtype) {
      context.Fail("got the value ", runtime::Text(scalar), ", expected ",
                   ToAbsl(ir::DTypeName(dtype)), "[] or a number; use broadcast_to or convert");
    }
  } else {
    scalar = context.NumberAs(value, dtype, ir::DTypeName(dtype));
  }
  return runtime::ApplyOp(context.op, context.where, absl::MakeConstSpan(&scalar, 1),
                          [&](Graph& g, NodeSpan nodes) { return g.Splat(nodes[0], dims); });
}

ir::Dims DimsOf(const Tensor& x) {
  return ir::Dims(ShapeOf(x).dims().begin(), ShapeOf(x).dims().end());
}

Tensor Counted(const OpContext& context, const Dims& shape, int axis, DType dtype) {
  if (dtype == DType::kPred) context.Fail("got pred, expected a number dtype");
  const ir::Dims dims = context.MakeDims(shape);
  const int dimension = context.Axis(axis, static_cast<int>(dims.size()));
  return runtime::ApplyOp(context.op, context.where, {}, [&](Graph& g, NodeSpan) {
    return g.Iota(runtime::ToIr(dtype), dims, dimension);
  });
}

Operand NumberOf(ir::DType dtype, int value) {
  return dtype == ir::DType::kPred ? Operand(value != 0) : Operand(value);
}

}  // namespace

Tensor full(const Dims& shape, const Operand& value, DType dtype, Where where) {
  const OpContext context{"full", where};
  return Filled(context, value, runtime::ToIr(dtype), context.MakeDims(shape));
}

Tensor zeros(const Dims& shape, DType dtype, Where where) {
  const OpContext context{"zeros", where};
  const ir::DType type = runtime::ToIr(dtype);
  return Filled(context, NumberOf(type, 0), type, context.MakeDims(shape));
}

Tensor ones(const Dims& shape, DType dtype, Where where) {
  const OpContext context{"ones", where};
  const ir::DType type = runtime::ToIr(dtype);
  return Filled(context, NumberOf(type, 1), type, context.MakeDims(shape));
}

Tensor full_like(const Tensor& x, const Operand& value, Where where) {
  const OpContext context{"full_like", where};
  context.Defined(x);
  return Filled(context, value, ShapeOf(x).dtype(), DimsOf(x));
}

Tensor zeros_like(const Tensor& x, Where where) {
  const OpContext context{"zeros_like", where};
  context.Defined(x);
  return Filled(context, NumberOf(ShapeOf(x).dtype(), 0), ShapeOf(x).dtype(), DimsOf(x));
}

Tensor ones_like(const Tensor& x, Where where) {
  const OpContext context{"ones_like", where};
  context.Defined(x);
  return Filled(context, NumberOf(ShapeOf(x).dtype(), 1), ShapeOf(x).dtype(), DimsOf(x));
}

Tensor arange(const Dim& n, DType dtype, Where where) {
  return Counted({"arange", where}, {n}, 0, dtype);
}

Tensor iota(const Dims& shape, int axis, DType dtype, Where where) {
  return Counted({"iota", where}, shape, axis, dtype);
}

Tensor size(const Tensor& x, int i, Where where) {
  const OpContext context{"size", where};
  context.Defined(x);
  const int dimension = context.Axis(i, ShapeOf(x).rank());
  const ir::Dim extent = ShapeOf(x).dim(dimension);
  if (extent.is_static() && extent.upper_bound() > std::numeric_limits<int32_t>::max()) {
    context.Fail("got dimension ", dimension, " of ", runtime::Text(x),
                 ", expected at most 2147483647 elements, since the result is s32; use dim()");
  }
  return runtime::ApplyOp("size", where, absl::MakeConstSpan(&x, 1), [&](Graph& g, NodeSpan nodes) {
    return g.DimensionSize(nodes[0], dimension);
  });
}

}  // namespace swage
