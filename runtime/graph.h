// File: runtime/graph.h
//
// Graph: adds instructions to a computation, shapes inferred, for the bodies of ops. Errors stick:
// after the first one every call returns null and does nothing, so that a body reads like a formula
// and its caller asks status() once.
//
//   Node shifted = g.Binary(ir::Opcode::kSubtract, x, g.BroadcastTo(max, x->shape().dims()));
//   return g.Unary(ir::Opcode::kExp, shifted);
//
// A conversion, broadcast, reshape or transpose that would change nothing returns its operand.
#ifndef SWAGE_RUNTIME_GRAPH_H_
#define SWAGE_RUNTIME_GRAPH_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/status.h"
#include "compiler/ir/builder.h"
#include "compiler/ir/module.h"

namespace swage::runtime {

using Node = ir::Instruction*;
using DimSpan = absl::Span<const ir::Dim>;

// The scalar computations that a module's reductions share, made when first asked for.
class Combiners {
 public:
  // (a, b) -> opcode(a, b).
  ir::Computation* Binary(ir::Module* module, ir::Opcode opcode, ir::DType dtype);
  // (value, place, value, place) -> the larger (smaller) value and its place; NaN is the largest
  // (smallest) of all, equal values give the lower place.
  ir::Computation* Extreme(ir::Module* module, bool largest, ir::DType dtype);

 private:
  std::map<std::pair<int, ir::DType>, ir::Computation*> made_;
};

class Graph {
 public:
  Graph(ir::Computation* computation, Combiners* combiners)
      : builder_(computation), combiners_(combiners) {}

  const Status& status() const { return status_; }
  // Makes every later call return null; keeps the first error. Returns null.
  Node Fail(Status status);

  // ---- Leaves ----
  Node Constant(ir::Literal literal);
  // A scalar; the value is converted as Literal::Scalar says.
  template <typename T>
  Node Number(ir::DType dtype, T value) {
    return Constant(ir::Literal::Scalar(dtype, value));
  }
  template <typename T>
  Node NumberLike(Node x, T value) {  // of x's dtype and dims
    if (x == nullptr) return nullptr;
    return Splat(Number(x->shape().dtype(), value), x->shape().dims());
  }
  Node Iota(ir::DType dtype, DimSpan dims, int64_t dimension);

  // ---- Elementwise ----
  Node Unary(ir::Opcode opcode, Node x) { return Add(opcode, {x}); }
  Node Binary(ir::Opcode opcode, Node a, Node b) { return Add(opcode, {a, b}); }
  Node Compare(ir::CompareDirection direction, Node a, Node b);
  Node Select(Node condition, Node a, Node b);
  Node Convert(Node x, ir::DType dtype);
  Node BitcastConvert(Node x, ir::DType dtype);

  // ---- Shape ----
  Node Splat(Node scalar, DimSpan dims);
  // numpy's broadcasting of x to `dims`, which it must fit.
  Node BroadcastTo(Node x, DimSpan dims);
  // Dimension i of x becomes dimension places[i] of the result.
  Node BroadcastInDim(Node x, DimSpan dims, const ir::DimList& places);
  Node Reshape(Node x, DimSpan dims);
  Node Transpose(Node x, const ir::DimList& permutation);
  Node Reverse(Node x, const ir::DimList& dimensions);
  Node Concatenate(absl::Span<const Node> xs, int64_t dimension);
  Node Slice(Node x, ir::SliceAttrs attributes);
  Node Pad(Node x, Node value, ir::PadAttrs attributes);
  Node DimensionSize(Node x, int64_t dimension);

  // ---- Data movement ----
  Node DynamicSlice(Node x, absl::Span<const Node> starts, std::vector<ir::Dim> sizes);
  Node DynamicUpdateSlice(Node x, Node update, absl::Span<const Node> starts);
  Node Gather(Node x, Node indices, ir::GatherAttrs attributes);

  // ---- Contractions ----
  // Over `axes` with a binary opcode, from the scalar `init`.
  Node Reduce(ir::Opcode opcode, Node x, Node init, const ir::DimList& axes);
  // s32 place of the extreme value along one axis.
  Node ReduceExtreme(bool largest, Node x, int64_t axis);
  // `result`: dtype of the result; it may be wider than the operands'.
  Node Dot(Node a, Node b, ir::DotAttrs attributes, ir::DType result);

  // ---- Calls ----
  Node Call(ir::Computation* computation, absl::Span<const Node> operands);
  Node Tuple(absl::Span<const Node> elements);
  Node TupleElement(Node tuple, int64_t index);

 private:
  Node Add(ir::Opcode opcode, absl::Span<const Node> operands,
           ir::Attributes attributes = ir::NoneAttrs{}, const ir::Shape* declared = nullptr,
           ir::Computation* called = nullptr);
  Node Add(ir::Opcode opcode, std::initializer_list<Node> operands) {
    return Add(opcode, absl::MakeConstSpan(operands.begin(), operands.size()));
  }

  ir::Builder builder_;
  Combiners* combiners_;
  Status status_;
};

// The lowest (highest) value of a dtype: -inf for floats, false for pred.
ir::Literal LowestOf(ir::DType dtype);
ir::Literal HighestOf(ir::DType dtype);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_GRAPH_H_
