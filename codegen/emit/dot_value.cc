// File: codegen/emit/dot_value.cc
//
// A dot inside another kernel: one accumulator per lane, the contracting dimensions as serial
// loops.
#include <vector>

#include "codegen/emit/dot_arithmetic.h"
#include "codegen/emit/fusion_analysis.h"
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
    llvm::Type* type = VectorOf(LaneType(b.getContext(), acc_dtype_), width_);
    std::vector<llvm::Value*> acc{llvm::Constant::getNullValue(type)};
    SWAGE_RETURN_IF_ERROR(Loop(0, &acc));
    return e_.Convert(acc_dtype_, op_->shape().dtype(), acc[0]);
  }

 private:
  Status Loop(size_t level, std::vector<llvm::Value*>* acc) {
    if (level == axes_.size()) {
      SWAGE_ASSIGN_OR_RETURN(llvm::Value * lhs, e_.Value(op_->operand(0), at_.lhs, guard_));
      SWAGE_ASSIGN_OR_RETURN(llvm::Value * rhs, e_.Value(op_->operand(1), at_.rhs, guard_));
      SWAGE_ASSIGN_OR_RETURN(lhs, e_.Convert(op_->operand(0)->shape().dtype(), acc_dtype_, lhs));
      SWAGE_ASSIGN_OR_RETURN(rhs, e_.Convert(op_->operand(1)->shape().dtype(), acc_dtype_, rhs));
      (*acc)[0] = MultiplyAdd(e_.b(), acc_dtype_, Splat(e_.b(), lhs, width_),
                              Splat(e_.b(), rhs, width_), (*acc)[0]);
      return OkStatus();
    }
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * extent,
                           e_.indices().DimValue(e_.arena().extent(axes_[level])));
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
  int width_ = 1;
  std::vector<AxisId> axes_;
  DotIndices at_{};
};

}  // namespace

StatusOr<llvm::Value*> EmitDot(ValueEmitter& e, const Instruction* op, IndexId index,
                               GuardId guard) {
  if (ir::IsComplex(op->shape().dtype())) return Unimplemented("[emit] dot of complex numbers");
  DotValue dot(e, op, index, guard);
  return dot.Emit();
}

}  // namespace swage::emit
