// File: codegen/emit/schedules/loop.cc
#include "codegen/emit/schedules/loop.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "codegen/emit/schedules/leaves.h"
#include "codegen/emit/schedules/row_cache.h"
#include "codegen/emit/schedules/threads.h"
#include "codegen/emit/types.h"

namespace swage::emit {

using ir::Dim;

namespace {

class LoopKernel {
 public:
  LoopKernel(const KernelPlan& plan, ValueEmitter& e)
      : plan_(plan), e_(e), b_(e.b()), index_(plan.space.MakeIndex(e.arena(), &axes_)) {}

  Status Emit(llvm::Value* begin, llvm::Value* end);
  Status EmitThread();

 private:
  bool HasLanes() const { return plan_.schedule != Schedule::kRowReduction && !axes_.empty(); }
  // One element per thread, of which nobody else has a part.
  bool HasOneElement() const {
    return plan_.options.is_gpu() && !plan_.by_teams() && plan_.width == 1;
  }
  // Binds the first `count` axes to the position `task` in their product.
  Status BindAxes(llvm::Value* task, int count);
  Status EmitTask(llvm::Value* task);
  Status EmitLanes(llvm::Value* lo, llvm::Value* hi);
  Status EmitTeamLanes(llvm::Value* lo, llvm::Value* hi);
  // The row of a row tile, whose expensive values the reduction has kept if they fit.
  Status EmitCachedRow(const RowCachePlan& cache, llvm::Value* extent);
  // Computes the outputs with `rank` dims at the current index, then stores them.
  Status EmitLeaves(int rank);
  Status StoreLeaves(IndexId index, const std::vector<llvm::Value*>& values);
  int rank() const { return static_cast<int>(plan_.space.parts_per_dim.size()); }

  const KernelPlan& plan_;
  ValueEmitter& e_;
  llvm::IRBuilder<>& b_;
  std::vector<AxisId> axes_;
  IndexId index_;
};

Status LoopKernel::Emit(llvm::Value* begin, llvm::Value* end) {
  if (HasLanes() && axes_.size() == 1 && plan_.block > 0) {
    // Neighbouring tasks are neighbouring blocks: one loop over all of them.
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * extent, e_.indices().DimValue(plan_.space.extent(0)));
    llvm::Value* block = b_.getInt64(plan_.block);
    llvm::Value* hi = Smaller(b_, b_.CreateMul(end, block), extent);
    return EmitLanes(b_.CreateMul(begin, block), hi);
  }
  return e_.nest().For(begin, end, 1, nullptr, [&](llvm::Value* task, std::vector<llvm::Value*>*) {
    return EmitTask(task);
  });
}

Status LoopKernel::EmitThread() {
  ThreadGrid& grid = *e_.grid();
  llvm::Value* task = plan_.by_teams() ? grid.Team() : grid.Thread();
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * tasks, e_.indices().DimValue(plan_.tasks));
  if (plan_.sharing == Sharing::kColumns) {
    llvm::Value* last = b_.CreateSub(tasks, b_.getInt64(1));
    task = Smaller(b_, grid.Column(), last);
    return e_.nest().Scoped([&] { return EmitTask(task); });
  }
  return e_.nest().If(b_.CreateICmpSLT(task, tasks),
                      [&] { return e_.nest().Scoped([&] { return EmitTask(task); }); });
}

Status LoopKernel::BindAxes(llvm::Value* task, int count) {
  for (int a = count - 1; a >= 0; --a) {
    if (a == 0) {
      e_.nest().Bind(axes_[a], task);
      break;
    }
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * extent, e_.indices().DimValue(plan_.space.extent(a)));
    llvm::Value* quotient = b_.CreateUDiv(task, extent);
    e_.nest().Bind(axes_[a], b_.CreateSub(task, b_.CreateMul(quotient, extent)));
    task = quotient;
  }
  return OkStatus();
}

Status LoopKernel::EmitTask(llvm::Value* task) {
  const int count = static_cast<int>(axes_.size());
  if (!HasLanes() || HasOneElement()) {
    SWAGE_RETURN_IF_ERROR(BindAxes(task, count));
    SWAGE_RETURN_IF_ERROR(EmitLeaves(rank() - 1));
    return EmitLeaves(rank());
  }
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * extent,
                         e_.indices().DimValue(plan_.space.extent(count - 1)));
  llvm::Value* lo = b_.getInt64(0);
  llvm::Value* hi = extent;
  if (plan_.block > 0) {
    llvm::Value* block = b_.getInt64(plan_.block);
    if (count == 1) {
      lo = b_.CreateMul(task, block);
    } else {
      SWAGE_ASSIGN_OR_RETURN(
          llvm::Value * blocks,
          e_.indices().DimValue(ir::CeilDiv(plan_.space.extent(count - 1), Dim(plan_.block))));
      // Short rows are one block each, and a division would take longer than they do.
      llvm::Value* several =
          e_.nest().At(0, [&] { return b_.CreateICmpSGT(blocks, b_.getInt64(1)); });
      std::vector<llvm::Value*> place{task, lo};
      SWAGE_RETURN_IF_ERROR(e_.nest().IfCarried(several, &place, [&] {
        llvm::Value* row = b_.CreateUDiv(task, blocks);
        place = {row, b_.CreateMul(b_.CreateSub(task, b_.CreateMul(row, blocks)), block)};
        return OkStatus();
      }));
      task = place[0];
      lo = place[1];
    }
    hi = Smaller(b_, b_.CreateAdd(lo, block), extent);
  }
  SWAGE_RETURN_IF_ERROR(BindAxes(task, count - 1));
  // The threads of a team have no array in common that a row of any length would fit into.
  std::optional<RowCachePlan> cache;
  if (!plan_.by_teams()) cache = FindRowCache(plan_);
  if (cache && plan_.block == 0) return EmitCachedRow(*cache, extent);
  SWAGE_RETURN_IF_ERROR(EmitLeaves(rank() - 1));
  return EmitLanes(lo, hi);
}

Status LoopKernel::EmitLanes(llvm::Value* lo, llvm::Value* hi) {
  SWAGE_ASSIGN_OR_RETURN(
      llvm::Value * extent,
      e_.indices().DimValue(plan_.space.extent(static_cast<int>(axes_.size()) - 1)));
  const auto body = [&] { return EmitLeaves(rank()); };
  if (plan_.by_teams()) return EmitTeamLanes(lo, hi);
  if (plan_.options.is_gpu()) {
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * aligned,
                           EmitAreMultiples(plan_.vector_dims, plan_.width, e_));
    return e_.nest().VectorOrElements(axes_.back(), {lo, hi, extent}, plan_.width, aligned, body);
  }
  if (plan_.is_large && plan_.options.masked_tails) {
    return e_.nest().MaskedLoop(axes_.back(), {lo, hi, extent}, plan_.width, body);
  }
  return e_.nest().LaneLoop(axes_.back(), {lo, hi, extent}, plan_.width, plan_.options.masked_tails,
                            body);
}

// Neighbouring threads take neighbouring elements.
Status LoopKernel::EmitTeamLanes(llvm::Value* lo, llvm::Value* hi) {
  llvm::Value* first = b_.CreateAdd(lo, e_.grid()->ThreadInTeam());
  return e_.nest().For(first, hi, e_.grid()->TeamSize(), nullptr,
                       [&](llvm::Value* at, std::vector<llvm::Value*>*) {
                         e_.nest().current().threads_differ = true;
                         e_.nest().current().lanes = {axes_.back(), 1, nullptr};
                         e_.nest().Bind(axes_.back(), at);
                         return EmitLeaves(rank());
                       });
}

Status LoopKernel::EmitCachedRow(const RowCachePlan& cache, llvm::Value* extent) {
  const ir::DType dtype = cache.value->shape().dtype();
  llvm::Type* type = StoredType(b_.getContext(), dtype);
  const auto exprs = e_.arena().Exprs(index_);
  const IndexId row = e_.arena().Index(exprs.first(exprs.size() - 1));
  const AxisId axis =
      e_.InnerAxis(cache.reduce, row, kAlways, rank() - 1, cache.value->shape().dim(rank() - 1));
  const auto row_exprs = e_.arena().Exprs(row);
  std::vector<ExprId> element(row_exprs.begin(), row_exprs.end());
  element.push_back(e_.arena().Axis(axis));
  const int64_t capacity = RowCacheElements(dtype);
  const ValueEmitter::Record record{cache.value, e_.arena().Index(element), axis,
                                    e_.nest().Alloca(type, capacity + plan_.width, 64), capacity};
  e_.set_record(&record);
  SWAGE_RETURN_IF_ERROR(e_.Value(cache.reduce, row).status());
  e_.set_record(nullptr);
  SWAGE_RETURN_IF_ERROR(EmitLeaves(rank() - 1));
  llvm::Value* fits = b_.CreateICmpSLE(extent, b_.getInt64(capacity));
  SWAGE_RETURN_IF_ERROR(e_.nest().If(fits, [&] {
    return e_.nest().LaneLoop(
        axes_.back(), {b_.getInt64(0), extent, extent}, plan_.width, plan_.options.masked_tails,
        [&] {
          llvm::Value* slot = b_.CreateGEP(type, record.slots, e_.nest().AxisValue(axes_.back()));
          llvm::Value* kept = b_.CreateAlignedLoad(VectorOf(type, e_.nest().lanes().width), slot,
                                                   llvm::Align(ir::DTypeBytes(dtype)));
          e_.Preset(cache.value, index_, FromStored(b_, dtype, kept));
          return EmitLeaves(rank());
        });
  }));
  return e_.nest().If(b_.CreateNot(fits), [&] { return EmitLanes(b_.getInt64(0), extent); });
}

Status LoopKernel::EmitLeaves(int rank) {
  IndexId index = index_;
  if (rank < 0) return OkStatus();
  if (rank < this->rank()) index = e_.arena().Index(e_.arena().Exprs(index_).first(rank));
  // All are computed before any is stored: an output may lie where an input lay.
  std::vector<llvm::Value*> values(plan_.leaves.size(), nullptr);
  for (size_t i = 0; i < plan_.leaves.size(); ++i) {
    const Leaf& leaf = plan_.leaves[i];
    if (leaf.shape.rank() != rank) continue;
    if (leaf.value->shape().is_tuple()) {
      SWAGE_ASSIGN_OR_RETURN(Values all, e_.All(leaf.value, index));
      values[i] = all[leaf.element];
    } else {
      SWAGE_ASSIGN_OR_RETURN(values[i], e_.Value(leaf.value, index));
    }
  }
  if (!e_.HasTeamHere() && !e_.HasColumnHere()) return StoreLeaves(index, values);
  if (std::all_of(values.begin(), values.end(), [](llvm::Value* v) { return v == nullptr; })) {
    return OkStatus();
  }
  // All threads that share the task have the values; they have read what they were made of.
  ThreadGrid& grid = *e_.grid();
  SWAGE_RETURN_IF_ERROR(grid.Sync());
  llvm::Value* stores = nullptr;
  if (plan_.by_teams()) {
    stores = b_.CreateICmpEQ(grid.ThreadInTeam(), b_.getInt64(0));
  } else {
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * tasks, e_.indices().DimValue(plan_.tasks));
    stores = b_.CreateAnd(b_.CreateICmpEQ(grid.Line(), b_.getInt64(0)),
                          b_.CreateICmpSLT(grid.Column(), tasks));
  }
  return e_.nest().If(stores, [&] { return StoreLeaves(index, values); });
}

Status LoopKernel::StoreLeaves(IndexId index, const std::vector<llvm::Value*>& values) {
  for (size_t i = 0; i < plan_.leaves.size(); ++i) {
    if (values[i] == nullptr) continue;
    SWAGE_RETURN_IF_ERROR(StoreLeaf(plan_, i, index, values[i], e_));
  }
  return OkStatus();
}

}  // namespace

Status EmitLoopKernel(const KernelPlan& plan, ValueEmitter& e, llvm::Value* begin,
                      llvm::Value* end) {
  LoopKernel kernel(plan, e);
  return kernel.Emit(begin, end);
}

Status EmitLoopThread(const KernelPlan& plan, ValueEmitter& e) {
  LoopKernel kernel(plan, e);
  return kernel.EmitThread();
}

}  // namespace swage::emit
