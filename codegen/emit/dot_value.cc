// File: codegen/emit/dot_value.cc
//
// A dot inside another kernel: one accumulator per lane, the contracting dimensions as serial
// loops.
#include <algorithm>
#include <vector>

#include "codegen/emit/dot_arithmetic.h"
#include "codegen/emit/fusion_analysis.h"
#include "codegen/emit/shared_values.h"
#include "codegen/emit/types.h"
#include "codegen/emit/value_emitter.h"

namespace swage::emit {

using ir::DType;
using ir::Instruction;

namespace {

class DotValue {
 public:
  DotValue(ValueEmitter& e, const Instruction* op, IndexId index, GuardId guard)
      : e_(e), op_(op), index_(index), guard_(guard), acc_dtype_(AccumulatorOf(*op)) {}

  StatusOr<llvm::Value*> Emit() {
    llvm::IRBuilder<>& b = e_.b();
    AxisSet axes = e_.arena().AxesOfIndex(index_);
    if (guard_ != kAlways) axes = Union(axes, e_.arena().AxesOfGuard(guard_));
    width_ = e_.nest().UsesLanes(axes) ? e_.nest().lanes().width : 1;
    std::vector<ExprId> contracting;
    for (int64_t d : op_->attrs<ir::DotAttrs>().lhs_contracting) {
      const ir::Dim extent = op_->operand(0)->shape().dim(static_cast<int>(d));
      axes_.push_back(e_.InnerAxis(op_, index_, guard_, static_cast<int>(axes_.size()), extent));
      contracting.push_back(e_.arena().Axis(axes_.back()));
    }
    at_ = MapDot(e_.arena(), op_, index_, contracting);
    const bool shared =
        width_ == 1 && !axes_.empty() && e_.arena().extent(axes_.back()) != ir::Dim(1);
    if (shared && e_.HasTeamHere()) return EmitByWarp();
    if (shared && e_.HasColumnHere()) return EmitByColumn();
    along_lanes_ = shared && e_.width() > 1 && e_.grid() == nullptr;
    if (along_lanes_) return EmitAlongLanes();
    llvm::Type* type = VectorOf(LaneType(b.getContext(), acc_dtype_), width_);
    std::vector<llvm::Value*> acc{llvm::Constant::getNullValue(type)};
    SWAGE_RETURN_IF_ERROR(Loop(0, &acc));
    return e_.Convert(acc_dtype_, op_->shape().dtype(), acc[0]);
  }

 private:
  // Independent sums of the lanes, so that an addition need not wait for the one before.
  static constexpr int kSums = 4;

  // One side at the current index, in the type of the sum; zero in lanes that do not exist.
  StatusOr<llvm::Value*> Side(int operand, IndexId index) {
    const Instruction* side = op_->operand(operand);
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, e_.Value(side, index, guard_));
    SWAGE_ASSIGN_OR_RETURN(value, e_.Convert(side->shape().dtype(), acc_dtype_, value));
    value = Splat(e_.b(), value, along_lanes_ ? e_.nest().lanes().width : width_);
    llvm::Value* mask = along_lanes_ ? e_.nest().lanes().mask : nullptr;
    if (mask == nullptr) return value;
    return e_.b().CreateSelect(mask, value, llvm::Constant::getNullValue(value->getType()));
  }

  Status Add(llvm::Value** sum) {
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * lhs, Side(0, at_.lhs));
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * rhs, Side(1, at_.rhs));
    *sum = MultiplyAdd(e_.b(), acc_dtype_, lhs, rhs, *sum);
    return OkStatus();
  }

  // The carried values are kSums vectors, and a scalar for a tail without a mask.
  StatusOr<llvm::Value*> EmitAlongLanes() {
    llvm::IRBuilder<>& b = e_.b();
    llvm::Type* type = LaneType(b.getContext(), acc_dtype_);
    llvm::Value* zeros = llvm::Constant::getNullValue(VectorOf(type, e_.width()));
    std::vector<llvm::Value*> sums(kSums, zeros);
    sums.push_back(llvm::Constant::getNullValue(type));
    SWAGE_RETURN_IF_ERROR(Loop(0, &sums));
    llvm::Value* sum = JoinSums(sums);
    for (int half = e_.width() / 2; half >= 1; half /= 2) {
      std::vector<int> low, high;
      for (int i = 0; i < half; ++i) {
        low.push_back(i);
        high.push_back(half + i);
      }
      sum = Plus(b.CreateShuffleVector(sum, low), b.CreateShuffleVector(sum, high));
    }
    sum = Plus(b.CreateExtractElement(sum, uint64_t{0}), sums[kSums]);
    return e_.Convert(acc_dtype_, op_->shape().dtype(), sum);
  }

  llvm::Value* Plus(llvm::Value* x, llvm::Value* y) {
    llvm::IRBuilder<>& b = e_.b();
    if (ir::IsFloat(acc_dtype_)) return b.CreateFAdd(x, y);
    return acc_dtype_ == DType::kPred ? b.CreateOr(x, y) : b.CreateAdd(x, y);
  }

  llvm::Value* JoinSums(const std::vector<llvm::Value*>& sums) {
    return Plus(Plus(sums[0], sums[1]), Plus(sums[2], sums[3]));
  }

  // The last contracting dimension is shared out to the threads of a warp, which all get the sum.
  StatusOr<llvm::Value*> EmitByWarp() {
    share_ = e_.grid()->Lane();
    shares_ = kWarp;
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * sum, ShareOfSum());
    for (int distance = kWarp / 2; distance >= 1; distance /= 2) {
      sum = Plus(sum, e_.grid()->ShuffleDown(sum, distance));
    }
    return e_.Convert(acc_dtype_, op_->shape().dtype(), e_.grid()->FromFirst(sum));
  }

  // The same for the threads of a column, which meet in shared memory.
  StatusOr<llvm::Value*> EmitByColumn() {
    share_ = e_.grid()->Share();
    shares_ = kColumnShares;
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * sum, ShareOfSum());
    SWAGE_ASSIGN_OR_RETURN(const Values total, JoinColumn(e_, {acc_dtype_}, {sum},
                                                          [&](const Values& x, const Values& y,
                                                              int) -> StatusOr<Values> {
                                                            return Values{Plus(x[0], y[0])};
                                                          }));
    return e_.Convert(acc_dtype_, op_->shape().dtype(), total[0]);
  }

  // The sum of what this thread takes of the last contracting dimension: every element whose number
  // is its own, modulo the number of threads.
  StatusOr<llvm::Value*> ShareOfSum() {
    llvm::Type* type = LaneType(e_.b().getContext(), acc_dtype_);
    std::vector<llvm::Value*> sums(kSums, llvm::Constant::getNullValue(type));
    SWAGE_RETURN_IF_ERROR(Loop(0, &sums));
    return JoinSums(sums);
  }

  Status ShareOf(AxisId axis, llvm::Value* extent, std::vector<llvm::Value*>* sums) {
    LoopNest& nest = e_.nest();
    llvm::IRBuilder<>& b = e_.b();
    const auto add = [&](llvm::Value* at, llvm::Value** sum) {
      return nest.Scoped([&] {
        nest.current().threads_differ = true;
        nest.Bind(axis, at);
        return Add(sum);
      });
    };
    const auto at = [&](llvm::Value* k, int j) {
      return b.CreateAdd(k, b.CreateAdd(share_, b.getInt64(int64_t{j} * shares_)));
    };
    const int64_t step = int64_t{kSums} * shares_;
    llvm::Value* end = b.CreateAnd(extent, b.getInt64(-step));
    SWAGE_RETURN_IF_ERROR(nest.For(b.getInt64(0), end, step, sums,
                                   [&](llvm::Value* k, std::vector<llvm::Value*>* now) -> Status {
                                     for (int j = 0; j < kSums; ++j) {
                                       SWAGE_RETURN_IF_ERROR(add(at(k, j), &(*now)[j]));
                                     }
                                     return OkStatus();
                                   }));
    return nest.For(end, extent, shares_, sums,
                    [&](llvm::Value* k, std::vector<llvm::Value*>* now) {
                      llvm::Value* here = at(k, 0);
                      return nest.IfCarried(b.CreateICmpSLT(here, extent), now,
                                            [&] { return add(here, &(*now)[0]); });
                    });
  }

  Status LanesOf(AxisId axis, llvm::Value* extent, std::vector<llvm::Value*>* sums) {
    LoopNest& nest = e_.nest();
    const int width = e_.width();
    llvm::Value* end = e_.b().CreateAnd(extent, e_.b().getInt64(-int64_t{width}));
    SWAGE_RETURN_IF_ERROR(nest.For(
        e_.b().getInt64(0), end, width, sums, [&](llvm::Value* k, std::vector<llvm::Value*>* now) {
          nest.current().lanes = {axis, width, nullptr};
          nest.Bind(axis, k);
          const Status added = Add(&(*now)[0]);
          std::rotate(now->begin(), now->begin() + 1, now->begin() + kSums);
          return added;
        }));
    if (!e_.options().masked_tails) {
      return nest.For(end, extent, 1, sums, [&](llvm::Value* k, std::vector<llvm::Value*>* now) {
        nest.current().lanes = {axis, 1, nullptr};
        nest.Bind(axis, k);
        return Add(&(*now)[kSums]);
      });
    }
    return nest.IfCarried(e_.b().CreateICmpSLT(end, extent), sums, [&] {
      return nest.Scoped([&] {
        nest.current().lanes = nest.MaskedLanes(axis, extent, width);
        nest.Bind(axis, end);
        return Add(&(*sums)[0]);
      });
    });
  }

  Status Loop(size_t level, std::vector<llvm::Value*>* acc) {
    if (level == axes_.size()) return Add(&(*acc)[0]);
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * extent,
                           e_.indices().DimValue(e_.arena().extent(axes_[level])));
    const bool last = level + 1 == axes_.size();
    if (along_lanes_ && last) return LanesOf(axes_[level], extent, acc);
    if (share_ != nullptr && last) return ShareOf(axes_[level], extent, acc);
    return e_.nest().For(e_.b().getInt64(0), extent, 1, acc,
                         [&](llvm::Value* k, std::vector<llvm::Value*>* carried) {
                           e_.nest().Bind(axes_[level], k);
                           return Loop(level + 1, carried);
                         });
  }

  ValueEmitter& e_;
  const Instruction* op_;
  IndexId index_;
  GuardId guard_;
  DType acc_dtype_;
  int width_ = 1;  // lanes in which the result differs
  bool along_lanes_ = false;
  llvm::Value* share_ = nullptr;  // of this thread, of `shares_`; null: nothing is shared
  int shares_ = 1;
  std::vector<AxisId> axes_;
  DotIndices at_{};
};

}  // namespace

StatusOr<llvm::Value*> EmitDot(ValueEmitter& e, const Instruction* op, IndexId index,
                               GuardId guard) {
  const DType out = op->shape().dtype();
  if (ir::IsComplex(out)) {
    return Unimplemented("[emit] dot with a result of ", ToAbsl(ir::DTypeName(out)));
  }
  DotValue dot(e, op, index, guard);
  return dot.Emit();
}

}  // namespace swage::emit
