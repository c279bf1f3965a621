#include "codegen/emit/schedules/block_tile.h"

#include <algorithm>

#include "codegen/emit/dot_arithmetic.h"
#include "codegen/emit/types.h"

namespace swage::emit {

using ir::DType;
namespace nvvm = llvm::Intrinsic;

namespace {

// Registers hold 64 sums of 4 bytes; of 8 bytes there are a quarter, so that the sides fit too.
bool IsWide(DType acc) { return ir::DTypeBytes(acc) == 8; }

bool HasMma(const ir::Instruction& dot) {
  const DType left = dot.operand(0)->shape().dtype();
  return AccumulatorOf(dot) == DType::kF32 && left == dot.operand(1)->shape().dtype() &&
         (left == DType::kBF16 || left == DType::kF16);
}

// Lines of shared memory end in a few elements that nobody uses, so that neighbouring lines begin
// in different banks.
constexpr int kSumsPad = 4;
constexpr int kMatrixPad = 8;
constexpr int kMatrixDepth = 16;  // of k, in one mma

}  // namespace

int BlockTile::side_width() const { return has_mma ? 8 : IsWide(acc) ? 2 : 4; }

int BlockTile::pitch(int operand, bool by_k) const {
  if (!has_mma) return free(operand) + kSumsPad;
  return (by_k ? depth : free(operand)) + kMatrixPad;
}

int64_t BlockTile::side_bytes(int operand) const {
  const int64_t by_free = int64_t{depth} * pitch(operand, false);
  if (!has_mma) return by_free * (IsWide(acc) ? 8 : 4);
  return 2 * std::max(by_free, int64_t{free(operand)} * pitch(operand, true));
}

int64_t BlockTile::shared_bytes() const {
  const int64_t sums = int64_t{round_rows()} * sum_pitch() * (IsWide(acc) ? 8 : 4);
  return std::max(2 * stage_bytes(), sums);
}

bool HasCoarseTile(const ir::Instruction& dot) { return !IsWide(AccumulatorOf(dot)); }

BlockTile BlockTileFor(const ir::Instruction& dot, bool coarse) {
  BlockTile tile;
  tile.acc = AccumulatorOf(dot);
  tile.has_mma = HasMma(dot);
  tile.side = tile.has_mma ? dot.operand(0)->shape().dtype() : tile.acc;
  tile.rows = tile.columns = coarse ? 128 : 64;
  tile.depth = tile.has_mma ? 32 : coarse || IsWide(tile.acc) ? 8 : 16;
  return tile;
}

llvm::Type* SumType(llvm::LLVMContext& context, const BlockTile& tile) {
  if (ir::IsFloat(tile.acc)) return LaneType(context, tile.acc);
  return llvm::Type::getIntNTy(context, IsWide(tile.acc) ? 64 : 32);
}

llvm::Type* SideType(llvm::LLVMContext& context, const BlockTile& tile) {
  return tile.has_mma ? llvm::Type::getInt16Ty(context) : SumType(context, tile);
}

BlockSums::BlockSums(ValueEmitter& e, const BlockTile& tile, bool left_by_k, bool right_by_k)
    : e_(e),
      b_(e.b()),
      tile_(tile),
      by_k_{left_by_k, right_by_k},
      sum_(SumType(b_.getContext(), tile)),
      side_(SideType(b_.getContext(), tile)) {
  llvm::Value* thread = e.grid()->ThreadInBlock();
  llvm::Value* lane = b_.CreateAnd(thread, kWarp - 1);
  llvm::Value* warp = b_.CreateLShr(thread, 5);
  const auto times = [&](llvm::Value* x, int64_t y) { return b_.CreateMul(x, b_.getInt64(y)); };
  if (!tile.has_mma) {
    // A warp is 4 x 8 threads, and the warps are 4 x 2: few lines of shared memory for each.
    row_ = b_.CreateAdd(times(b_.CreateLShr(warp, 1), 4), b_.CreateLShr(lane, 3));
    column_ = b_.CreateAdd(times(b_.CreateAnd(warp, 1), 8), b_.CreateAnd(lane, 7));
    row_ = times(row_, kLanes);
    column_ = times(column_, kLanes);
    place_[0] = row_;
    place_[1] = column_;
    return;
  }
  // The warps are 2 x 4; each has every second part of 16 rows and every fourth of 8 columns.
  llvm::Value* warp_row = times(b_.CreateLShr(warp, 2), 16);
  llvm::Value* warp_column = times(b_.CreateAnd(warp, 3), 8);
  row_ = b_.CreateAdd(warp_row, b_.CreateLShr(lane, 2));
  column_ = b_.CreateAdd(warp_column, times(b_.CreateAnd(lane, 3), 2));
  // ldmatrix takes the address of a line of each of four matrices from eight lanes each. On the
  // left the matrices are two of rows times two of k, the rows first; on the right two of k times
  // two parts of columns, the k first.
  llvm::Value* line = b_.CreateAnd(lane, 7);
  llvm::Value* low = times(b_.CreateAnd(b_.CreateLShr(lane, 3), 1), 8);
  llvm::Value* high = b_.CreateLShr(lane, 4);
  llvm::Value* const free[2] = {b_.CreateAdd(warp_row, low),
                                b_.CreateAdd(warp_column, times(high, 32))};
  llvm::Value* const k[2] = {times(high, 8), low};
  for (int side = 0; side < 2; ++side) {
    const int pitch = tile.pitch(side, by_k_[side]);
    llvm::Value* first = by_k_[side] ? free[side] : k[side];
    llvm::Value* rest = by_k_[side] ? k[side] : free[side];
    place_[side] = b_.CreateAdd(times(b_.CreateAdd(first, line), pitch), rest);
  }
}

llvm::Value* BlockSums::Plus(llvm::Value* value, int64_t constant) {
  return b_.CreateAdd(value, b_.getInt64(constant));
}

std::vector<llvm::Value*> BlockSums::Zeros() {
  if (tile_.has_mma) {
    return std::vector<llvm::Value*>(static_cast<size_t>(row_parts()) * column_parts() * 4,
                                     llvm::Constant::getNullValue(sum_));
  }
  return std::vector<llvm::Value*>(static_cast<size_t>(row_groups()) * kLanes * column_groups(),
                                   llvm::Constant::getNullValue(VectorOf(sum_, kLanes)));
}

void BlockSums::Add(llvm::Value* left, llvm::Value* right, std::vector<llvm::Value*>* sums) {
  if (tile_.has_mma) {
    AddByWarps(left, right, sums);
  } else {
    AddByThreads(left, right, sums);
  }
}

void BlockSums::AddByThreads(llvm::Value* left, llvm::Value* right,
                             std::vector<llvm::Value*>* sums) {
  llvm::Type* vector = VectorOf(side_, kLanes);
  const auto load = [&](llvm::Value* side, int operand, int k, int group) {
    llvm::Value* mine = b_.CreateGEP(side_, side, place_[operand]);
    const int64_t offset = int64_t{k} * tile_.pitch(operand, false) + group * 64;
    return b_.CreateAlignedLoad(vector, b_.CreateConstGEP1_64(side_, mine, offset),
                                llvm::Align(16));
  };
  for (int k = 0; k < tile_.depth; ++k) {
    std::vector<llvm::Value*> columns;
    for (int g = 0; g < column_groups(); ++g) columns.push_back(load(right, 1, k, g));
    for (int h = 0; h < row_groups(); ++h) {
      llvm::Value* rows = load(left, 0, k, h);
      for (int i = 0; i < kLanes; ++i) {
        llvm::Value* row = b_.CreateShuffleVector(rows, std::vector<int>(kLanes, i));
        for (int g = 0; g < column_groups(); ++g) {
          llvm::Value*& sum = (*sums)[static_cast<size_t>((h * kLanes + i) * column_groups() + g)];
          sum = MultiplyAdd(b_, tile_.acc, row, columns[static_cast<size_t>(g)], sum);
        }
      }
    }
  }
}

std::vector<llvm::Value*> BlockSums::LoadMatrices(llvm::Value* side, int operand, int free, int k) {
  const bool by_k = by_k_[operand];
  const int pitch = tile_.pitch(operand, by_k);
  const int64_t offset = by_k ? int64_t{free} * pitch + k : int64_t{k} * pitch + free;
  llvm::Value* at = b_.CreateGEP(side_, side, place_[operand]);
  at = b_.CreateConstGEP1_64(side_, at, offset);
  // Fragments have pairs of neighbours along k. The left one's first index is its row, the right
  // one's its column, so where lines are along k they are as wanted.
  const auto id = by_k ? nvvm::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16
                       : nvvm::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16;
  llvm::Value* loaded = b_.CreateIntrinsic(id, {at->getType()}, {at});
  std::vector<llvm::Value*> matrices;
  for (unsigned i = 0; i < 4; ++i) matrices.push_back(b_.CreateExtractValue(loaded, i));
  return matrices;
}

llvm::Value* BlockSums::Mma(const std::vector<llvm::Value*>& a, llvm::Value* b0, llvm::Value* b1,
                            llvm::Value* const* c) {
  std::vector<llvm::Value*> args = a;
  args.push_back(b0);
  args.push_back(b1);
  const bool half = tile_.side == DType::kF16;
  if (half) {
    llvm::Type* pair = VectorOf(b_.getHalfTy(), 2);
    for (llvm::Value*& arg : args) arg = b_.CreateBitCast(arg, pair);
  }
  args.insert(args.end(), c, c + 4);
  return b_.CreateIntrinsic(
      half ? nvvm::nvvm_mma_m16n8k16_row_col_f32_f32 : nvvm::nvvm_mma_m16n8k16_row_col_bf16, {},
      args);
}

void BlockSums::AddByWarps(llvm::Value* left, llvm::Value* right, std::vector<llvm::Value*>* sums) {
  for (int k = 0; k < tile_.depth; k += kMatrixDepth) {
    std::vector<llvm::Value*> columns;  // two of k for each part
    for (int n = 0; n < column_parts(); n += 2) {
      for (llvm::Value* matrix : LoadMatrices(right, 1, n * 32, k)) columns.push_back(matrix);
    }
    for (int m = 0; m < row_parts(); ++m) {
      const std::vector<llvm::Value*> rows = LoadMatrices(left, 0, m * 32, k);
      for (int n = 0; n < column_parts(); ++n) {
        llvm::Value** sum = sums->data() + static_cast<size_t>(m * column_parts() + n) * 4;
        const auto right_at = static_cast<size_t>(2 * n);
        llvm::Value* added = Mma(rows, columns[right_at], columns[right_at + 1], sum);
        for (unsigned i = 0; i < 4; ++i) sum[i] = b_.CreateExtractValue(added, i);
      }
    }
  }
}

void BlockSums::Store(const std::vector<llvm::Value*>& sums, llvm::Value* to) {
  const auto at = [&](int row, int column) {
    llvm::Value* first = b_.CreateAdd(b_.CreateMul(row_, b_.getInt64(tile_.sum_pitch())), column_);
    llvm::Value* mine = b_.CreateGEP(sum_, to, first);
    return b_.CreateConstGEP1_64(sum_, mine, int64_t{row} * tile_.sum_pitch() + column);
  };
  if (!tile_.has_mma) {
    for (int i = 0; i < kLanes; ++i) {
      for (int g = 0; g < column_groups(); ++g) {
        llvm::Value* sum = sums[static_cast<size_t>(i * column_groups() + g)];
        b_.CreateAlignedStore(sum, at(i, g * 64), llvm::Align(16));
      }
    }
    return;
  }
  // A thread has two neighbours of a row, and two eight rows below.
  for (int n = 0; n < column_parts(); ++n) {
    const auto first = static_cast<size_t>(n) * 4;
    for (int half = 0; half < 2; ++half) {
      llvm::Value* pair = llvm::PoisonValue::get(VectorOf(sum_, 2));
      for (int i = 0; i < 2; ++i) {
        pair = b_.CreateInsertElement(pair, sums[first + static_cast<size_t>(2 * half + i)], i);
      }
      b_.CreateAlignedStore(pair, at(8 * half, n * 32), llvm::Align(8));
    }
  }
}

}  // namespace swage::emit
