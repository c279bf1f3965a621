// File: codegen/emit/schedules/dot.cc
#include "codegen/emit/schedules/dot.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "codegen/emit/schedules/dot_axes.h"
#include "codegen/emit/schedules/dot_tile.h"
#include "codegen/emit/schedules/leaves.h"
#include "codegen/emit/types.h"

namespace swage::emit {

using ir::Dim;
using ir::DType;
using ir::Instruction;

namespace {

// Lines of a panel further apart than this lie in too many pages to be read again for every tile.
constexpr int64_t kNearBytes = 2048;

// Lines of the right side that are on their way while one is packed.
constexpr int64_t kPrefetchLines = 16;
constexpr int64_t kCacheLine = 64;

class DotKernel {
 public:
  DotKernel(const KernelPlan& plan, ValueEmitter& e)
      : plan_(plan),
        e_(e),
        b_(e.b()),
        dot_(plan.hero),
        tile_(TileOf(*plan.hero, plan.options)),
        block_(tile_.depth()) {}

  Status Emit(llvm::Value* begin, llvm::Value* end);

 private:
  // One side of the dot as the tile reads it.
  struct Side {
    const Instruction* value;
    IndexId index;        // at the axes
    bool direct = false;  // a parameter, readable in place
    llvm::Value* base = nullptr;
    ExprId offset = 0;  // when direct
    DType dtype;
    llvm::Value* packed = nullptr;
  };

  void MakeAxes();
  Side MakeSide(int operand, IndexId index, AxisId free_axis, bool contiguous);
  StatusOr<llvm::Value*> StrideBytes(const Side& side, AxisId axis);
  Status EmitTask(llvm::Value* task, llvm::Value** packed_panel);
  Status EmitBlock(llvm::Value* k0, llvm::Value* reuse);
  Status PackRight(llvm::Value* k0, llvm::Value* count);
  // Asks for the line of the right side that is packed a few steps after `k`.
  Status PrefetchRight(llvm::Value* k);
  Status PackPairs(llvm::Value* k0, llvm::Value* count);
  // Whether the current panel of a direct right side is read where it lies.
  StatusOr<llvm::Value*> ReadInPlace();
  Status ZeroPanel(llvm::Value* rows);
  Status PackLeft(llvm::Value* k0, llvm::Value* count);
  Status EmitTiles(llvm::Value* k0, llvm::Value* count);
  Status EmitEpilogue();

  // The left side's elements as the tile takes them.
  DType LeftDtype() const { return tile_.bf16_pairs ? DType::kBF16 : tile_.acc; }

  const KernelPlan& plan_;
  ValueEmitter& e_;
  llvm::IRBuilder<>& b_;
  const Instruction* dot_;
  TileShape tile_;
  int64_t block_;  // of k
  AxisId batch_ = 0, row_ = 0, column_ = 0, k_ = 0;
  IndexId index_ = 0;                // of the result
  std::vector<IndexId> leaf_index_;  // of the outputs
  Side left_, right_;
  llvm::Value* sums_ = nullptr;
  llvm::Value *rows_ = nullptr, *columns_ = nullptr, *depth_ = nullptr;  // M, N, K
  // Of the current task.
  llvm::Value *row_begin_ = nullptr, *row_end_ = nullptr;
  llvm::Value *column_begin_ = nullptr, *column_end_ = nullptr;
  llvm::Value* in_place_ = nullptr;
};

void DotKernel::MakeAxes() {
  const DotAxes axes = MakeDotAxes(e_.arena(), dot_);
  batch_ = axes.batch;
  row_ = axes.row;
  column_ = axes.column;
  k_ = axes.k;
  index_ = axes.result;
  left_ = MakeSide(0, axes.sides.lhs, row_, /*contiguous=*/false);
  right_ = MakeSide(1, axes.sides.rhs, column_, /*contiguous=*/true);
  const auto reached = ReachedFrom(e_.arena(), *plan_.fusion, dot_, index_);
  for (const Leaf& leaf : plan_.leaves) leaf_index_.push_back(reached.at(leaf.value));
}

DotKernel::Side DotKernel::MakeSide(int operand, IndexId index, AxisId free_axis, bool contiguous) {
  IndexArena& arena = e_.arena();
  Side side;
  side.value = dot_->operand(operand);
  side.index = index;
  side.dtype = side.value->shape().dtype();
  const std::optional<DirectSide> direct = DirectSideOf(arena, side.value, index);
  if (!direct) return side;
  side.offset = direct->offset;
  side.base = e_.buffer(static_cast<int>(direct->parameter->parameter_number()));
  const LaneStride along_free = arena.StrideOf(side.offset, free_axis);
  const LaneStride along_k = arena.StrideOf(side.offset, k_);
  side.direct = along_free.kind != LaneStride::kGeneral && along_k.kind != LaneStride::kGeneral;
  if (contiguous) {
    // A panel is read as whole vectors, in the type of the sums.
    side.direct =
        side.direct && along_free.IsContiguous() && side.dtype == tile_.acc && !tile_.bf16_pairs;
  } else {
    side.direct =
        side.direct && side.dtype == LeftDtype() && (!tile_.bf16_pairs || along_k.IsContiguous());
  }
  return side;
}

StatusOr<llvm::Value*> DotKernel::StrideBytes(const Side& side, AxisId axis) {
  const LaneStride stride = e_.arena().StrideOf(side.offset, axis);
  const Dim bytes = Dim(ir::DTypeBytes(side.dtype));
  return e_.indices().DimValue(stride.kind == LaneStride::kLinear ? stride.stride * bytes : Dim(0));
}

Status DotKernel::Emit(llvm::Value* begin, llvm::Value* end) {
  MakeAxes();
  const DotDims dims = DimsOf(*dot_);
  SWAGE_ASSIGN_OR_RETURN(rows_, e_.indices().DimValue(Product(dims.rows)));
  SWAGE_ASSIGN_OR_RETURN(columns_, e_.indices().DimValue(Product(dims.columns)));
  SWAGE_ASSIGN_OR_RETURN(depth_, e_.indices().DimValue(Product(dims.contracting)));
  llvm::Type* acc = StoredType(b_.getContext(), tile_.acc);
  sums_ = e_.nest().Alloca(acc, ChunkRows(tile_) * tile_.columns(), 64);
  // Also for a panel that is read in place: its last columns may not fill the vectors.
  right_.packed = e_.nest().Alloca(acc, block_ * tile_.columns(), 64);
  if (!left_.direct) {
    llvm::Type* element = StoredType(b_.getContext(), LeftDtype());
    left_.packed = e_.nest().Alloca(element, ChunkRows(tile_) * block_, 64);
  }
  // The panel that is packed now, so that the row chunks of one panel pack it once.
  std::vector<llvm::Value*> carried{b_.getInt64(-1)};
  return e_.nest().For(begin, end, 1, &carried,
                       [&](llvm::Value* task, std::vector<llvm::Value*>* packed_panel) {
                         return EmitTask(task, &(*packed_panel)[0]);
                       });
}

Status DotKernel::EmitTask(llvm::Value* task, llvm::Value** packed_panel) {
  const DotDims dims = DimsOf(*dot_);
  const int64_t chunk_rows = ChunkRows(tile_);
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * chunks,
                         e_.indices().DimValue(ir::CeilDiv(Product(dims.rows), Dim(chunk_rows))));
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * panels, e_.indices().DimValue(ir::CeilDiv(
                                                   Product(dims.columns), Dim(tile_.columns()))));
  // Tasks count the batch, then panels and chunks of rows. Chunks are the fastest where a panel
  // stays packed from one to the next; else panels are, and the chunk of the left side stays near.
  llvm::Value* per_batch = b_.CreateMul(panels, chunks);
  llvm::Value* batch = b_.CreateUDiv(task, per_batch);
  llvm::Value* in_batch = b_.CreateSub(task, b_.CreateMul(batch, per_batch));
  llvm::Value* one_block = b_.CreateICmpSLE(depth_, b_.getInt64(block_));
  llvm::Value* fast = b_.CreateSelect(one_block, chunks, panels);
  llvm::Value* slow_at = b_.CreateUDiv(in_batch, fast);
  llvm::Value* fast_at = b_.CreateSub(in_batch, b_.CreateMul(slow_at, fast));
  llvm::Value* column_panel = b_.CreateSelect(one_block, slow_at, fast_at);
  llvm::Value* chunk = b_.CreateSelect(one_block, fast_at, slow_at);
  llvm::Value* panel = b_.CreateAdd(b_.CreateMul(batch, panels), column_panel);
  e_.nest().Bind(batch_, batch);
  row_begin_ = b_.CreateMul(chunk, b_.getInt64(chunk_rows));
  row_end_ = Smaller(b_, b_.CreateAdd(row_begin_, b_.getInt64(chunk_rows)), rows_);
  column_begin_ = b_.CreateMul(column_panel, b_.getInt64(tile_.columns()));
  column_end_ = Smaller(b_, b_.CreateAdd(column_begin_, b_.getInt64(tile_.columns())), columns_);

  llvm::Type* acc = StoredType(b_.getContext(), tile_.acc);
  llvm::Value* zero = llvm::Constant::getNullValue(VectorOf(acc, tile_.lanes));
  llvm::Value* sums_end =
      b_.CreateMul(b_.CreateSub(row_end_, row_begin_), b_.getInt64(tile_.columns()));
  SWAGE_RETURN_IF_ERROR(e_.nest().For(b_.getInt64(0), sums_end, tile_.lanes, nullptr,
                                      [&](llvm::Value* i, std::vector<llvm::Value*>*) {
                                        b_.CreateAlignedStore(zero, b_.CreateGEP(acc, sums_, i),
                                                              llvm::Align(4));
                                        return OkStatus();
                                      }));
  llvm::Value* reuse = b_.CreateICmpEQ(panel, *packed_panel);
  SWAGE_RETURN_IF_ERROR(e_.nest().For(
      b_.getInt64(0), depth_, block_, nullptr,
      [&](llvm::Value* k0, std::vector<llvm::Value*>*) { return EmitBlock(k0, reuse); }));
  // More than one block leaves only the last one packed.
  *packed_panel = b_.CreateSelect(one_block, panel, b_.getInt64(-1));
  return EmitEpilogue();
}

Status DotKernel::EmitBlock(llvm::Value* k0, llvm::Value* reuse) {
  llvm::Value* count = Smaller(b_, b_.CreateSub(depth_, k0), b_.getInt64(block_));
  llvm::Value* pack = b_.CreateNot(reuse);
  if (right_.direct) {
    SWAGE_ASSIGN_OR_RETURN(in_place_, ReadInPlace());
    pack = b_.CreateAnd(pack, b_.CreateNot(in_place_));
  }
  SWAGE_RETURN_IF_ERROR(e_.nest().If(pack, [&] { return PackRight(k0, count); }));
  if (!left_.direct) SWAGE_RETURN_IF_ERROR(PackLeft(k0, count));
  return EmitTiles(k0, count);
}

StatusOr<llvm::Value*> DotKernel::ReadInPlace() {
  llvm::Value* full =
      b_.CreateICmpEQ(b_.CreateSub(column_end_, column_begin_), b_.getInt64(tile_.columns()));
  if (tile_.rows == 1) return full;
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * stride, StrideBytes(right_, k_));
  llvm::Value* near = b_.CreateICmpULT(stride, b_.getInt64(kNearBytes));
  llvm::Value* few = b_.CreateICmpSLE(rows_, b_.getInt64(2 * int64_t{tile_.rows}));
  return b_.CreateAnd(full, b_.CreateOr(near, few));
}

Status DotKernel::ZeroPanel(llvm::Value* rows) {
  llvm::Value* partial =
      b_.CreateICmpSLT(b_.CreateSub(column_end_, column_begin_), b_.getInt64(tile_.columns()));
  llvm::Type* acc = StoredType(b_.getContext(), tile_.acc);
  llvm::Value* zero = llvm::Constant::getNullValue(VectorOf(acc, tile_.lanes));
  return e_.nest().If(partial, [&] {
    return e_.nest().For(b_.getInt64(0), b_.CreateMul(rows, b_.getInt64(tile_.columns())),
                         tile_.lanes, nullptr, [&](llvm::Value* i, std::vector<llvm::Value*>*) {
                           b_.CreateAlignedStore(zero, b_.CreateGEP(acc, right_.packed, i),
                                                 llvm::Align(4));
                           return OkStatus();
                         });
  });
}

Status DotKernel::PrefetchRight(llvm::Value* k) {
  return e_.nest().Scoped([&]() -> Status {
    e_.nest().Bind(k_, b_.CreateAdd(k, b_.getInt64(kPrefetchLines)));
    e_.nest().Bind(column_, column_begin_);
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * offset, e_.indices().Scalar(right_.offset));
    const int64_t bytes = ir::DTypeBytes(right_.dtype);
    llvm::Value* line =
        b_.CreateGEP(b_.getInt8Ty(), right_.base, b_.CreateMul(offset, b_.getInt64(bytes)));
    for (int64_t at = 0; at < tile_.columns() * bytes; at += kCacheLine) {
      b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {line->getType()},
                         {b_.CreateConstGEP1_64(b_.getInt8Ty(), line, at), b_.getInt32(0),
                          b_.getInt32(3), b_.getInt32(1)});
    }
    return OkStatus();
  });
}

Status DotKernel::PackRight(llvm::Value* k0, llvm::Value* count) {
  if (tile_.bf16_pairs) return PackPairs(k0, count);
  SWAGE_RETURN_IF_ERROR(ZeroPanel(count));
  llvm::Type* acc = StoredType(b_.getContext(), tile_.acc);
  return e_.nest().For(
      b_.getInt64(0), count, 1, nullptr, [&](llvm::Value* i, std::vector<llvm::Value*>*) {
        if (right_.direct) SWAGE_RETURN_IF_ERROR(PrefetchRight(b_.CreateAdd(k0, i)));
        e_.nest().Bind(k_, b_.CreateAdd(k0, i));
        llvm::Value* line =
            b_.CreateGEP(acc, right_.packed, b_.CreateMul(i, b_.getInt64(tile_.columns())));
        return e_.nest().LaneLoop(
            column_, {column_begin_, column_end_, columns_}, tile_.lanes,
            plan_.options.masked_tails, [&]() -> Status {
              SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, e_.Value(right_.value, right_.index));
              SWAGE_ASSIGN_OR_RETURN(value, e_.Convert(right_.dtype, tile_.acc, value));
              llvm::Value* at = b_.CreateSub(e_.nest().AxisValue(column_), column_begin_);
              value = ToStored(b_, tile_.acc, Splat(b_, value, e_.nest().lanes().width));
              b_.CreateAlignedStore(value, b_.CreateGEP(acc, line, at),
                                    llvm::Align(ir::DTypeBytes(tile_.acc)));
              return OkStatus();
            });
      });
}

Status DotKernel::PackPairs(llvm::Value* k0, llvm::Value* count) {
  llvm::Value* pairs = b_.CreateLShr(b_.CreateAdd(count, b_.getInt64(1)), 1);
  SWAGE_RETURN_IF_ERROR(ZeroPanel(pairs));
  llvm::Type* i32 = b_.getInt32Ty();
  return e_.nest().For(
      b_.getInt64(0), pairs, 1, nullptr, [&](llvm::Value* i, std::vector<llvm::Value*>*) {
        llvm::Value* first = b_.CreateAdd(k0, b_.CreateShl(i, 1));
        llvm::Value* second = b_.CreateAdd(first, b_.getInt64(1));
        llvm::Value* exists = b_.CreateICmpSLT(second, depth_);
        second = b_.CreateSelect(exists, second, first);
        llvm::Value* line =
            b_.CreateGEP(i32, right_.packed, b_.CreateMul(i, b_.getInt64(tile_.columns())));
        return e_.nest().LaneLoop(
            column_, {column_begin_, column_end_, columns_}, tile_.lanes,
            plan_.options.masked_tails, [&]() -> Status {
              llvm::Value* halves[2];
              llvm::Value* const at_k[2] = {first, second};
              for (int half = 0; half < 2; ++half) {
                SWAGE_RETURN_IF_ERROR(e_.nest().Scoped([&]() -> Status {
                  e_.nest().Bind(k_, at_k[half]);
                  SWAGE_ASSIGN_OR_RETURN(halves[half], e_.Value(right_.value, right_.index));
                  return OkStatus();
                }));
                halves[half] = Splat(b_, halves[half], e_.nest().lanes().width);
                halves[half] =
                    b_.CreateZExt(halves[half], halves[half]->getType()->getWithNewBitWidth(32));
              }
              halves[1] = b_.CreateSelect(exists, b_.CreateShl(halves[1], 16),
                                          llvm::Constant::getNullValue(halves[1]->getType()));
              llvm::Value* at = b_.CreateSub(e_.nest().AxisValue(column_), column_begin_);
              b_.CreateAlignedStore(b_.CreateOr(halves[0], halves[1]), b_.CreateGEP(i32, line, at),
                                    llvm::Align(4));
              return OkStatus();
            });
      });
}

Status DotKernel::PackLeft(llvm::Value* k0, llvm::Value* count) {
  llvm::Type* element = StoredType(b_.getContext(), LeftDtype());
  return e_.nest().For(
      row_begin_, row_end_, 1, nullptr, [&](llvm::Value* m, std::vector<llvm::Value*>*) {
        e_.nest().Bind(row_, m);
        llvm::Value* line = b_.CreateGEP(
            element, left_.packed, b_.CreateMul(b_.CreateSub(m, row_begin_), b_.getInt64(block_)));
        return e_.nest().LaneLoop(
            k_, {k0, b_.CreateAdd(k0, count), depth_}, e_.width(), plan_.options.masked_tails,
            [&]() -> Status {
              SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, e_.Value(left_.value, left_.index));
              SWAGE_ASSIGN_OR_RETURN(value, e_.Convert(left_.dtype, LeftDtype(), value));
              llvm::Value* at =
                  b_.CreateGEP(element, line, b_.CreateSub(e_.nest().AxisValue(k_), k0));
              value = ToStored(b_, LeftDtype(), Splat(b_, value, e_.nest().lanes().width));
              const llvm::Align align(ir::DTypeBytes(LeftDtype()));
              if (e_.nest().lanes().mask != nullptr) {
                b_.CreateMaskedStore(value, at, align, e_.nest().lanes().mask);
              } else {
                b_.CreateAlignedStore(value, at, align);
              }
              return OkStatus();
            });
      });
}

Status DotKernel::EmitTiles(llvm::Value* k0, llvm::Value* count) {
  llvm::Type* i8 = b_.getInt8Ty();
  const int64_t acc_bytes = ir::DTypeBytes(tile_.acc);
  TileSides sides;
  sides.count = count;
  sides.rhs = right_.packed;
  sides.rhs_k = b_.getInt64(tile_.columns() * acc_bytes);
  e_.nest().Bind(k_, k0);
  if (right_.direct) {
    e_.nest().Bind(column_, column_begin_);
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * offset, e_.indices().Scalar(right_.offset));
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * stride, StrideBytes(right_, k_));
    llvm::Value* at = b_.CreateGEP(i8, right_.base, b_.CreateMul(offset, b_.getInt64(acc_bytes)));
    sides.rhs = b_.CreateSelect(in_place_, at, sides.rhs);
    sides.rhs_k = b_.CreateSelect(in_place_, stride, sides.rhs_k);
  }
  const int64_t left_bytes = ir::DTypeBytes(LeftDtype());
  if (left_.direct) {
    SWAGE_ASSIGN_OR_RETURN(sides.lhs_row, StrideBytes(left_, row_));
    SWAGE_ASSIGN_OR_RETURN(sides.lhs_k, StrideBytes(left_, k_));
  } else {
    sides.lhs_row = b_.getInt64(block_ * left_bytes);
    sides.lhs_k = b_.getInt64(left_bytes);
  }
  llvm::Type* acc = StoredType(b_.getContext(), tile_.acc);
  llvm::Value* row = row_begin_;
  for (int rows : tile_.Bodies()) {
    llvm::Value* tiles = b_.CreateUDiv(b_.CreateSub(row_end_, row), b_.getInt64(rows));
    llvm::Value* end = b_.CreateAdd(row, b_.CreateMul(tiles, b_.getInt64(rows)));
    SWAGE_RETURN_IF_ERROR(e_.nest().For(
        row, end, rows, nullptr, [&](llvm::Value* m, std::vector<llvm::Value*>*) -> Status {
          e_.nest().Bind(row_, m);
          llvm::Value* in_chunk = b_.CreateSub(m, row_begin_);
          TileSides here = sides;
          if (left_.direct) {
            SWAGE_ASSIGN_OR_RETURN(llvm::Value * offset, e_.indices().Scalar(left_.offset));
            here.lhs = b_.CreateGEP(i8, left_.base, b_.CreateMul(offset, b_.getInt64(left_bytes)));
          } else {
            here.lhs = b_.CreateGEP(i8, left_.packed, b_.CreateMul(in_chunk, sides.lhs_row));
          }
          llvm::Value* sums =
              b_.CreateGEP(acc, sums_, b_.CreateMul(in_chunk, b_.getInt64(tile_.columns())));
          return EmitTile(e_, tile_, rows, here, sums);
        }));
    row = end;
  }
  return OkStatus();
}

Status DotKernel::EmitEpilogue() {
  llvm::Type* acc = StoredType(b_.getContext(), tile_.acc);
  const bool one_column = e_.arena().extent(column_) == Dim(1);
  const int width = one_column ? 1 : std::min(e_.width(), tile_.columns());
  return e_.nest().For(
      row_begin_, row_end_, 1, nullptr, [&](llvm::Value* m, std::vector<llvm::Value*>*) {
        e_.nest().Bind(row_, m);
        llvm::Value* line = b_.CreateGEP(
            acc, sums_, b_.CreateMul(b_.CreateSub(m, row_begin_), b_.getInt64(tile_.columns())));
        return e_.nest().LaneLoop(
            column_, {column_begin_, column_end_, columns_}, width, plan_.options.masked_tails,
            [&]() -> Status {
              llvm::Value* at = b_.CreateSub(e_.nest().AxisValue(column_), column_begin_);
              llvm::Value* sum = b_.CreateAlignedLoad(VectorOf(acc, e_.nest().lanes().width),
                                                      b_.CreateGEP(acc, line, at),
                                                      llvm::Align(ir::DTypeBytes(tile_.acc)));
              sum = FromStored(b_, tile_.acc, sum);
              SWAGE_ASSIGN_OR_RETURN(sum, e_.Convert(tile_.acc, dot_->shape().dtype(), sum));
              e_.Preset(dot_, index_, sum);
              return EmitLeaves(plan_, leaf_index_, e_);
            });
      });
}

}  // namespace

Status EmitDotKernel(const KernelPlan& plan, ValueEmitter& e, llvm::Value* begin,
                     llvm::Value* end) {
  DotKernel kernel(plan, e);
  return kernel.Emit(begin, end);
}

}  // namespace swage::emit
