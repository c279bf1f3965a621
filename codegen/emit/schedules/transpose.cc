#include "codegen/emit/schedules/transpose.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "codegen/emit/schedules/crossings.h"
#include "codegen/emit/schedules/leaves.h"
#include "codegen/emit/types.h"

namespace swage::emit {

using ir::Dim;

namespace {

// Rows of a task: of each line that is read, its neighbours are read soon after.
constexpr int64_t kRows = 64;
// What is turned before it is written, so that several lines of an output go out one after the
// other: memory is slow at single lines that lie far apart. It stays in the nearest cache.
constexpr int64_t kBlockBytes = 16 << 10;
// Lanes of a task.
constexpr int64_t kLanes = 1024;
// Tiles of more lanes do not fit the registers, and take long to compile.
constexpr int kMaxWidth = 16;

// Turns a square of vectors: element k of the i-th becomes element i of the k-th. One bit of both
// numbers at a time.
void Turn(llvm::IRBuilder<>& b, std::vector<llvm::Value*>* rows) {
  const int width = static_cast<int>(rows->size());
  for (int bit = 1; bit < width; bit *= 2) {
    std::vector<int> low(width), high(width);
    for (int k = 0; k < width; ++k) {
      low[k] = (k & bit) == 0 ? k : width + k - bit;
      high[k] = (k & bit) == 0 ? k + bit : width + k;
    }
    for (int i = 0; i < width; ++i) {
      if ((i & bit) != 0) continue;
      llvm::Value*& first = (*rows)[i];
      llvm::Value*& second = (*rows)[i + bit];
      llvm::Value* turned = b.CreateShuffleVector(first, second, low);
      second = b.CreateShuffleVector(first, second, high);
      first = turned;
    }
  }
}

class TransposeKernel {
 public:
  TransposeKernel(const KernelPlan& plan, ValueEmitter& e)
      : plan_(plan), e_(e), b_(e.b()), index_(plan.space.MakeIndex(e.arena(), &axes_)) {}

  Status Emit(llvm::Value* begin, llvm::Value* end);

 private:
  struct Range {
    llvm::Value* begin;
    llvm::Value* end;
  };

  Status EmitTask(llvm::Value* task);
  // What is turned, and then written, at once: the rows of a task times some lanes.
  Status EmitBlock(Range rows, Range lanes);
  // Puts what the block reads of an operand into its slots, the lanes of each row together.
  Status FillBlock(const Crossing& crossing, const ValueEmitter::Tile& tile, Range rows,
                   Range lanes);
  // A square of it, at the current row and lane.
  Status FillSquare(const Crossing& crossing, const ValueEmitter::Tile& tile,
                    llvm::Value* rows_end);
  // What the fusion computes at the current row.
  Status EmitRow(Range lanes);
  StatusOr<llvm::Value*> Extent(int axis) {
    return e_.indices().DimValue(plan_.space.extent(axis));
  }
  StatusOr<llvm::Value*> LaneCount() { return Extent(static_cast<int>(axes_.size()) - 1); }
  // Takes `task` apart: the number inside `extent` is returned, the rest stays.
  StatusOr<llvm::Value*> Take(Dim extent, llvm::Value** task);
  AxisId rows() const { return axes_[plan_.rows_axis]; }
  AxisId lanes() const { return axes_.back(); }

  const KernelPlan& plan_;
  ValueEmitter& e_;
  llvm::IRBuilder<>& b_;
  std::vector<AxisId> axes_;
  IndexId index_;
  std::vector<Crossing> crossings_;
  std::vector<llvm::Value*> slots_;  // of each crossing
  int64_t block_lanes_ = 0;          // a power of two, at least one vector
};

Status TransposeKernel::Emit(llvm::Value* begin, llvm::Value* end) {
  FusionAnalysis analysis(&e_.arena());
  for (const Leaf& leaf : plan_.leaves) SWAGE_RETURN_IF_ERROR(analysis.Visit(leaf.value, index_));
  crossings_ = CrossingsOf(e_.arena(), analysis, rows(), lanes(), plan_.options);
  int64_t row_bytes = 0;
  for (const Crossing& crossing : crossings_) {
    row_bytes += kRows * ir::DTypeBytes(crossing.parameter->shape().dtype());
  }
  block_lanes_ = plan_.width;
  while (block_lanes_ * 2 <= plan_.block && block_lanes_ * 2 * row_bytes <= kBlockBytes) {
    block_lanes_ *= 2;
  }
  for (const Crossing& crossing : crossings_) {
    llvm::Type* type = StoredType(b_.getContext(), crossing.parameter->shape().dtype());
    slots_.push_back(e_.nest().Alloca(type, kRows * block_lanes_, 64));
  }
  return e_.nest().For(begin, end, 1, nullptr, [&](llvm::Value* task, std::vector<llvm::Value*>*) {
    return EmitTask(task);
  });
}

StatusOr<llvm::Value*> TransposeKernel::Take(Dim extent, llvm::Value** task) {
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * count, e_.indices().DimValue(extent));
  llvm::Value* quotient = b_.CreateUDiv(*task, count);
  llvm::Value* inside = b_.CreateSub(*task, b_.CreateMul(quotient, count));
  *task = quotient;
  return inside;
}

Status TransposeKernel::EmitTask(llvm::Value* task) {
  const int last = static_cast<int>(axes_.size()) - 1;
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * lanes_block,
                         Take(ir::CeilDiv(plan_.space.extent(last), Dim(plan_.block)), &task));
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * rows_block,
                         Take(ir::CeilDiv(plan_.space.extent(plan_.rows_axis), Dim(kRows)), &task));
  for (int a = last - 1; a >= 0; --a) {
    if (a == plan_.rows_axis) continue;
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * at, Take(plan_.space.extent(a), &task));
    e_.nest().Bind(axes_[a], at);
  }
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * row_count, Extent(plan_.rows_axis));
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * lane_count, Extent(last));
  const auto end_of = [&](llvm::Value* first, int64_t count, llvm::Value* end) {
    return Smaller(b_, b_.CreateAdd(first, b_.getInt64(count)), end);
  };
  llvm::Value* rows_begin = b_.CreateMul(rows_block, b_.getInt64(kRows));
  llvm::Value* rows_end = end_of(rows_begin, kRows, row_count);
  llvm::Value* lanes_begin = b_.CreateMul(lanes_block, b_.getInt64(plan_.block));
  llvm::Value* lanes_end = end_of(lanes_begin, plan_.block, lane_count);
  return e_.nest().For(
      lanes_begin, lanes_end, block_lanes_, nullptr,
      [&](llvm::Value* lane, std::vector<llvm::Value*>*) {
        return EmitBlock({rows_begin, rows_end}, {lane, end_of(lane, block_lanes_, lanes_end)});
      });
}

Status TransposeKernel::EmitBlock(Range rows, Range lanes) {
  std::vector<ValueEmitter::Tile> tiles;
  for (size_t i = 0; i < crossings_.size(); ++i) {
    tiles.push_back({crossings_[i].parameter, crossings_[i].index, this->rows(), this->lanes(),
                     rows.begin, lanes.begin, slots_[i], block_lanes_});
    SWAGE_RETURN_IF_ERROR(FillBlock(crossings_[i], tiles.back(), rows, lanes));
  }
  e_.set_tiles(std::move(tiles));
  const Status stored = e_.nest().For(rows.begin, rows.end, 1, nullptr,
                                      [&](llvm::Value* row, std::vector<llvm::Value*>*) {
                                        e_.nest().Bind(this->rows(), row);
                                        return EmitRow(lanes);
                                      });
  e_.set_tiles({});
  return stored;
}

Status TransposeKernel::EmitRow(Range lanes) {
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * lane_count, LaneCount());
  return e_.nest().LaneLoop(
      this->lanes(), {lanes.begin, lanes.end, lane_count}, plan_.width, plan_.options.masked_tails,
      [&] { return EmitLeaves(plan_, std::vector<IndexId>(plan_.leaves.size(), index_), e_); });
}

Status TransposeKernel::FillBlock(const Crossing& crossing, const ValueEmitter::Tile& tile,
                                  Range rows, Range lanes) {
  const auto for_squares = [&](Range range, AxisId axis, FunctionRef<Status()> body) {
    return e_.nest().For(range.begin, range.end, plan_.width, nullptr,
                         [&](llvm::Value* at, std::vector<llvm::Value*>*) {
                           e_.nest().Bind(axis, at);
                           return body();
                         });
  };
  return for_squares(lanes, this->lanes(), [&] {
    return for_squares(rows, this->rows(), [&] { return FillSquare(crossing, tile, rows.end); });
  });
}

Status TransposeKernel::FillSquare(const Crossing& crossing, const ValueEmitter::Tile& tile,
                                   llvm::Value* rows_end) {
  const ir::DType dtype = crossing.parameter->shape().dtype();
  llvm::Type* type = StoredType(b_.getContext(), dtype);
  const int width = plan_.width;
  llvm::Type* vector = VectorOf(type, width);
  const int64_t bytes = ir::DTypeBytes(dtype);
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * first, e_.indices().Scalar(crossing.offset));
  SWAGE_ASSIGN_OR_RETURN(
      llvm::Value * stride,
      e_.indices().DimValue(e_.arena().StrideOf(crossing.offset, lanes()).stride));
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * lane_count, LaneCount());
  llvm::Value* row = e_.nest().AxisValue(rows());
  llvm::Value* lane = e_.nest().AxisValue(lanes());
  llvm::Value* base = b_.CreateGEP(type, e_.buffer(crossing.parameter->parameter_number()), first);
  llvm::Value* row_count = b_.CreateTrunc(b_.CreateSub(rows_end, row), b_.getInt32Ty());
  llvm::Value* mask =
      b_.CreateICmpSLT(e_.nest().LaneNumbers(width, 32), Splat(b_, row_count, width));
  llvm::Value* last = b_.CreateSub(b_.CreateSub(lane_count, lane), b_.getInt64(1));
  std::vector<llvm::Value*> square;
  for (int i = 0; i < width; ++i) {
    // Lanes that are not there repeat the last one.
    llvm::Value* at = b_.CreateMul(Smaller(b_, b_.getInt64(i), last), stride);
    square.push_back(b_.CreateMaskedLoad(vector, b_.CreateGEP(type, base, at), llvm::Align(bytes),
                                         mask, llvm::Constant::getNullValue(vector)));
  }
  Turn(b_, &square);
  llvm::Value* slot = e_.SlotOf(tile);
  for (int i = 0; i < width; ++i) {
    b_.CreateAlignedStore(square[i], b_.CreateConstGEP1_64(type, slot, i * tile.pitch),
                          llvm::Align(std::min<int64_t>(64, bytes * width)));
  }
  return OkStatus();
}

}  // namespace

Status EmitTransposeKernel(const KernelPlan& plan, ValueEmitter& e, llvm::Value* begin,
                           llvm::Value* end) {
  TransposeKernel kernel(plan, e);
  return kernel.Emit(begin, end);
}

StatusOr<KernelPlan> PlanTranspose(KernelPlan plan) {
  SWAGE_ASSIGN_OR_RETURN(const CrossedLoop loop, FindCrossings(plan));
  if (loop.rows_axis < 0) return plan;
  const int last = plan.space.axis_count() - 1;
  plan.rows_axis = loop.rows_axis;
  plan.schedule = Schedule::kTranspose;
  plan.width = std::min(plan.width, kMaxWidth);
  plan.block = kLanes;
  plan.tasks = ir::CeilDiv(plan.space.extent(last), Dim(kLanes));
  plan.tasks *= ir::CeilDiv(plan.space.extent(plan.rows_axis), Dim(kRows));
  for (int a = 0; a < last; ++a) {
    if (a != plan.rows_axis) plan.tasks *= plan.space.extent(a);
  }
  plan.cost_per_task = loop.weight * kRows * kLanes;
  return plan;
}

}  // namespace swage::emit
