#include "tests/differential/open_graph.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "tests/differential/graph_parts.h"

namespace swage::differential {
namespace {

using ir::Builder;
using ir::Dim;
using ir::Dims;
using ir::DType;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;

constexpr int kMaxElements = 20000;  // at the bounds

class Generator : public GraphParts {
 public:
  Generator(uint64_t seed, const GraphOptions& options)
      : GraphParts("open", seed, options),
        n_(Dim::Symbol("n", 0, 7)),
        m_(Dim::Symbol("m", 1, 5)),
        k_(Dim::Symbol("k", 0, 4)) {}

  std::unique_ptr<ir::Module> Make() {
    Keep(builder_.Parameter(0, Shape::Array(AnyDType(), {n_, m_})));
    Keep(builder_.Parameter(1, Shape::Array(AnyDType(), {2 * k_ + 1})));
    for (int i = 2; i < 4; ++i) {
      Keep(builder_.Parameter(i, Shape::Array(AnyDType(), AnyDims())));
    }
    Keep(builder_.Iota(Shape::Array(DType::kS32, {n_, m_}), Below(2)));
    Keep(builder_.GetDimensionSize(Any(), 0));
    while (entry_->instruction_count() < 6 + options_.ops) AddOp();
    std::vector<Instruction*> more;
    if (Below(4) == 0) more.push_back(entry_->parameter(0));
    return Finish(4, more);
  }

 private:
  DType AnyDType() {
    return OneOf({DType::kF32, DType::kF32, DType::kF32, DType::kF64, DType::kBF16, DType::kF16,
                  DType::kF8E4M3FN, DType::kF8E5M2, DType::kS32, DType::kU8, DType::kS64,
                  DType::kS4, DType::kPred});
  }
  Dim AnyDim() {
    return OneOf({n_, n_, m_, m_, k_, n_ + m_, 2 * n_, 2 * k_ + 1, n_ + 2, ir::FloorDiv(n_, 2),
                  ir::Max(n_, m_), Dim(1), Dim(2), Dim(3)});
  }
  Dims AnyDims() {
    Dims dims;
    const int rank = 1 + Below(3);
    for (int i = 0; i < rank; ++i) dims.push_back(AnyDim());
    return dims;
  }

  Instruction* Any() { return AnyOfNewest(10); }
  Instruction* AnyNumber(DType dtype) {
    if (!ir::IsFloat(dtype) || options_.dots) return builder_.Scalar(dtype, Below(4));
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return builder_.Scalar(dtype, OneOf({0.0, 0.0, -0.0, 1.0, -1.0, 5.0, kInfinity, -kInfinity}));
  }
  // A value of x's shape and dtype: another one if there is, else one that is made.
  Instruction* Like(Instruction* x) {
    if (Instruction* const another = AnotherLike(x)) return another;
    if (x->shape().rank() > 0 && Below(3) == 0) {
      const auto iota =
          builder_.Iota(Shape::Array(DType::kS32, x->shape().dims()), Below(x->shape().rank()));
      if (iota.ok()) return *builder_.Convert(*iota, x->shape().dtype());
    }
    return *builder_.BroadcastScalar(AnyNumber(x->shape().dtype()), x->shape().dims());
  }
  void Keep(const StatusOr<Instruction*>& made) {
    if (!made.ok() || !(*made)->shape().is_array()) return;
    if ((*made)->shape().rank() > 5) return;
    if ((*made)->shape().num_elements_dim().upper_bound() > kMaxElements) return;
    values_.push_back(*made);
  }

  void AddOp() {
    Instruction* const x = Any();
    switch (Below(18)) {
      case 0:
        return AddUnary(x);
      case 1:
      case 2:
        return AddBinary(x);
      case 3:
        return AddSelect(x);
      case 4:
        return AddBroadcast(x);
      case 5:
      case 6:
        return AddReshape(x);
      case 7:
        return AddTranspose(x);
      case 8:
      case 9:
        return AddSlice(x);
      case 10:
        return AddPad(x);
      case 11:
        return AddConcatenate(x);
      case 12:
      case 13:
        return AddReduce(x);
      case 14:
        return AddAnyReduce(x);
      case 15:
        return AddGather(x);
      case 16:
        return options_.dots ? AddDot(x) : AddSize(x);
      default:
        return AddDynamic(x);
    }
  }

  void AddUnary(Instruction* x) {
    const DType dtype = x->shape().dtype();
    // What jumps would make a whole of the last bits that a dot leaves open.
    if (options_.dots && ir::IsFloat(dtype)) {
      return Keep(builder_.Unary(OneOf({Opcode::kNegate, Opcode::kTanh}), x));
    }
    if (Below(3) == 0) return Keep(builder_.Convert(x, AnyDType()));
    if (dtype == DType::kF32 && Below(6) == 0) {
      return Keep(builder_.BitcastConvert(x, Shape::Array(DType::kS32, x->shape().dims())));
    }
    if (!ir::IsFloat(dtype)) return Keep(builder_.Unary(Opcode::kNot, x));
    Keep(builder_.Unary(OneOf({Opcode::kAbs, Opcode::kNegate, Opcode::kExp, Opcode::kLog,
                               Opcode::kSqrt, Opcode::kRsqrt, Opcode::kSign, Opcode::kLogistic}),
                        x));
  }

  void AddBinary(Instruction* x) {
    Instruction* const y = Like(x);
    if (x->shape().dtype() == DType::kPred) {
      return Keep(builder_.Binary(OneOf({Opcode::kAnd, Opcode::kXor, Opcode::kAdd}), x, y));
    }
    if (options_.dots) {
      return Keep(
          builder_.Binary(OneOf({Opcode::kAdd, Opcode::kSubtract, Opcode::kMaximum}), x, y));
    }
    Keep(builder_.Binary(OneOf({Opcode::kAdd, Opcode::kSubtract, Opcode::kMultiply, Opcode::kDivide,
                                Opcode::kRemainder, Opcode::kMaximum, Opcode::kMinimum}),
                         x, y));
  }

  void AddSelect(Instruction* x) {
    if (options_.dots) return;
    const auto less =
        builder_.Compare(x, Like(x), OneOf({ir::CompareDirection::kLt, ir::CompareDirection::kNe}));
    if (less.ok()) Keep(builder_.Select(*less, x, Like(x)));
    if (less.ok() && Below(3) == 0) Keep(less);
    if (Below(4) != 0) return;
    const DType dtype = x->shape().dtype();
    Keep(builder_.Clamp(AnyNumber(dtype), x, AnyNumber(dtype)));
  }

  void AddBroadcast(Instruction* x) {
    const auto any = [this] { return AnyDim(); };
    Keep(AnyBroadcast(x, any, any));
  }

  // Merges neighbours, splits an even dimension, swaps the factors of two, moves a 1.
  void AddReshape(Instruction* x) {
    Dims dims(x->shape().dims().begin(), x->shape().dims().end());
    const int rank = x->shape().rank();
    const int at = rank == 0 ? 0 : Below(rank);
    const Dim half = rank == 0 ? Dim(0) : ir::FloorDiv(dims[at], 2);
    switch (Below(4)) {
      case 0:
        dims.insert(dims.begin() + at, Dim(1));
        break;
      case 1:
        if (rank == 0 || half * 2 != dims[at]) return;
        dims[at] = Below(2) == 0 ? half : Dim(2);
        dims.insert(dims.begin() + at + 1, dims[at] == Dim(2) ? half : Dim(2));
        break;
      case 2:
        if (at + 1 >= rank) return;
        std::swap(dims[at], dims[at + 1]);
        break;
      default:
        if (at + 1 >= rank) return;
        dims[at] = dims[at] * dims[at + 1];
        dims.erase(dims.begin() + at + 1);
        break;
    }
    Keep(builder_.Reshape(x, dims));
  }

  void AddTranspose(Instruction* x) {
    const std::vector<int64_t> reversed = SomeDimensions(x);
    Keep(Below(2) == 0 ? builder_.Reverse(x, reversed) : AnyTranspose(x));
  }

  void AddSlice(Instruction* x) {
    std::vector<Dim> starts, limits;
    std::vector<int64_t> strides;
    for (const Dim dim : x->shape().dims()) {
      const std::pair<Dim, Dim> window = OneOf({std::pair<Dim, Dim>(0, dim),
                                                {0, dim},
                                                {0, dim},
                                                {1, dim},
                                                {0, 1},
                                                {dim - 1, dim},
                                                {0, dim - 1},
                                                {0, ir::FloorDiv(dim, 2)},
                                                {1, 1}});
      starts.push_back(window.first);
      limits.push_back(window.second);
      strides.push_back(OneOf<int64_t>({1, 1, 1, 2}));
    }
    Keep(builder_.Slice(x, starts, limits, strides));
  }

  void AddPad(Instruction* x) {
    std::vector<ir::PadAttrs::Entry> entries(x->shape().rank());
    for (ir::PadAttrs::Entry& entry : entries) {
      entry.low = OneOf({Dim(0), Dim(0), Dim(0), Dim(2), Dim(-1), k_});
      entry.high = OneOf({Dim(0), Dim(0), Dim(0), Dim(1), Dim(-1), n_});
      entry.interior = OneOf({0, 0, 0, 0, 1});
    }
    Keep(builder_.Pad(x, AnyNumber(x->shape().dtype()), entries));
  }

  void AddConcatenate(Instruction* x) {
    if (x->shape().rank() == 0) return;
    const int d = Below(x->shape().rank());
    Dims dims(x->shape().dims().begin(), x->shape().dims().end());
    dims[d] = AnyDim();
    const auto y = builder_.BroadcastScalar(AnyNumber(x->shape().dtype()), dims);
    if (!y.ok()) return;
    std::vector<Instruction*> parts = {x, Like(x), *y};
    std::shuffle(parts.begin(), parts.end(), random_);
    parts.resize(2 + Below(2));
    Keep(builder_.Concatenate(parts, d));
  }

  void AddReduce(Instruction* x) {
    const DType dtype = x->shape().dtype();
    const std::vector<int64_t> dimensions = SomeDimensions(x);
    Opcode combiner = OneOf({Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum, Opcode::kMultiply});
    if (options_.dots) combiner = Opcode::kMaximum;
    if (!ir::IsFloat(dtype) && Below(2) == 0) {
      combiner = OneOf({Opcode::kAnd, Opcode::kOr, Opcode::kXor});
    }
    Keep(builder_.ReduceSimple(x, AnyNumber(dtype), dimensions, combiner));
  }

  // By a combiner that is neither associative nor known, or of two values.
  void AddAnyReduce(Instruction* x) {
    if (options_.dots) return;
    const std::vector<int64_t> dimensions = SomeDimensions(x);
    const Shape scalar = Shape::Scalar(x->shape().dtype());
    if (x->shape().rank() == 0 || Below(2) == 0) {
      Builder b(module_->AddComputation("later"));
      Instruction* const a = *b.Parameter(0, scalar);
      Instruction* const c = *b.Parameter(1, scalar);
      if (scalar.dtype() == DType::kPred) return;
      b.computation()->set_root(
          Below(4) == 0 ? a : *b.Binary(Opcode::kSubtract, c, *b.Binary(Opcode::kAdd, a, c)));
      return Keep(builder_.Reduce({x}, {AnyNumber(scalar.dtype())}, dimensions, b.computation()));
    }
    Builder b(module_->AddComputation("argmax"));
    Instruction* const a = *b.Parameter(0, scalar);
    Instruction* const i = *b.Parameter(1, Shape::Scalar(DType::kS32));
    Instruction* const c = *b.Parameter(2, scalar);
    Instruction* const j = *b.Parameter(3, Shape::Scalar(DType::kS32));
    Instruction* const first =
        *b.Compare(a, c, OneOf({ir::CompareDirection::kGe, ir::CompareDirection::kLe}));
    b.computation()->set_root(*b.Tuple({*b.Select(first, a, c), *b.Select(first, i, j)}));
    Instruction* const index =
        *builder_.Iota(Shape::Array(DType::kS32, x->shape().dims()), Below(x->shape().rank()));
    const auto both =
        builder_.Reduce({x, index}, {AnyNumber(scalar.dtype()), builder_.Scalar(DType::kS32, -1)},
                        dimensions, b.computation());
    if (!both.ok()) return;
    Keep(builder_.GetTupleElement(*both, 0));
    Keep(builder_.GetTupleElement(*both, 1));
  }

  // Rows that the numbers of another value choose; some are out of range.
  void AddGather(Instruction* x) {
    Instruction* const y = Any();
    const int rank = x->shape().rank(), batch = y->shape().rank();
    if (rank == 0 || batch + rank > 5) return;
    if (options_.dots && ir::IsFloat(y->shape().dtype())) return;
    const auto numbers = builder_.Convert(y, DType::kS32);
    if (!numbers.ok()) return;
    const int row = Below(rank);
    ir::GatherAttrs attrs;
    attrs.collapsed_slice_dims = {row};
    attrs.start_index_map = {row};
    attrs.index_vector_dim = batch;
    for (int d = 0; d < rank; ++d) {
      const Dim dim = x->shape().dim(d);
      const bool whole = Below(4) != 0;
      attrs.slice_sizes.push_back(d == row ? Dim(1) : whole ? dim : ir::FloorDiv(dim, 2));
      if (d != row) attrs.offset_dims.push_back(batch + d - (d > row ? 1 : 0));
    }
    Keep(builder_.Gather(x, *numbers, attrs));
  }

  void AddSize(Instruction* x) {
    if (x->shape().rank() == 0) return;
    Keep(builder_.GetDimensionSize(x, Below(x->shape().rank())));
  }

  void AddDynamic(Instruction* x) {
    std::vector<Instruction*> starts;
    std::vector<Dim> sizes;
    for (const Dim dim : x->shape().dims()) {
      starts.push_back(builder_.Scalar(DType::kS32, Below(8) - 2));
      sizes.push_back(OneOf({dim, dim, Dim(1), ir::FloorDiv(dim, 2)}));
    }
    if (starts.empty()) return;
    const auto window = builder_.DynamicSlice(x, starts, sizes);
    if (!window.ok()) return;
    Keep(window);
    if (Below(2) == 0) return;
    for (Instruction*& start : starts) start = builder_.Scalar(DType::kS32, Below(8) - 2);
    Keep(builder_.DynamicUpdateSlice(x, Like(*window), starts));
  }

  // The product of x with some value, each dimension of x free, batch or contracted.
  void AddDot(Instruction* x) {
    if (x->shape().rank() == 0 || !ir::IsFloat(x->shape().dtype())) return;
    Instruction* const y = Like(x);
    ir::DotAttrs attrs;
    for (int d = 0; d < x->shape().rank(); ++d) {
      const int role = Below(3);
      if (role == 0) continue;
      (role == 1 ? attrs.lhs_batch : attrs.lhs_contracting).push_back(d);
      (role == 1 ? attrs.rhs_batch : attrs.rhs_contracting).push_back(d);
    }
    Keep(builder_.Dot(x, y, attrs));
  }

  const Dim n_, m_, k_;
};

}  // namespace

std::unique_ptr<ir::Module> OpenGraph(uint64_t seed, const GraphOptions& options) {
  return Generator(seed, options).Make();
}

}  // namespace swage::differential
