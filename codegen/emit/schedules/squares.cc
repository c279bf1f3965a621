#include "codegen/emit/schedules/squares.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "codegen/emit/schedules/crossings.h"
#include "codegen/emit/schedules/leaves.h"
#include "codegen/emit/schedules/loop.h"
#include "codegen/emit/types.h"

namespace swage::emit {

using ir::Dim;

namespace {

// A warp reads and writes 64 bytes of a line or more.
constexpr int kSide = kWarp;
constexpr int kSideOfSmall = 2 * kWarp;
constexpr int kSmallBytes = 2;

// Elements from one line of a square to the next: neighbours of a column lie in different banks of
// 4 bytes.
int64_t PitchOf(int64_t side, int bytes) { return side + std::max(1, 4 / bytes); }

class SquareKernel {
 public:
  SquareKernel(const KernelPlan& plan, ValueEmitter& e)
      : plan_(plan),
        e_(e),
        b_(e.b()),
        grid_(*e.grid()),
        index_(plan.space.MakeIndex(e.arena(), &axes_)) {}

  Status Emit();

 private:
  // Positions along the rows of the operands, or along the lanes of the output.
  struct Range {
    llvm::Value* begin;
    llvm::Value* end;
    llvm::Value* extent;
  };

  Status EmitSquare();
  // Puts a square of the operand into its slots: every line has the lanes of one row.
  Status Fill(const Crossing& crossing, const ValueEmitter::Tile& tile, Range rows, Range lanes);
  // What the kernel computes of it.
  Status EmitElements(Range rows, Range lanes);
  // Takes `task` apart: the number inside `extent` is returned, the rest stays.
  StatusOr<llvm::Value*> Take(Dim extent, llvm::Value** task);
  // The part of the axis that is the square's.
  StatusOr<Range> TakeSide(int axis, llvm::Value** task);
  llvm::Value* Plus(llvm::Value* value, int64_t more) {
    return b_.CreateAdd(value, b_.getInt64(more));
  }
  // The thread's place in the block.
  llvm::Value* X() { return grid_.ThreadInTeam(); }
  llvm::Value* Y() { return grid_.Line(); }
  AxisId rows_axis() const { return axes_[plan_.rows_axis]; }
  AxisId lanes_axis() const { return axes_.back(); }

  const KernelPlan& plan_;
  ValueEmitter& e_;
  llvm::IRBuilder<>& b_;
  ThreadGrid& grid_;
  std::vector<AxisId> axes_;
  IndexId index_;
};

Status SquareKernel::Emit() {
  std::vector<llvm::Value*> none;
  return e_.nest().IfElse(
      grid_.IsFlat(), &none,
      [&] {
        KernelPlan flat = plan_;
        flat.schedule = Schedule::kLoop;
        flat.sharing = Sharing::kNothing;
        flat.tasks = plan_.flat_tasks;
        return EmitLoopThread(flat, e_);
      },
      [&] { return e_.nest().Scoped([&] { return EmitSquare(); }); });
}

StatusOr<llvm::Value*> SquareKernel::Take(Dim extent, llvm::Value** task) {
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * count, e_.indices().DimValue(extent));
  llvm::Value* quotient = b_.CreateUDiv(*task, count);
  llvm::Value* inside = b_.CreateSub(*task, b_.CreateMul(quotient, count));
  *task = quotient;
  return inside;
}

StatusOr<SquareKernel::Range> SquareKernel::TakeSide(int axis, llvm::Value** task) {
  const Dim extent = plan_.space.extent(axis);
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * number, Take(ir::CeilDiv(extent, Dim(plan_.block)), task));
  Range range{};
  SWAGE_ASSIGN_OR_RETURN(range.extent, e_.indices().DimValue(extent));
  range.begin = b_.CreateMul(number, b_.getInt64(plan_.block));
  range.end = Smaller(b_, Plus(range.begin, plan_.block), range.extent);
  return range;
}

Status SquareKernel::EmitSquare() {
  FusionAnalysis analysis(&e_.arena());
  for (const Leaf& leaf : plan_.leaves) SWAGE_RETURN_IF_ERROR(analysis.Visit(leaf.value, index_));
  const std::vector<Crossing> crossings =
      CrossingsOf(e_.arena(), analysis, rows_axis(), lanes_axis(), plan_.options);
  const int last = static_cast<int>(axes_.size()) - 1;
  llvm::Value* task = grid_.Block();
  SWAGE_ASSIGN_OR_RETURN(const Range lanes, TakeSide(last, &task));
  SWAGE_ASSIGN_OR_RETURN(const Range rows, TakeSide(plan_.rows_axis, &task));
  for (int a = last - 1; a >= 0; --a) {
    if (a == plan_.rows_axis) continue;
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * at, Take(plan_.space.extent(a), &task));
    e_.nest().Bind(axes_[a], at);
  }
  std::vector<ValueEmitter::Tile> tiles;
  for (const Crossing& crossing : crossings) {
    const ir::DType dtype = crossing.parameter->shape().dtype();
    const int64_t pitch = PitchOf(plan_.block, ir::DTypeBytes(dtype));
    llvm::Value* slots = grid_.Shared(StoredType(b_.getContext(), dtype), plan_.block * pitch);
    tiles.push_back({crossing.parameter, crossing.index, rows_axis(), lanes_axis(), rows.begin,
                     lanes.begin, slots, pitch});
    SWAGE_RETURN_IF_ERROR(Fill(crossing, tiles.back(), rows, lanes));
  }
  SWAGE_RETURN_IF_ERROR(grid_.Sync());
  e_.set_tiles(std::move(tiles));
  SWAGE_RETURN_IF_ERROR(EmitElements(rows, lanes));
  e_.set_tiles({});
  return OkStatus();
}

Status SquareKernel::Fill(const Crossing& crossing, const ValueEmitter::Tile& tile, Range rows,
                          Range lanes) {
  const ir::DType dtype = crossing.parameter->shape().dtype();
  llvm::Type* type = StoredType(b_.getContext(), dtype);
  const llvm::Align align(ir::DTypeBytes(dtype));
  // Behind the end the last element is read again, without a branch, so that all loads are under
  // way before the first is stored.
  const auto inside = [&](Range range, llvm::Value* at) {
    return Smaller(b_, b_.CreateAdd(range.begin, at), Plus(range.extent, -1));
  };
  std::vector<std::pair<llvm::Value*, llvm::Value*>> loads;  // slot and value
  for (int64_t down = 0; down < plan_.block; down += kColumnShares) {
    for (int64_t along = 0; along < plan_.block; along += kWarp) {
      llvm::Value* row = Plus(X(), along);
      llvm::Value* lane = Plus(Y(), down);
      SWAGE_RETURN_IF_ERROR(e_.nest().Scoped([&]() -> Status {
        e_.nest().current().threads_differ = true;
        e_.nest().Bind(rows_axis(), inside(rows, row));
        e_.nest().Bind(lanes_axis(), inside(lanes, lane));
        SWAGE_ASSIGN_OR_RETURN(llvm::Value * offset, e_.indices().Scalar(crossing.offset));
        llvm::Value* from = e_.buffer(static_cast<int>(crossing.parameter->parameter_number()));
        llvm::Value* value = b_.CreateAlignedLoad(type, b_.CreateGEP(type, from, offset), align);
        llvm::Value* at = b_.CreateAdd(b_.CreateMul(row, b_.getInt64(tile.pitch)), lane);
        loads.emplace_back(b_.CreateGEP(type, tile.slots, at), value);
        return OkStatus();
      }));
    }
  }
  for (const auto& [slot, value] : loads) b_.CreateAlignedStore(value, slot, align);
  return OkStatus();
}

Status SquareKernel::EmitElements(Range rows, Range lanes) {
  const auto bound = [&](AxisId axis, llvm::Value* at) {
    e_.nest().current().threads_differ = true;
    e_.nest().Bind(axis, at);
  };
  llvm::Value* first_lane = b_.CreateAdd(lanes.begin, X());
  llvm::Value* first_row = b_.CreateAdd(rows.begin, Y());
  return e_.nest().For(
      first_lane, lanes.end, kWarp, nullptr, [&](llvm::Value* lane, std::vector<llvm::Value*>*) {
        bound(lanes_axis(), lane);
        return e_.nest().For(first_row, rows.end, kColumnShares, nullptr,
                             [&](llvm::Value* row, std::vector<llvm::Value*>*) {
                               bound(rows_axis(), row);
                               return EmitLeaves(
                                   plan_, std::vector<IndexId>(plan_.leaves.size(), index_), e_);
                             });
      });
}

}  // namespace

StatusOr<KernelPlan> PlanSquares(KernelPlan plan) {
  SWAGE_ASSIGN_OR_RETURN(const CrossedLoop loop, FindCrossings(plan));
  if (loop.rows_axis < 0) return plan;
  SWAGE_RET_CHECK(plan.width == 1, "vectors across an operand");
  plan.schedule = Schedule::kTranspose;
  plan.sharing = Sharing::kSquares;
  plan.rows_axis = loop.rows_axis;
  plan.block = loop.bytes <= kSmallBytes ? kSideOfSmall : kSide;
  plan.shared_extent = plan.block * plan.block;
  plan.flat_tasks = plan.tasks;
  plan.tasks = 1;
  const int last = plan.space.axis_count() - 1;
  for (int a = 0; a <= last; ++a) {
    const bool is_side = a == last || a == plan.rows_axis;
    const Dim extent = plan.space.extent(a);
    plan.tasks *= is_side ? ir::CeilDiv(extent, Dim(plan.block)) : extent;
  }
  return plan;
}

Status EmitSquares(const KernelPlan& plan, ValueEmitter& e) {
  SquareKernel kernel(plan, e);
  return kernel.Emit();
}

}  // namespace swage::emit
