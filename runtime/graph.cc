#include "runtime/graph.h"

#include <limits>

namespace swage::runtime {

using ir::Opcode;
using ir::Shape;

Node Graph::Fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
  return nullptr;
}

Node Graph::Add(Opcode opcode, absl::Span<const Node> operands, ir::Attributes attributes,
                const Shape* declared, ir::Computation* called) {
  if (!status_.ok()) return nullptr;
  std::vector<ir::Computation*> computations;
  if (called != nullptr) computations.push_back(called);
  StatusOr<Node> added =
      builder_.Build(opcode, operands, std::move(attributes), std::move(computations), declared);
  return added.ok() ? *added : Fail(added.status());
}

Node Graph::Constant(ir::Literal literal) {
  if (!status_.ok()) return nullptr;
  return builder_.Constant(std::move(literal));
}

Node Graph::Iota(ir::DType dtype, DimSpan dims, int64_t dimension) {
  const Shape shape = Shape::Array(dtype, dims);
  return Add(Opcode::kIota, {}, ir::IotaAttrs{dimension}, &shape);
}

Node Graph::Compare(ir::CompareDirection direction, Node a, Node b) {
  const Node operands[] = {a, b};
  return Add(Opcode::kCompare, operands, ir::CompareAttrs{direction});
}

Node Graph::Select(Node condition, Node a, Node b) {
  return Add(Opcode::kSelect, {condition, a, b});
}

Node Graph::Convert(Node x, ir::DType dtype) {
  if (!status_.ok() || x->shape().dtype() == dtype) return status_.ok() ? x : nullptr;
  const Shape shape = Shape::Array(dtype, x->shape().dims());
  return Add(Opcode::kConvert, absl::MakeConstSpan(&x, 1), ir::NoneAttrs{}, &shape);
}

Node Graph::BitcastConvert(Node x, ir::DType dtype) {
  if (!status_.ok() || x->shape().dtype() == dtype) return status_.ok() ? x : nullptr;
  const Shape shape = Shape::Array(dtype, x->shape().dims());
  return Add(Opcode::kBitcastConvert, absl::MakeConstSpan(&x, 1), ir::NoneAttrs{}, &shape);
}

Node Graph::Splat(Node scalar, DimSpan dims) { return BroadcastInDim(scalar, dims, {}); }

Node Graph::BroadcastInDim(Node x, DimSpan dims, const ir::DimList& places) {
  if (!status_.ok()) return nullptr;
  if (x->shape().dims() == dims) return x;
  const Shape shape = Shape::Array(x->shape().dtype(), dims);
  return Add(Opcode::kBroadcast, absl::MakeConstSpan(&x, 1), ir::DimensionsAttrs{places}, &shape);
}

Node Graph::BroadcastTo(Node x, DimSpan dims) {
  if (!status_.ok() || x->shape().dims() == dims) return status_.ok() ? x : nullptr;
  // HLO's broadcast repeats along new dimensions only, so those of extent 1 go away first.
  const int rank = x->shape().rank();
  const int offset = static_cast<int>(dims.size()) - rank;
  ir::Dims kept;
  ir::DimList places;
  for (int i = 0; i < rank; ++i) {
    if (x->shape().dim(i) != dims[offset + i]) continue;
    kept.push_back(x->shape().dim(i));
    places.push_back(offset + i);
  }
  return BroadcastInDim(Reshape(x, kept), dims, places);
}

Node Graph::Reshape(Node x, DimSpan dims) {
  if (!status_.ok() || x->shape().dims() == dims) return status_.ok() ? x : nullptr;
  const Shape shape = Shape::Array(x->shape().dtype(), dims);
  return Add(Opcode::kReshape, absl::MakeConstSpan(&x, 1), ir::NoneAttrs{}, &shape);
}

Node Graph::Transpose(Node x, const ir::DimList& permutation) {
  bool identity = true;
  for (size_t i = 0; i < permutation.size(); ++i) {
    identity = identity && permutation[i] == static_cast<int64_t>(i);
  }
  if (!status_.ok() || identity) return status_.ok() ? x : nullptr;
  return Add(Opcode::kTranspose, absl::MakeConstSpan(&x, 1), ir::DimensionsAttrs{permutation});
}

Node Graph::Reverse(Node x, const ir::DimList& dimensions) {
  if (!status_.ok() || dimensions.empty()) return status_.ok() ? x : nullptr;
  return Add(Opcode::kReverse, absl::MakeConstSpan(&x, 1), ir::DimensionsAttrs{dimensions});
}

Node Graph::Concatenate(absl::Span<const Node> xs, int64_t dimension) {
  if (!status_.ok()) return nullptr;
  if (xs.size() == 1) return xs[0];
  return Add(Opcode::kConcatenate, xs, ir::DimensionsAttrs{{dimension}});
}

Node Graph::Slice(Node x, ir::SliceAttrs attributes) {
  return Add(Opcode::kSlice, absl::MakeConstSpan(&x, 1), std::move(attributes));
}

Node Graph::Pad(Node x, Node value, ir::PadAttrs attributes) {
  const Node operands[] = {x, value};
  return Add(Opcode::kPad, operands, std::move(attributes));
}

Node Graph::DimensionSize(Node x, int64_t dimension) {
  return Add(Opcode::kGetDimensionSize, absl::MakeConstSpan(&x, 1),
             ir::DimensionsAttrs{{dimension}});
}

Node Graph::DynamicSlice(Node x, absl::Span<const Node> starts, std::vector<ir::Dim> sizes) {
  std::vector<Node> operands = {x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return Add(Opcode::kDynamicSlice, operands, ir::DynamicSliceAttrs{std::move(sizes)});
}

Node Graph::DynamicUpdateSlice(Node x, Node update, absl::Span<const Node> starts) {
  std::vector<Node> operands = {x, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return Add(Opcode::kDynamicUpdateSlice, operands);
}

Node Graph::Gather(Node x, Node indices, ir::GatherAttrs attributes) {
  const Node operands[] = {x, indices};
  return Add(Opcode::kGather, operands, std::move(attributes));
}

Node Graph::Reduce(Opcode opcode, Node x, Node init, const ir::DimList& axes) {
  if (!status_.ok() || axes.empty()) return status_.ok() ? x : nullptr;
  const Node operands[] = {x, init};
  return Add(Opcode::kReduce, operands, ir::DimensionsAttrs{axes}, nullptr,
             combiners_->Binary(builder_.computation()->module(), opcode, x->shape().dtype()));
}

Node Graph::ReduceExtreme(bool largest, Node x, int64_t axis) {
  if (!status_.ok()) return nullptr;
  const ir::DType dtype = x->shape().dtype();
  const Node operands[] = {x, Iota(ir::DType::kS32, x->shape().dims(), axis),
                           Constant(largest ? LowestOf(dtype) : HighestOf(dtype)),
                           Number(ir::DType::kS32, 0)};
  if (!status_.ok()) return nullptr;
  return TupleElement(Add(Opcode::kReduce, operands, ir::DimensionsAttrs{{axis}}, nullptr,
                          combiners_->Extreme(builder_.computation()->module(), largest, dtype)),
                      1);
}

Node Graph::Dot(Node a, Node b, ir::DotAttrs attributes, ir::DType result) {
  if (!status_.ok()) return nullptr;
  // Only the dtype of the declared shape is a wish; the rule infers the dims.
  const Shape wish = Shape::Scalar(result);
  const Node operands[] = {a, b};
  return Convert(Add(Opcode::kDot, operands, std::move(attributes), &wish), result);
}

Node Graph::Call(ir::Computation* computation, absl::Span<const Node> operands) {
  return Add(Opcode::kCall, operands, ir::NoneAttrs{}, nullptr, computation);
}

Node Graph::Tuple(absl::Span<const Node> elements) { return Add(Opcode::kTuple, elements); }

Node Graph::TupleElement(Node tuple, int64_t index) {
  return Add(Opcode::kGetTupleElement, absl::MakeConstSpan(&tuple, 1), ir::TupleIndexAttrs{index});
}

ir::Computation* Combiners::Binary(ir::Module* module, Opcode opcode, ir::DType dtype) {
  ir::Computation*& made = made_[{static_cast<int>(opcode), dtype}];
  if (made != nullptr) return made;
  made = module->AddComputation(absl::StrCat("combine_", ToAbsl(ir::OpcodeName(opcode))));
  const Shape scalar = Shape::Scalar(dtype);
  const Node operands[] = {made->AddParameter(0, scalar, "a"), made->AddParameter(1, scalar, "b")};
  made->set_root(made->Add(opcode, scalar, operands));
  return made;
}

ir::Computation* Combiners::Extreme(ir::Module* module, bool largest, ir::DType dtype) {
  ir::Computation*& made = made_[{largest ? -1 : -2, dtype}];
  if (made != nullptr) return made;
  made = module->AddComputation(largest ? "combine_argmax" : "combine_argmin");
  const Shape value = Shape::Scalar(dtype);
  const Shape place = Shape::Scalar(ir::DType::kS32);
  const Node a = made->AddParameter(0, value, "a");
  const Node a_place = made->AddParameter(1, place, "a_place");
  const Node b = made->AddParameter(2, value, "b");
  const Node b_place = made->AddParameter(3, place, "b_place");
  Graph g(made, this);
  using enum ir::CompareDirection;
  Node better = g.Compare(largest ? kGt : kLt, a, b);
  Node tie = g.Compare(kEq, a, b);
  if (ir::IsFloat(dtype)) {
    const Node a_nan = g.Compare(kNe, a, a);
    const Node b_nan = g.Compare(kNe, b, b);
    better =
        g.Binary(Opcode::kOr, better, g.Binary(Opcode::kAnd, a_nan, g.Unary(Opcode::kNot, b_nan)));
    tie = g.Binary(Opcode::kOr, tie, g.Binary(Opcode::kAnd, a_nan, b_nan));
  }
  const Node take_a =
      g.Binary(Opcode::kOr, better, g.Binary(Opcode::kAnd, tie, g.Compare(kLt, a_place, b_place)));
  const Node results[] = {g.Select(take_a, a, b), g.Select(take_a, a_place, b_place)};
  made->set_root(g.Tuple(results));
  SWAGE_CHECK(g.status().ok());
  return made;
}

namespace {

// The bound of an integer dtype, as its bits.
ir::Literal IntegerBound(ir::DType dtype, bool highest) {
  const int bits = ir::DTypeBits(dtype);
  if (ir::IsSigned(dtype)) {
    const int64_t top = static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1);
    return ir::Literal::Scalar(dtype, highest ? top : -top - 1);
  }
  return ir::Literal::Scalar(dtype, highest ? ~uint64_t{0} >> (64 - bits) : uint64_t{0});
}

ir::Literal BoundOf(ir::DType dtype, bool highest) {
  if (dtype == ir::DType::kPred) return ir::Literal::Scalar(dtype, highest ? 1 : 0);
  if (!ir::IsFloat(dtype)) return IntegerBound(dtype, highest);
  // f8e4m3fn has no infinity: its largest number bounds all others.
  constexpr double kLargestF8E4M3FN = 448;
  const double top =
      dtype == ir::DType::kF8E4M3FN ? kLargestF8E4M3FN : std::numeric_limits<double>::infinity();
  return ir::Literal::Scalar(dtype, highest ? top : -top);
}

}  // namespace

ir::Literal LowestOf(ir::DType dtype) { return BoundOf(dtype, false); }
ir::Literal HighestOf(ir::DType dtype) { return BoundOf(dtype, true); }

}  // namespace swage::runtime
