// Products of ops.h.
#include <algorithm>

#include "runtime/op_support.h"

namespace swage {

using ir::Opcode;
using runtime::Graph;
using runtime::Node;
using runtime::OpContext;
using runtime::ShapeOf;
using NodeSpan = absl::Span<const Node>;

namespace {

// Two tensors of one number dtype.
void RequireFactors(const OpContext& context, const Tensor& a, const Tensor& b) {
  context.Defined(a);
  context.Defined(b);
  context.SameDType(a, b);
  if (ShapeOf(a).dtype() == ir::DType::kPred) {
    context.Fail("got ", runtime::Text(a), " and ", runtime::Text(b),
                 ", expected a number dtype; use convert");
  }
}

bool KnownUnequal(ir::Dim a, ir::Dim b) { return ir::ProveEqual(a, b) != ir::Ternary::kYes; }

// The leading dims of both, broadcast.
ir::Dims BatchDims(const OpContext& context, const Tensor& a, const Tensor& b) {
  const ir::Shape& x = ShapeOf(a);
  const ir::Shape& y = ShapeOf(b);
  const int x_batch = std::max(x.rank() - 2, 0), y_batch = std::max(y.rank() - 2, 0);
  const int rank = std::max(x_batch, y_batch);
  ir::Dims dims(rank, ir::Dim(1));
  for (int i = 1; i <= rank; ++i) {
    const ir::Dim p = i <= x_batch ? x.dim(x_batch - i) : ir::Dim(1);
    const ir::Dim q = i <= y_batch ? y.dim(y_batch - i) : ir::Dim(1);
    if (p != q && p != ir::Dim(1) && q != ir::Dim(1)) {
      context.Unequal(p, q);
      context.Fail("got ", runtime::Text(a), " and ", runtime::Text(b),
                   ", expected leading dimensions that broadcast, got extents ", p.ToString(),
                   " and ", q.ToString());
    }
    dims[rank - i] = p == ir::Dim(1) ? q : p;
  }
  return dims;
}

// `x` with its leading dims broadcast to `batch`.
Node WithBatch(Graph& g, Node x, const ir::Dims& batch) {
  if (x == nullptr) return nullptr;
  ir::Dims dims = batch;
  const auto matrix = x->shape().dims().last(2);
  dims.insert(dims.end(), matrix.begin(), matrix.end());
  return g.BroadcastTo(x, dims);
}

ir::DotAttrs BatchedAttrs(int batch) {
  ir::DotAttrs attrs;
  for (int i = 0; i < batch; ++i) {
    attrs.lhs_batch.push_back(i);
    attrs.rhs_batch.push_back(i);
  }
  attrs.lhs_contracting = {batch + 1};
  attrs.rhs_contracting = {batch};
  return attrs;
}

// The dot of operands whose extents have been checked.
Node MatmulBody(Graph& g, Node a, Node b, const ir::Dims& batch, ir::DType result) {
  const int a_rank = a->shape().rank(), b_rank = b->shape().rank();
  if (b_rank <= 2 || a_rank == 1) {
    // At most one side has leading dims: contracting in place needs no broadcast. What is left of
    // a comes before what is left of b.
    ir::DotAttrs attrs;
    attrs.lhs_contracting = {a_rank - 1};
    attrs.rhs_contracting = {b_rank == 1 ? 0 : b_rank - 2};
    return g.Dot(a, b, std::move(attrs), result);
  }
  return g.Dot(WithBatch(g, a, batch), WithBatch(g, b, batch),
               BatchedAttrs(static_cast<int>(batch.size())), result);
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b, std::optional<DType> result, Where where) {
  const OpContext context{"matmul", where};
  RequireFactors(context, a, b);
  const ir::Shape& x = ShapeOf(a);
  const ir::Shape& y = ShapeOf(b);
  if (x.rank() == 0 || y.rank() == 0) {
    context.Fail("got ", runtime::Text(a), " and ", runtime::Text(b),
                 ", expected rank 1 or more; use multiply");
  }
  const int row = std::max(y.rank() - 2, 0);
  if (KnownUnequal(x.dim(x.rank() - 1), y.dim(row))) {
    context.Fail("got ", runtime::Text(a), " and ", runtime::Text(b),
                 ", expected the last dimension of the first (", x.dim(x.rank() - 1).ToString(),
                 ") to equal dimension ", row, " of the second (", y.dim(row).ToString(), ")");
  }
  const ir::Dims batch = BatchDims(context, a, b);
  const ir::DType dtype = result.has_value() ? runtime::ToIr(*result) : x.dtype();
  const Tensor operands[] = {a, b};
  return runtime::ApplyOp("matmul", where, operands, [&](Graph& g, NodeSpan nodes) {
    return MatmulBody(g, nodes[0], nodes[1], batch, dtype);
  });
}

Tensor dot(const Tensor& a, const Tensor& b, Where where) {
  const OpContext context{"dot", where};
  RequireFactors(context, a, b);
  const int x_rank = ShapeOf(a).rank(), y_rank = ShapeOf(b).rank();
  if (x_rank == 0 || y_rank == 0) return multiply(a, b, where);
  const int row = std::max(y_rank - 2, 0);
  if (KnownUnequal(ShapeOf(a).dim(x_rank - 1), ShapeOf(b).dim(row))) {
    context.Fail("got ", runtime::Text(a), " and ", runtime::Text(b),
                 ", expected the last dimension of the first (",
                 ShapeOf(a).dim(x_rank - 1).ToString(), ") to equal dimension ", row,
                 " of the second (", ShapeOf(b).dim(row).ToString(), ")");
  }
  const Tensor operands[] = {a, b};
  return runtime::ApplyOp("dot", where, operands, [&](Graph& g, NodeSpan nodes) {
    ir::DotAttrs attrs;
    attrs.lhs_contracting = {x_rank - 1};
    attrs.rhs_contracting = {row};
    return g.Dot(nodes[0], nodes[1], std::move(attrs), nodes[0]->shape().dtype());
  });
}

Tensor outer(const Tensor& a, const Tensor& b, Where where) {
  const OpContext context{"outer", where};
  RequireFactors(context, a, b);
  const Tensor operands[] = {a, b};
  return runtime::ApplyOp("outer", where, operands, [](Graph& g, NodeSpan nodes) {
    const ir::Dim rows = nodes[0]->shape().num_elements_dim();
    const ir::Dim columns = nodes[1]->shape().num_elements_dim();
    const ir::Dims dims = {rows, columns};
    const ir::Dims flat_a = {rows}, flat_b = {columns};
    return g.Binary(Opcode::kMultiply, g.BroadcastInDim(g.Reshape(nodes[0], flat_a), dims, {0}),
                    g.BroadcastInDim(g.Reshape(nodes[1], flat_b), dims, {1}));
  });
}

Tensor tensordot(const Tensor& a, const Tensor& b, const Axes& a_axes, const Axes& b_axes,
                 Where where) {
  const OpContext context{"tensordot", where};
  RequireFactors(context, a, b);
  if (a_axes.size() != b_axes.size()) {
    context.Fail("got ", a_axes.size(), " and ", b_axes.size(), " axes, expected as many");
  }
  ir::DotAttrs attrs;
  attrs.lhs_contracting = context.AxisList(a_axes, ShapeOf(a).rank());
  attrs.rhs_contracting = context.AxisList(b_axes, ShapeOf(b).rank());
  for (size_t i = 0; i < a_axes.size(); ++i) {
    const int p = static_cast<int>(attrs.lhs_contracting[i]);
    const int q = static_cast<int>(attrs.rhs_contracting[i]);
    if (!KnownUnequal(ShapeOf(a).dim(p), ShapeOf(b).dim(q))) continue;
    context.Fail("got ", runtime::Text(a), " and ", runtime::Text(b), ", expected axis ", p,
                 " of the first (", ShapeOf(a).dim(p).ToString(), ") to equal axis ", q,
                 " of the second (", ShapeOf(b).dim(q).ToString(), ")");
  }
  const Tensor operands[] = {a, b};
  return runtime::ApplyOp("tensordot", where, operands, [&](Graph& g, NodeSpan nodes) {
    return g.Dot(nodes[0], nodes[1], attrs, nodes[0]->shape().dtype());
  });
}

}  // namespace swage
