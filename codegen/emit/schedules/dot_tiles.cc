#include "codegen/emit/schedules/dot_tiles.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "codegen/emit/schedules/block_tile.h"
#include "codegen/emit/schedules/dot_axes.h"
#include "codegen/emit/schedules/leaves.h"
#include "codegen/emit/schedules/threads.h"
#include "codegen/emit/schedules/tile_loader.h"
#include "codegen/emit/types.h"

namespace swage::emit {

using ir::Dim;
using ir::Instruction;

namespace {

// Elements of the result that a thread writes at once.
constexpr int kMaxWidth = 4;

// What follows the dot is emitted for vectors and for elements, of coarse tiles and of fine ones.
// From these weights on, only for elements; only for fine tiles.
constexpr int64_t kHeavy = 100;
constexpr int64_t kVeryHeavy = 400;

Dim TilesOf(const DotDims& dims, const BlockTile& tile) {
  return Product(dims.batch) * ir::CeilDiv(Product(dims.rows), Dim(tile.rows)) *
         ir::CeilDiv(Product(dims.columns), Dim(tile.columns));
}

// Sets the width and what must be multiples of it, for what follows the dot, whose weight it
// returns.
StatusOr<int64_t> PlanEpilogue(KernelPlan* plan) {
  const int most = std::min(plan->width, kMaxWidth);
  plan->width = 1;
  IndexArena arena;
  const DotAxes axes = MakeDotAxes(arena, plan->hero);
  const auto reached = ReachedFrom(arena, *plan->fusion, plan->hero, axes.result);
  FusionAnalysis analysis(&arena);
  analysis.StopAt(plan->hero, axes.result);
  std::vector<ExprId> accesses;
  for (const Leaf& leaf : plan->leaves) {
    const IndexId at = reached.at(leaf.value);
    SWAGE_RETURN_IF_ERROR(analysis.Visit(leaf.value, at));
    accesses.push_back(arena.Linearise(leaf.shape.dims(), at));
  }
  if (analysis.weight() >= kHeavy) return analysis.weight();
  // Rows are whole vectors.
  SetWidth(arena, analysis, accesses, axes.column, most, {arena.extent(axes.column)}, plan);
  return analysis.weight();
}

class DotTiles {
 public:
  DotTiles(const KernelPlan& plan, ValueEmitter& e)
      : plan_(plan), e_(e), b_(e.b()), dot_(plan.hero), dims_(DimsOf(*plan.hero)) {}

  Status Emit();

 private:
  Status EmitTile(const BlockTile& tile);
  StatusOr<std::vector<llvm::Value*>> EmitSums(const BlockTile& tile, TileLoader& left,
                                               TileLoader& right, BlockSums& block);
  Status EmitEpilogue(const BlockTile& tile, BlockSums& block, std::vector<llvm::Value*> sums);
  // The rows of a round from shared memory through the epilogue.
  Status EmitRows(const BlockTile& tile, llvm::Value* first_row, int width);
  Status EmitResults(const BlockTile& tile, llvm::Value* at);
  llvm::Value* Times(llvm::Value* x, int64_t y) { return b_.CreateMul(x, b_.getInt64(y)); }

  // Quotient and remainder of numbers of 32 bits.
  std::pair<llvm::Value*, llvm::Value*> Divide(llvm::Value* x, llvm::Value* y) {
    llvm::Type* i32 = b_.getInt32Ty();
    x = b_.CreateTrunc(x, i32);
    y = b_.CreateTrunc(y, i32);
    return {b_.CreateZExt(b_.CreateUDiv(x, y), b_.getInt64Ty()),
            b_.CreateZExt(b_.CreateURem(x, y), b_.getInt64Ty())};
  }

  const KernelPlan& plan_;
  ValueEmitter& e_;
  llvm::IRBuilder<>& b_;
  const Instruction* dot_;
  DotDims dims_;
  llvm::Value* shared_ = nullptr;
  llvm::Value *rows_ = nullptr, *columns_ = nullptr;
  // Of the tile.
  DotAxes axes_{};  // of the epilogue
  std::vector<IndexId> leaf_index_;
  llvm::Value *batch_ = nullptr, *row_begin_ = nullptr, *column_begin_ = nullptr;
};

Status DotTiles::Emit() {
  SWAGE_ASSIGN_OR_RETURN(rows_, e_.indices().DimValue(Product(dims_.rows)));
  SWAGE_ASSIGN_OR_RETURN(columns_, e_.indices().DimValue(Product(dims_.columns)));
  const BlockTile fine = BlockTileFor(*dot_, false);
  const bool has_coarse = plan_.flat_tasks != Dim(0);
  const BlockTile coarse = BlockTileFor(*dot_, has_coarse);
  shared_ = e_.grid()->Shared(b_.getInt8Ty(), std::max(fine.shared_bytes(), coarse.shared_bytes()));
  if (!has_coarse) return EmitTile(fine);
  std::vector<llvm::Value*> none;
  return e_.nest().IfElse(
      e_.grid()->IsFlat(), &none, [&] { return EmitTile(coarse); }, [&] { return EmitTile(fine); });
}

Status DotTiles::EmitTile(const BlockTile& tile) {
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * row_tiles,
                         e_.indices().DimValue(ir::CeilDiv(Product(dims_.rows), Dim(tile.rows))));
  SWAGE_ASSIGN_OR_RETURN(
      llvm::Value * column_tiles,
      e_.indices().DimValue(ir::CeilDiv(Product(dims_.columns), Dim(tile.columns))));
  axes_ = MakeDotAxes(e_.arena(), dot_);
  leaf_index_.clear();
  const auto reached = ReachedFrom(e_.arena(), *plan_.fusion, dot_, axes_.result);
  for (const Leaf& leaf : plan_.leaves) leaf_index_.push_back(reached.at(leaf.value));
  return e_.nest().Scoped([&]() -> Status {
    // Blocks count (batch, row tile, column tile), the last fastest.
    // A grid has fewer than 2^31 of them.
    const auto [row_tile, column_tile] = Divide(e_.grid()->Block(), column_tiles);
    column_begin_ = Times(column_tile, tile.columns);
    const auto [batch, tile_of_batch] = Divide(row_tile, row_tiles);
    batch_ = batch;
    row_begin_ = Times(tile_of_batch, tile.rows);
    e_.nest().Bind(axes_.batch, batch_);
    TileLoader left(e_, dot_, 0, tile);
    TileLoader right(e_, dot_, 1, tile);
    BlockSums block_sums(e_, tile, left.by_k(), right.by_k());
    std::vector<llvm::Value*> sums;
    SWAGE_RETURN_IF_ERROR(left.Within(batch_, row_begin_, [&] {
      return right.Within(batch_, column_begin_, [&]() -> Status {
        SWAGE_ASSIGN_OR_RETURN(sums, EmitSums(tile, left, right, block_sums));
        return OkStatus();
      });
    }));
    return EmitEpilogue(tile, block_sums, sums);
  });
}

StatusOr<std::vector<llvm::Value*>> DotTiles::EmitSums(const BlockTile& tile, TileLoader& left,
                                                       TileLoader& right, BlockSums& block) {
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * stages, e_.indices().DimValue(ir::CeilDiv(
                                                   Product(dims_.contracting), Dim(tile.depth))));
  // One more turn than there are stages: in the first nothing can be added, in the last nothing is
  // fetched. There is one copy of each part, and one barrier per turn.
  llvm::Value* turns = b_.CreateSelect(b_.CreateICmpSGT(stages, b_.getInt64(0)),
                                       b_.CreateAdd(stages, b_.getInt64(1)), b_.getInt64(0));
  std::vector<llvm::Value*> sums = block.Zeros();
  const auto side = [&](llvm::Value* stage, int operand) {
    const int64_t offset = operand == 0 ? 0 : tile.side_bytes(0);
    llvm::Value* at = b_.CreateAdd(Times(stage, tile.stage_bytes()), b_.getInt64(offset));
    return b_.CreateGEP(b_.getInt8Ty(), shared_, at);
  };
  SWAGE_RETURN_IF_ERROR(e_.nest().For(
      b_.getInt64(0), turns, 1, &sums,
      [&](llvm::Value* turn, std::vector<llvm::Value*>* now) -> Status {
        llvm::Value* k0 = Times(turn, tile.depth);
        llvm::Value* fetches = b_.CreateICmpSLT(turn, stages);
        llvm::Value* filled = b_.CreateAnd(turn, 1);
        llvm::Value* read = b_.CreateXor(filled, 1);
        std::vector<llvm::Value*> fetched = left.Nothing();
        const auto count = static_cast<std::ptrdiff_t>(fetched.size());
        for (llvm::Value* nothing : right.Nothing()) fetched.push_back(nothing);
        SWAGE_RETURN_IF_ERROR(e_.nest().IfCarried(fetches, &fetched, [&]() -> Status {
          SWAGE_ASSIGN_OR_RETURN(fetched, left.Fetch(k0));
          SWAGE_ASSIGN_OR_RETURN(const std::vector<llvm::Value*> more, right.Fetch(k0));
          fetched.insert(fetched.end(), more.begin(), more.end());
          return OkStatus();
        }));
        SWAGE_RETURN_IF_ERROR(e_.nest().IfCarried(b_.CreateICmpSGT(turn, b_.getInt64(0)), now, [&] {
          block.Add(side(read, 0), side(read, 1), now);
          return e_.CheckSize();
        }));
        SWAGE_RETURN_IF_ERROR(e_.nest().If(fetches, [&]() -> Status {
          SWAGE_RETURN_IF_ERROR(
              left.Put({fetched.begin(), fetched.begin() + count}, k0, side(filled, 0)));
          return right.Put({fetched.begin() + count, fetched.end()}, k0, side(filled, 1));
        }));
        return e_.grid()->Sync();
      }));
  return sums;
}

Status DotTiles::EmitEpilogue(const BlockTile& tile, BlockSums& block,
                              std::vector<llvm::Value*> sums) {
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * aligned,
                         EmitAreMultiples(plan_.vector_dims, plan_.width, e_));
  if (plan_.width == 1) aligned = b_.getFalse();
  const std::vector<llvm::Value*> zeros = block.Zeros();
  const auto count = static_cast<std::ptrdiff_t>(sums.size()) / tile.rounds();
  const auto body = [&](llvm::Value* round, std::vector<llvm::Value*>* now) -> Status {
    block.Store(*now, shared_);
    // The next round's move up, so that those of this one need no registers any more.
    now->erase(now->begin(), now->begin() + count);
    now->insert(now->end(), zeros.begin(), zeros.begin() + count);
    SWAGE_RETURN_IF_ERROR(e_.grid()->Sync());
    llvm::Value* first = b_.CreateAdd(row_begin_, Times(round, tile.round_rows()));
    std::vector<llvm::Value*> none;
    SWAGE_RETURN_IF_ERROR(e_.nest().IfElse(
        aligned, &none, [&] { return EmitRows(tile, first, plan_.width); },
        [&] { return EmitRows(tile, first, 1); }));
    return e_.grid()->Sync();
  };
  if (tile.rounds() == 1) return body(b_.getInt64(0), &sums);
  return e_.nest().For(b_.getInt64(0), b_.getInt64(tile.rounds()), 1, &sums, body);
}

Status DotTiles::EmitRows(const BlockTile& tile, llvm::Value* first_row, int width) {
  llvm::Value* thread = e_.grid()->ThreadInBlock();
  const int threads = tile.columns / width;  // of a row
  llvm::Value* in_row = Times(b_.CreateAnd(thread, threads - 1), width);
  llvm::Value* row = b_.CreateUDiv(thread, b_.getInt64(threads));
  llvm::Value* end = Smaller(b_, b_.CreateSub(rows_, first_row), b_.getInt64(tile.round_rows()));
  llvm::Value* column = b_.CreateAdd(column_begin_, in_row);
  return e_.nest().If(b_.CreateICmpSLT(column, columns_), [&] {
    return e_.nest().Scoped([&] {
      e_.nest().current().lanes = {width > 1 ? axes_.column : AxisId{-1}, width, nullptr};
      e_.nest().Bind(axes_.column, column);
      return e_.nest().For(row, end, kBlockThreads / threads, nullptr,
                           [&](llvm::Value* at, std::vector<llvm::Value*>*) {
                             e_.nest().Bind(axes_.row, b_.CreateAdd(first_row, at));
                             return EmitResults(tile,
                                                b_.CreateAdd(Times(at, tile.sum_pitch()), in_row));
                           });
    });
  });
}

Status DotTiles::EmitResults(const BlockTile& tile, llvm::Value* at) {
  llvm::Type* type = SumType(b_.getContext(), tile);
  const int width = e_.nest().lanes().width;
  llvm::Type* vector = VectorOf(type, width);
  const auto bytes = static_cast<uint64_t>(type->getPrimitiveSizeInBits()) / 8;
  llvm::Value* sum =
      b_.CreateAlignedLoad(vector, b_.CreateGEP(type, shared_, at),
                           llvm::Align(std::min<uint64_t>(bytes * width, kGpuBufferAlignment)));
  llvm::Type* lane = VectorOf(LaneType(b_.getContext(), tile.acc), width);
  if (lane != vector) sum = b_.CreateTrunc(sum, lane);
  SWAGE_ASSIGN_OR_RETURN(sum, e_.Convert(tile.acc, dot_->shape().dtype(), sum));
  e_.Preset(dot_, axes_.result, sum);
  return EmitLeaves(plan_, leaf_index_, e_);
}

}  // namespace

bool IsWorthBlockTiles(const Instruction& dot) {
  const DotDims dims = DimsOf(dot);
  return Product(dims.rows) != Dim(1) && Product(dims.columns) != Dim(1) &&
         Product(dims.contracting) != Dim(1);
}

bool IsSumOfColumns(const Instruction& dot) {
  const DotDims dims = DimsOf(dot);
  return (Product(dims.rows) == Dim(1) || Product(dims.columns) == Dim(1)) &&
         Product(dims.contracting) != Dim(1);
}

StatusOr<KernelPlan> PlanDotTiles(KernelPlan plan) {
  const DotDims dims = DimsOf(*plan.hero);
  plan.sharing = Sharing::kTiles;
  plan.space = PlainSpace(plan.hero->shape().dims());
  plan.tasks = TilesOf(dims, BlockTileFor(*plan.hero, false));
  SWAGE_ASSIGN_OR_RETURN(const int64_t weight, PlanEpilogue(&plan));
  if (HasCoarseTile(*plan.hero) && weight < kVeryHeavy) {
    plan.flat_tasks = TilesOf(dims, BlockTileFor(*plan.hero, true));
  }
  return plan;
}

Status EmitDotTiles(const KernelPlan& plan, ValueEmitter& e) {
  DotTiles kernel(plan, e);
  return kernel.Emit();
}

}  // namespace swage::emit
