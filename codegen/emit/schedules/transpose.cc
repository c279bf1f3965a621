#include "codegen/emit/schedules/transpose.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "codegen/emit/schedules/leaves.h"
#include "codegen/emit/types.h"

namespace swage::emit {

using ir::Dim;

namespace {

// Rows of a task: of each line that is read, its neighbours are read soon after.
constexpr int64_t kRows = 64;
// Lanes of a task.
constexpr int64_t kLanes = 1024;
// Tiles of more lanes do not fit the registers, and take long to compile.
constexpr int kMaxWidth = 16;
constexpr size_t kMaxTiles = 8;

// A parameter that is read across the lanes.
struct Crossing {
  const ir::Instruction* parameter;
  IndexId index;
  ExprId offset;
};

bool IsCrossing(const IndexArena& arena, ExprId offset, AxisId rows, AxisId lanes) {
  const LaneStride across = arena.StrideOf(offset, lanes);
  return across.kind == LaneStride::kLinear && !across.IsContiguous() &&
         arena.StrideOf(offset, rows).IsContiguous();
}

// What the tiles of a kernel are of, at most kMaxTiles. `analysis` has visited the outputs.
std::vector<Crossing> CrossingsOf(IndexArena& arena, const FusionAnalysis& analysis, AxisId rows,
                                  AxisId lanes, const EmitOptions& options) {
  std::vector<Crossing> crossings;
  for (const FusionAnalysis::Use& load : analysis.loads()) {
    const ir::Shape& shape = load.instruction->shape();
    // Without masks for small elements, part of a row would be read element by element.
    if (!options.masked_tails && ir::DTypeBytes(shape.dtype()) < 4) continue;
    const ExprId offset = arena.Linearise(shape.dims(), load.index);
    if (!IsCrossing(arena, offset, rows, lanes)) continue;
    crossings.push_back({load.instruction, load.index, offset});
    if (crossings.size() == kMaxTiles) break;
  }
  return crossings;
}

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
  // The place of a tile: its first lane and row, and where the rows of the task end.
  struct Tile {
    llvm::Value* lane;
    llvm::Value* row;
    llvm::Value* rows_end;
  };

  Status EmitTask(llvm::Value* task);
  Status EmitTile(const Tile& tile);
  // Puts what the tile reads of an operand into its slots, the lanes of each row together.
  Status Fill(const Crossing& crossing, const Tile& tile, llvm::Value* slots);
  // What the fusion computes for these rows, at the current lanes.
  Status EmitRows(llvm::Value* begin, llvm::Value* end);
  StatusOr<llvm::Value*> Extent(int axis) {
    return e_.indices().DimValue(plan_.space.extent(axis));
  }
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
};

Status TransposeKernel::Emit(llvm::Value* begin, llvm::Value* end) {
  FusionAnalysis analysis(&e_.arena());
  for (const Leaf& leaf : plan_.leaves) SWAGE_RETURN_IF_ERROR(analysis.Visit(leaf.value, index_));
  crossings_ = CrossingsOf(e_.arena(), analysis, rows(), lanes(), plan_.options);
  for (const Crossing& crossing : crossings_) {
    llvm::Type* type = StoredType(b_.getContext(), crossing.parameter->shape().dtype());
    slots_.push_back(e_.nest().Alloca(type, int64_t{plan_.width} * plan_.width, 64));
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
  const auto for_tiles = [&](llvm::Value* begin, llvm::Value* end,
                             FunctionRef<Status(llvm::Value*)> body) {
    return e_.nest().For(begin, end, plan_.width, nullptr,
                         [&](llvm::Value* at, std::vector<llvm::Value*>*) { return body(at); });
  };
  return for_tiles(lanes_begin, lanes_end, [&](llvm::Value* lane) {
    return for_tiles(rows_begin, rows_end, [&](llvm::Value* row) {
      return EmitTile({lane, row, rows_end});
    });
  });
}

Status TransposeKernel::EmitTile(const Tile& tile) {
  std::vector<ValueEmitter::Tile> tiles;
  for (size_t i = 0; i < crossings_.size(); ++i) {
    SWAGE_RETURN_IF_ERROR(Fill(crossings_[i], tile, slots_[i]));
    tiles.push_back({crossings_[i].parameter, crossings_[i].index, rows(), tile.row, slots_[i]});
  }
  e_.set_tiles(std::move(tiles));
  const int width = plan_.width;
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * lane_count, Extent(static_cast<int>(axes_.size()) - 1));
  llvm::Value* end = Smaller(b_, b_.CreateAdd(tile.row, b_.getInt64(width)), tile.rows_end);
  const auto at_lanes = [&](const Lanes& lanes, llvm::Value* lane) {
    return e_.nest().Scoped([&] {
      e_.nest().current().lanes = lanes;
      e_.nest().Bind(this->lanes(), lane);
      return EmitRows(tile.row, end);
    });
  };
  llvm::Value* full = b_.CreateICmpSGE(b_.CreateSub(lane_count, tile.lane), b_.getInt64(width));
  std::vector<llvm::Value*> nothing;
  const Status stored = e_.nest().IfElse(
      full, &nothing,
      [&] {
        return at_lanes({lanes(), width, nullptr}, tile.lane);
      },
      [&] {
        if (plan_.options.masked_tails) {
          return at_lanes(e_.nest().MaskedLanes(lanes(), lane_count, width), tile.lane);
        }
        return e_.nest().For(tile.lane, lane_count, 1, nullptr,
                             [&](llvm::Value* lane, std::vector<llvm::Value*>*) {
                               return at_lanes({lanes(), 1, nullptr}, lane);
                             });
      });
  e_.set_tiles({});
  return stored;
}

Status TransposeKernel::EmitRows(llvm::Value* begin, llvm::Value* end) {
  return e_.nest().For(begin, end, 1, nullptr, [&](llvm::Value* row, std::vector<llvm::Value*>*) {
    e_.nest().Bind(rows(), row);
    return EmitLeaves(plan_, std::vector<IndexId>(plan_.leaves.size(), index_), e_);
  });
}

Status TransposeKernel::Fill(const Crossing& crossing, const Tile& tile, llvm::Value* slots) {
  const ir::DType dtype = crossing.parameter->shape().dtype();
  llvm::Type* type = StoredType(b_.getContext(), dtype);
  const int width = plan_.width;
  llvm::Type* vector = VectorOf(type, width);
  const int64_t bytes = ir::DTypeBytes(dtype);
  return e_.nest().Scoped([&]() -> Status {
    e_.nest().Bind(rows(), tile.row);
    e_.nest().Bind(lanes(), tile.lane);
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * first, e_.indices().Scalar(crossing.offset));
    SWAGE_ASSIGN_OR_RETURN(
        llvm::Value * stride,
        e_.indices().DimValue(e_.arena().StrideOf(crossing.offset, lanes()).stride));
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * lane_count, Extent(static_cast<int>(axes_.size()) - 1));
    llvm::Value* base =
        b_.CreateGEP(type, e_.buffer(crossing.parameter->parameter_number()), first);
    llvm::Value* row_count = b_.CreateTrunc(b_.CreateSub(tile.rows_end, tile.row), b_.getInt32Ty());
    llvm::Value* mask =
        b_.CreateICmpSLT(e_.nest().LaneNumbers(width, 32), Splat(b_, row_count, width));
    llvm::Value* last = b_.CreateSub(b_.CreateSub(lane_count, tile.lane), b_.getInt64(1));
    std::vector<llvm::Value*> square;
    for (int lane = 0; lane < width; ++lane) {
      // Lanes that are not there repeat the last one.
      llvm::Value* at = b_.CreateMul(Smaller(b_, b_.getInt64(lane), last), stride);
      square.push_back(b_.CreateMaskedLoad(vector, b_.CreateGEP(type, base, at), llvm::Align(bytes),
                                           mask, llvm::Constant::getNullValue(vector)));
    }
    Turn(b_, &square);
    for (int i = 0; i < width; ++i) {
      b_.CreateAlignedStore(square[i], b_.CreateConstGEP1_64(vector, slots, i),
                            llvm::Align(std::min<int64_t>(64, bytes * width)));
    }
    return OkStatus();
  });
}

}  // namespace

Status EmitTransposeKernel(const KernelPlan& plan, ValueEmitter& e, llvm::Value* begin,
                           llvm::Value* end) {
  TransposeKernel kernel(plan, e);
  return kernel.Emit(begin, end);
}

StatusOr<KernelPlan> PlanTranspose(KernelPlan plan) {
  IndexArena arena;
  std::vector<AxisId> axes;
  const IndexId index = plan.space.MakeIndex(arena, &axes);
  if (axes.size() < 2) return plan;
  FusionAnalysis analysis(&arena);
  for (const Leaf& leaf : plan.leaves) SWAGE_RETURN_IF_ERROR(analysis.Visit(leaf.value, index));
  size_t most = 0;
  for (size_t a = 0; a + 1 < axes.size(); ++a) {
    const size_t crossings =
        CrossingsOf(arena, analysis, axes[a], axes.back(), plan.options).size();
    if (crossings <= most) continue;
    most = crossings;
    plan.rows_axis = static_cast<int>(a);
  }
  if (most == 0) return plan;
  plan.schedule = Schedule::kTranspose;
  plan.width = std::min(plan.width, kMaxWidth);
  plan.block = kLanes;
  plan.tasks = ir::CeilDiv(plan.space.extent(static_cast<int>(axes.size()) - 1), Dim(kLanes));
  plan.tasks *= ir::CeilDiv(plan.space.extent(plan.rows_axis), Dim(kRows));
  for (int a = 0; a + 1 < static_cast<int>(axes.size()); ++a) {
    if (a != plan.rows_axis) plan.tasks *= plan.space.extent(a);
  }
  plan.cost_per_task = analysis.weight() * kRows * kLanes;
  return plan;
}

}  // namespace swage::emit
