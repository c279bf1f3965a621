#include "tests/differential/random_graph.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "tests/differential/graph_parts.h"

namespace swage::differential {
namespace {

using ir::Dim;
using ir::Dims;
using ir::DType;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;

class Generator : public GraphParts {
 public:
  Generator(uint64_t seed, const GraphOptions& options) : GraphParts("random", seed, options) {}

  std::unique_ptr<ir::Module> Make() {
    const int parameters = 1 + Below(3);
    for (int i = 0; i < parameters; ++i) {
      Keep(builder_.Parameter(i, Shape::Array(AnyDType(), AnyDims())));
    }
    if (Wild(3)) {
      const Shape shape = Shape::Array(AnyDType(), {Dim(1 + Below(9)), Dim(1 + Below(9))});
      Keep(builder_.Iota(shape, Below(2)));
    }
    while (entry_->instruction_count() < parameters + options_.ops) AddOp();
    return Finish(3);
  }

 private:
  // One time in n; never where there are dots, whose freedom jumps and infinities would magnify.
  bool Wild(int n) { return !options_.dots && Below(n) == 0; }

  DType AnyDType() {
    return OneOf({DType::kF32, DType::kF32, DType::kF32, DType::kF64, DType::kBF16, DType::kF16,
                  DType::kS32, DType::kU8, DType::kS64});
  }
  Dims AnyDims() {
    Dims dims;
    const int rank = Below(4);
    for (int i = 0; i < rank; ++i) {
      dims.push_back(Dim(OneOf<int64_t>({1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33})));
    }
    if (rank > 0 && Below(40) == 0) dims[Below(rank)] = Dim(0);
    return dims;
  }

  Instruction* Any() { return AnyOfNewest(12); }
  // A value of x's shape and dtype: another one if there is, else made from x.
  Instruction* Like(Instruction* x) {
    if (Instruction* const another = AnotherLike(x)) return another;
    return *builder_.BroadcastScalar(AnyNumber(x->shape().dtype()), x->shape().dims());
  }
  // Small numbers, and those that rewrites know: zeros, ones, powers of two, extremes.
  Instruction* AnyNumber(DType dtype) {
    if (!Wild(2)) return builder_.Scalar(dtype, 1 + Below(5));
    if (ir::IsFloat(dtype)) {
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      return builder_.Scalar(dtype, OneOf({0.0, -0.0, 1.0, -1.0, 0.5, 8.0, kInfinity, -kInfinity}));
    }
    const int64_t high = int64_t{1} << (ir::DTypeBits(dtype) - 1) % 63;
    return builder_.Scalar(dtype, OneOf<int64_t>({0, 1, 2, 8, -1, high, high - 1}));
  }
  void Keep(const StatusOr<Instruction*>& made) {
    if (!made.ok() || !(*made)->shape().is_array()) return;
    StatusOr<int64_t> elements = (*made)->shape().NumElements();
    if (!elements.ok() || *elements > 60000) return;
    values_.push_back(*made);
    const auto& operands = (*made)->operands();
    const bool behind_dot = std::any_of(operands.begin(), operands.end(),
                                        [&](Instruction* operand) { return IsBehindDot(operand); });
    if (behind_dot || (*made)->opcode() == Opcode::kDot) behind_dot_.insert(*made);
  }
  // A dot may differ in its last bits, and a jump behind it would make a whole of that.
  bool IsBehindDot(const Instruction* value) const { return behind_dot_.contains(value); }

  void AddOp() {
    Instruction* x = Any();
    switch (Below(16)) {
      case 0:
      case 1:
      case 2:
        return AddUnary(x);
      case 3:
      case 4:
      case 5:
        return AddBinary(x);
      case 6:
        return AddSelect(x);
      case 7:
        return AddBroadcast(x);
      case 8:
        return AddReshapeOrTranspose(x);
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
        return AddConvert(x);
      default:
        return options_.dots && Below(2) == 0 ? AddDot(x) : AddIndexed(x);
    }
  }

  void AddConvert(Instruction* x) {
    // A wider type would promise digits that the dot does not have.
    Keep(builder_.Convert(x, IsBehindDot(x) ? DType::kBF16 : AnyDType()));
  }

  void AddUnary(Instruction* x) {
    if (IsBehindDot(x)) {
      return Keep(
          builder_.Unary(OneOf({Opcode::kAbs, Opcode::kNegate, Opcode::kExp, Opcode::kTanh,
                                Opcode::kLogistic, Opcode::kSin, Opcode::kErf, Opcode::kExpm1}),
                         x));
    }
    if (ir::IsFloat(x->shape().dtype())) {
      return Keep(
          builder_.Unary(OneOf({Opcode::kAbs, Opcode::kNegate, Opcode::kExp, Opcode::kTanh,
                                Opcode::kLog, Opcode::kSqrt, Opcode::kRsqrt, Opcode::kFloor,
                                Opcode::kSign, Opcode::kLogistic, Opcode::kSin, Opcode::kErf,
                                Opcode::kExpm1, Opcode::kRoundNearestEven, Opcode::kCbrt}),
                         x));
    }
    if (Wild(3)) return Keep(builder_.Unary(Opcode::kNegate, x));
    Keep(builder_.Unary(OneOf({Opcode::kNot, Opcode::kPopulationCount, Opcode::kClz}), x));
  }

  void AddBinary(Instruction* x) {
    Instruction* y = Like(x);
    if (IsBehindDot(x) || IsBehindDot(y)) {
      return Keep(builder_.Binary(OneOf({Opcode::kAdd, Opcode::kSubtract, Opcode::kMultiply,
                                         Opcode::kMaximum, Opcode::kMinimum}),
                                  x, y));
    }
    if (ir::IsFloat(x->shape().dtype())) {
      return Keep(builder_.Binary(OneOf({Opcode::kAdd, Opcode::kSubtract, Opcode::kMultiply,
                                         Opcode::kDivide, Opcode::kMaximum, Opcode::kMinimum,
                                         Opcode::kPower, Opcode::kAtan2, Opcode::kRemainder}),
                                  x, y));
    }
    if (Wild(4)) {
      return Keep(builder_.Binary(OneOf({Opcode::kMinimum, Opcode::kOr, Opcode::kPower}), x, y));
    }
    Keep(builder_.Binary(
        OneOf({Opcode::kAdd, Opcode::kSubtract, Opcode::kMultiply, Opcode::kDivide,
               Opcode::kRemainder, Opcode::kMaximum, Opcode::kAnd, Opcode::kXor, Opcode::kShiftLeft,
               Opcode::kShiftRightArithmetic, Opcode::kShiftRightLogical}),
        x, y));
  }

  void AddSelect(Instruction* x) {
    Instruction* y = Like(x);
    if (IsBehindDot(x) || IsBehindDot(y)) return;
    StatusOr<Instruction*> pred = builder_.Compare(
        x, y,
        OneOf({ir::CompareDirection::kLt, ir::CompareDirection::kGe, ir::CompareDirection::kNe}));
    if (pred.ok() && Wild(4)) pred = builder_.Unary(Opcode::kNot, *pred);
    if (pred.ok()) Keep(builder_.Select(*pred, x, Like(x)));
    if (Wild(3)) Keep(builder_.Clamp(Like(x), x, Like(x)));
  }

  void AddBroadcast(Instruction* x) {
    Keep(AnyBroadcast(
        x, [this] { return Dim(2 + Below(6)); }, [this] { return Dim(1 + Below(4)); }));
  }

  void AddReshapeOrTranspose(Instruction* x) {
    const int rank = x->shape().rank();
    if (Below(2) == 0) return Keep(AnyTranspose(x));
    // Merge two neighbours, or add a dimension of 1.
    Dims dims(x->shape().dims().begin(), x->shape().dims().end());
    if (rank >= 2 && Below(2) == 0) {
      const int at = Below(rank - 1);
      dims[at] = dims[at] * dims[at + 1];
      dims.erase(dims.begin() + at + 1);
    } else {
      dims.insert(dims.begin() + Below(rank + 1), Dim(1));
    }
    Keep(builder_.Reshape(x, dims));
  }

  void AddSlice(Instruction* x) {
    if (Below(3) == 0) return Keep(builder_.Reverse(x, SomeDimensions(x)));
    std::vector<Dim> starts, limits;
    std::vector<int64_t> strides;
    for (const Dim& dim : x->shape().dims()) {
      const int extent = static_cast<int>(*dim.static_value());
      const int start = extent == 0 ? 0 : Below(extent);
      starts.push_back(Dim(start));
      limits.push_back(Dim(start + (extent == start ? 0 : Below(extent - start + 1))));
      strides.push_back(1 + Below(3));
    }
    Keep(builder_.Slice(x, starts, limits, strides));
  }

  void AddPad(Instruction* x) {
    std::vector<ir::PadAttrs::Entry> entries;
    for (const Dim& dim : x->shape().dims()) {
      const int64_t extent = *dim.static_value();
      ir::PadAttrs::Entry entry;
      entry.low = Dim(Below(4) - (extent > 2 ? 1 : 0));
      entry.high = Dim(Below(4));
      entry.interior = Below(3) == 0 ? 1 : 0;
      entries.push_back(entry);
    }
    Keep(builder_.Pad(x, builder_.Scalar(x->shape().dtype(), Below(3)), entries));
  }

  void AddConcatenate(Instruction* x) {
    if (x->shape().rank() == 0) return;
    Keep(builder_.Concatenate({x, Like(x), x}, Below(x->shape().rank())));
  }

  void AddReduce(Instruction* x) {
    const std::vector<int64_t> dimensions = SomeDimensions(x);
    const Opcode combiner =
        OneOf({Opcode::kAdd, Opcode::kMaximum, Opcode::kMultiply, Opcode::kMinimum});
    Instruction* init = builder_.Scalar(x->shape().dtype(), combiner == Opcode::kMultiply ? 1 : 0);
    Keep(builder_.ReduceSimple(x, init, dimensions, combiner));
  }

  void AddIndexed(Instruction* x) {
    const int rank = x->shape().rank();
    if (rank == 0) return;
    std::vector<Instruction*> starts;
    std::vector<Dim> sizes;
    for (const Dim& dim : x->shape().dims()) {
      const int extent = static_cast<int>(*dim.static_value());
      starts.push_back(builder_.Scalar(DType::kS32, Below(12) - 3));
      sizes.push_back(Dim(extent == 0 ? 0 : 1 + Below(extent)));
    }
    StatusOr<Instruction*> window = builder_.DynamicSlice(x, starts, sizes);
    if (!window.ok() || Below(2) == 0) return Keep(window);
    Keep(builder_.DynamicUpdateSlice(x, *window, starts));
  }

  void AddDot(Instruction* x) {
    if (x->shape().rank() == 0 || !ir::IsFloat(x->shape().dtype())) return;
    const int last = x->shape().rank() - 1;
    Instruction* number = builder_.Scalar(x->shape().dtype(), 1);
    StatusOr<Instruction*> y = builder_.BroadcastScalar(
        number, {x->shape().dim(last), Dim(OneOf<int64_t>({1, 3, 16, 33}))});
    ir::DotAttrs attrs;
    attrs.lhs_contracting = {last};
    attrs.rhs_contracting = {0};
    if (y.ok()) Keep(builder_.Dot(x, *y, attrs));
  }

  absl::flat_hash_set<const Instruction*> behind_dot_;  // a dot is among what they are made of
};

}  // namespace

std::unique_ptr<ir::Module> RandomGraph(uint64_t seed, const GraphOptions& options) {
  return Generator(seed, options).Make();
}

}  // namespace swage::differential
