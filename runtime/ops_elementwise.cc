// Elementwise ops of ops.h.
#include <cmath>
#include <limits>

#include "runtime/op_support.h"

namespace swage {

using ir::Opcode;
using runtime::Graph;
using runtime::Node;
using runtime::OpContext;
using runtime::ShapeOf;
using NodeSpan = absl::Span<const Node>;
using Compare = ir::CompareDirection;

namespace {

Tensor One(const Tensor& x, Where where, std::string_view op,
           absl::FunctionRef<Node(Graph&, Node)> body) {
  return runtime::ApplyOp(op, where, absl::MakeConstSpan(&x, 1),
                          [&](Graph& g, NodeSpan nodes) { return body(g, nodes[0]); });
}

bool KeepsIntegers(Opcode opcode) {
  return opcode == Opcode::kCeil || opcode == Opcode::kFloor || opcode == Opcode::kRoundNearestEven;
}

Tensor Unary(const Tensor& x, Where where, std::string_view op, Opcode opcode) {
  const OpContext context{op, where};
  context.Defined(x);
  const ir::DType dtype = ShapeOf(x).dtype();
  // HLO's rules leave these out; numpy's results are plain.
  if (ir::IsInteger(dtype) && KeepsIntegers(opcode)) return x;
  if (ir::IsUnsigned(dtype) && opcode == Opcode::kAbs) return x;
  if (ir::IsUnsigned(dtype) && opcode == Opcode::kSign) return minimum(x, 1, where);
  runtime::RequireOpcodeDType(context, opcode, x);
  return One(x, where, op, [&](Graph& g, Node node) { return g.Unary(opcode, node); });
}

Tensor Binary(const Operand& a, const Operand& b, Where where, std::string_view op, Opcode opcode) {
  const OpContext context{op, where};
  const auto [x, y] = context.Adapt(a, b);
  runtime::RequireOpcodeDType(context, opcode, x);
  return runtime::ApplyBinary(context, x, y,
                              [&](Graph& g, Node p, Node q) { return g.Binary(opcode, p, q); });
}

Tensor Comparison(const Operand& a, const Operand& b, Where where, std::string_view op,
                  Compare direction) {
  const OpContext context{op, where};
  const auto [x, y] = context.Adapt(a, b);
  return runtime::ApplyBinary(context, x, y,
                              [&](Graph& g, Node p, Node q) { return g.Compare(direction, p, q); });
}

Node NotZero(Graph& g, Node x) {
  if (x == nullptr || x->shape().dtype() == ir::DType::kPred) return x;
  return g.Compare(Compare::kNe, x, g.NumberLike(x, 0));
}

Node IsNegative(Graph& g, Node x) { return g.Compare(Compare::kLt, x, g.NumberLike(x, 0)); }

}  // namespace

#define SWAGE_DEFINE_UNARY(function, opcode, doc)         \
  Tensor function(const Tensor& x, Where where) {         \
    return Unary(x, where, #function, Opcode::k##opcode); \
  }
SWAGE_UNARY_OPS(SWAGE_DEFINE_UNARY)
#undef SWAGE_DEFINE_UNARY

namespace {

// Integer remainders of HLO are x where the divisor is 0; numpy's are 0.
Node IntegerRemainder(Graph& g, Node x, Node y) {
  const Node zero = g.NumberLike(y, 0);
  return g.Select(g.Compare(Compare::kEq, y, zero), zero, g.Binary(Opcode::kRemainder, x, y));
}

Node FmodBody(Graph& g, Node x, Node y) {
  return ir::IsInteger(x->shape().dtype()) ? IntegerRemainder(g, x, y)
                                           : g.Binary(Opcode::kRemainder, x, y);
}

}  // namespace

#define SWAGE_DEFINE_BINARY(function, opcode, doc)                   \
  Tensor function(const Operand& a, const Operand& b, Where where) { \
    if constexpr (Opcode::k##opcode == Opcode::kRemainder) {         \
      const OpContext context{#function, where};                     \
      const auto [x, y] = context.Adapt(a, b);                       \
      runtime::RequireOpcodeDType(context, Opcode::kRemainder, x);   \
      return runtime::ApplyBinary(context, x, y, FmodBody);          \
    } else {                                                         \
      return Binary(a, b, where, #function, Opcode::k##opcode);      \
    }                                                                \
  }
SWAGE_BINARY_OPS(SWAGE_DEFINE_BINARY)
#undef SWAGE_DEFINE_BINARY

Tensor square(const Tensor& x, Where where) {
  const OpContext context{"square", where};
  runtime::RequireOpcodeDType(context, Opcode::kMultiply, x);
  return One(x, where, "square",
             [](Graph& g, Node n) { return g.Binary(Opcode::kMultiply, n, n); });
}

Tensor reciprocal(const Tensor& x, Where where) {
  OpContext{"reciprocal", where}.Float(x);
  return One(x, where, "reciprocal",
             [](Graph& g, Node n) { return g.Binary(Opcode::kDivide, g.NumberLike(n, 1), n); });
}

Tensor trunc(const Tensor& x, Where where) {
  const OpContext context{"trunc", where};
  context.Defined(x);
  if (ir::IsInteger(ShapeOf(x).dtype())) return x;
  context.Float(x);
  return One(x, where, "trunc", [](Graph& g, Node n) {
    return g.Select(IsNegative(g, n), g.Unary(Opcode::kCeil, n), g.Unary(Opcode::kFloor, n));
  });
}

Tensor isfinite(const Tensor& x, Where where) {
  OpContext{"isfinite", where}.Defined(x);
  return One(x, where, "isfinite", [](Graph& g, Node n) {
    if (ir::IsFloat(n->shape().dtype())) return g.Unary(Opcode::kIsFinite, n);
    return g.Splat(g.Number(ir::DType::kPred, 1), n->shape().dims());
  });
}

Tensor isnan(const Tensor& x, Where where) {
  OpContext{"isnan", where}.Defined(x);
  return One(x, where, "isnan", [](Graph& g, Node n) { return g.Compare(Compare::kNe, n, n); });
}

Tensor isinf(const Tensor& x, Where where) {
  OpContext{"isinf", where}.Defined(x);
  return One(x, where, "isinf", [](Graph& g, Node n) {
    const ir::DType dtype = n->shape().dtype();
    // f8e4m3fn has no infinity.
    if (!ir::IsFloat(dtype) || dtype == ir::DType::kF8E4M3FN) {
      return g.Splat(g.Number(ir::DType::kPred, 0), n->shape().dims());
    }
    return g.Compare(Compare::kEq, g.Unary(Opcode::kAbs, n), g.NumberLike(n, HUGE_VAL));
  });
}

Tensor logical_not(const Tensor& x, Where where) {
  OpContext{"logical_not", where}.Defined(x);
  return One(x, where, "logical_not", [](Graph& g, Node n) {
    if (n->shape().dtype() == ir::DType::kPred) return g.Unary(Opcode::kNot, n);
    return g.Compare(Compare::kEq, n, g.NumberLike(n, 0));
  });
}

Tensor divide(const Operand& a, const Operand& b, Where where) {
  const OpContext context{"divide", where};
  const auto [x, y] = context.Adapt(a, b);
  if (!ir::IsFloat(ShapeOf(x).dtype())) {
    context.Fail("got ", runtime::Text(x), " and ", runtime::Text(y),
                 ", expected float dtypes; use floor_divide (towards minus infinity), div (towards "
                 "zero), or convert");
  }
  return runtime::ApplyBinary(
      context, x, y, [](Graph& g, Node p, Node q) { return g.Binary(Opcode::kDivide, p, q); });
}

Tensor div(const Operand& a, const Operand& b, Where where) {
  const OpContext context{"div", where};
  const auto [x, y] = context.Adapt(a, b);
  if (ShapeOf(x).dtype() == ir::DType::kPred) {
    context.Fail("got ", runtime::Text(x), ", expected a number dtype; use convert");
  }
  return runtime::ApplyBinary(
      context, x, y, [](Graph& g, Node p, Node q) { return g.Binary(Opcode::kDivide, p, q); });
}

namespace {

// Whether the remainder m of a division by y is to be moved by one y: it has the other sign.
Node SignsDiffer(Graph& g, Node m, Node y) {
  const Node nonzero = g.Compare(Compare::kNe, m, g.NumberLike(m, 0));
  return g.Binary(Opcode::kAnd, nonzero,
                  g.Compare(Compare::kNe, IsNegative(g, m), IsNegative(g, y)));
}

// Zero with the sign of y.
Node SignedZero(Graph& g, Node y) {
  return g.Select(IsNegative(g, y), g.NumberLike(y, -0.0), g.NumberLike(y, 0.0));
}

Node FloatRemainder(Graph& g, Node x, Node y) {
  const Node m = g.Binary(Opcode::kRemainder, x, y);
  const Node moved = g.Select(SignsDiffer(g, m, y), g.Binary(Opcode::kAdd, m, y), m);
  return g.Select(g.Compare(Compare::kEq, m, g.NumberLike(m, 0)), SignedZero(g, y), moved);
}

// numpy's: the quotient of x less its remainder, which is nearly whole, is brought to the whole
// number.
Node FloatFloorDivide(Graph& g, Node x, Node y) {
  const Node m = g.Binary(Opcode::kRemainder, x, y);
  const Node plain = g.Binary(Opcode::kDivide, x, y);
  const Node one = g.NumberLike(x, 1);
  Node q = g.Binary(Opcode::kDivide, g.Binary(Opcode::kSubtract, x, m), y);
  q = g.Select(SignsDiffer(g, m, y), g.Binary(Opcode::kSubtract, q, one), q);
  const Node floor = g.Unary(Opcode::kFloor, q);
  const Node above =
      g.Compare(Compare::kGt, g.Binary(Opcode::kSubtract, q, floor), g.NumberLike(x, 0.5));
  Node whole = g.Select(above, g.Binary(Opcode::kAdd, floor, one), floor);
  const Node zero = g.NumberLike(x, 0.0);
  const Node signed_zero = g.Binary(Opcode::kMultiply, plain, zero);
  whole = g.Select(g.Compare(Compare::kEq, q, zero), signed_zero, whole);
  return g.Select(g.Compare(Compare::kEq, y, zero), plain, whole);
}

Node IntegerFloorDivide(Graph& g, Node x, Node y) {
  const Node zero = g.NumberLike(y, 0);
  Node q = g.Binary(Opcode::kDivide, x, y);
  if (q != nullptr && ir::IsSigned(q->shape().dtype())) {
    const Node m = g.Binary(Opcode::kRemainder, x, y);
    q = g.Select(SignsDiffer(g, m, y), g.Binary(Opcode::kSubtract, q, g.NumberLike(q, 1)), q);
  }
  return g.Select(g.Compare(Compare::kEq, y, zero), zero, q);
}

Node IntegerFloorRemainder(Graph& g, Node x, Node y) {
  const Node m = IntegerRemainder(g, x, y);
  if (m == nullptr || !ir::IsSigned(m->shape().dtype())) return m;
  return g.Select(SignsDiffer(g, m, y), g.Binary(Opcode::kAdd, m, y), m);
}

}  // namespace

Tensor floor_divide(const Operand& a, const Operand& b, Where where) {
  const OpContext context{"floor_divide", where};
  const auto [x, y] = context.Adapt(a, b);
  runtime::RequireOpcodeDType(context, Opcode::kRemainder, x);
  return runtime::ApplyBinary(
      context, x, y, ir::IsFloat(ShapeOf(x).dtype()) ? FloatFloorDivide : IntegerFloorDivide);
}

Tensor remainder(const Operand& a, const Operand& b, Where where) {
  const OpContext context{"remainder", where};
  const auto [x, y] = context.Adapt(a, b);
  runtime::RequireOpcodeDType(context, Opcode::kRemainder, x);
  return runtime::ApplyBinary(
      context, x, y, ir::IsFloat(ShapeOf(x).dtype()) ? FloatRemainder : IntegerFloorRemainder);
}

Tensor right_shift(const Operand& a, const Operand& b, Where where) {
  const OpContext context{"right_shift", where};
  const auto [x, y] = context.Adapt(a, b);
  runtime::RequireOpcodeDType(context, Opcode::kShiftLeft, x);
  const Opcode opcode =
      ir::IsSigned(ShapeOf(x).dtype()) ? Opcode::kShiftRightArithmetic : Opcode::kShiftRightLogical;
  return runtime::ApplyBinary(context, x, y,
                              [&](Graph& g, Node p, Node q) { return g.Binary(opcode, p, q); });
}

Tensor equal(const Operand& a, const Operand& b, Where where) {
  return Comparison(a, b, where, "equal", Compare::kEq);
}
Tensor not_equal(const Operand& a, const Operand& b, Where where) {
  return Comparison(a, b, where, "not_equal", Compare::kNe);
}
Tensor less(const Operand& a, const Operand& b, Where where) {
  return Comparison(a, b, where, "less", Compare::kLt);
}
Tensor less_equal(const Operand& a, const Operand& b, Where where) {
  return Comparison(a, b, where, "less_equal", Compare::kLe);
}
Tensor greater(const Operand& a, const Operand& b, Where where) {
  return Comparison(a, b, where, "greater", Compare::kGt);
}
Tensor greater_equal(const Operand& a, const Operand& b, Where where) {
  return Comparison(a, b, where, "greater_equal", Compare::kGe);
}

Tensor logical_and(const Operand& a, const Operand& b, Where where) {
  const OpContext context{"logical_and", where};
  const auto [x, y] = context.Adapt(a, b);
  return runtime::ApplyBinary(context, x, y, [](Graph& g, Node p, Node q) {
    return g.Binary(Opcode::kAnd, NotZero(g, p), NotZero(g, q));
  });
}

Tensor logical_or(const Operand& a, const Operand& b, Where where) {
  const OpContext context{"logical_or", where};
  const auto [x, y] = context.Adapt(a, b);
  return runtime::ApplyBinary(context, x, y, [](Graph& g, Node p, Node q) {
    return g.Binary(Opcode::kOr, NotZero(g, p), NotZero(g, q));
  });
}

namespace {

// Three tensors broadcast to one shape.
Tensor ApplyTernary(const OpContext& context, const Tensor& a, const Tensor& b, const Tensor& c,
                    absl::FunctionRef<Node(Graph&, Node, Node, Node)> body) {
  const ir::Dims first = context.Broadcast(a, b);
  // The dims alone matter here, so a stand-in of the first two does.
  const Tensor both(
      std::make_shared<internal::TensorImpl>(ir::Shape::Array(ShapeOf(b).dtype(), first), nullptr));
  const ir::Dims dims = context.Broadcast(both, c);
  const Tensor operands[] = {a, b, c};
  return runtime::ApplyOp(context.op, context.where, operands, [&](Graph& g, NodeSpan nodes) {
    Node all[3];
    for (int i = 0; i < 3; ++i) all[i] = g.BroadcastTo(nodes[i], dims);
    return g.status().ok() ? body(g, all[0], all[1], all[2]) : nullptr;
  });
}

}  // namespace

Tensor where(const Tensor& condition, const Operand& a, const Operand& b, Where where) {
  const OpContext context{"where", where};
  context.Defined(condition);
  if (ShapeOf(condition).dtype() != ir::DType::kPred) {
    context.Fail("got the condition ", runtime::Text(condition),
                 ", expected pred; use a comparison, or convert");
  }
  const auto [x, y] = context.Adapt(a, b);
  return ApplyTernary(context, condition, x, y,
                      [](Graph& g, Node p, Node t, Node f) { return g.Select(p, t, f); });
}

Tensor clip(const Operand& x, const Operand& low, const Operand& high, Where where) {
  const OpContext context{"clip", where};
  if (!x.is_tensor()) context.Fail("got a number to clip, expected a Tensor");
  context.Defined(x.tensor());
  const Tensor lower = context.AsTensor(low, x.tensor());
  const Tensor upper = context.AsTensor(high, x.tensor());
  return ApplyTernary(context, lower, x.tensor(), upper, [](Graph& g, Node l, Node n, Node h) {
    return g.Binary(Opcode::kMinimum, g.Binary(Opcode::kMaximum, n, l), h);
  });
}

Tensor convert(const Tensor& x, DType dtype, Where where) {
  OpContext{"convert", where}.Defined(x);
  const ir::DType to = runtime::ToIr(dtype);
  if (ShapeOf(x).dtype() == to) return x;
  return One(x, where, "convert", [&](Graph& g, Node n) { return g.Convert(n, to); });
}

Tensor bitcast(const Tensor& x, DType dtype, Where where) {
  const OpContext context{"bitcast", where};
  context.Defined(x);
  const ir::DType from = ShapeOf(x).dtype();
  const ir::DType to = runtime::ToIr(dtype);
  if (from == to) return x;
  const bool pred = from == ir::DType::kPred || to == ir::DType::kPred;
  if (pred || ir::DTypeBits(from) != ir::DTypeBits(to)) {
    context.Fail("got ", runtime::Text(x), " and ", ToAbsl(DTypeName(dtype)),
                 ", expected dtypes of the same width, not pred; use convert");
  }
  return One(x, where, "bitcast", [&](Graph& g, Node n) { return g.BitcastConvert(n, to); });
}

}  // namespace swage
