// File: codegen/emit/schedules/block_tile.h
//
// The tile of a dot that one block of a GPU computes: its size, how its sides lie in shared memory,
// and the sums, which the threads hold in registers.
//
// Sums come in two kinds. Without matrix units each thread has 4 x 4 neighbours, or two times two
// of them, and adds one k after another. With them (sides both bf16 or both f16, sums in f32) a
// warp has parts of 16 x 8, and mma.sync.m16n8k16 adds sixteen k at once.
#ifndef SWAGE_CODEGEN_EMIT_SCHEDULES_BLOCK_TILE_H_
#define SWAGE_CODEGEN_EMIT_SCHEDULES_BLOCK_TILE_H_

#include <cstdint>
#include <vector>

#include "codegen/emit/value_emitter.h"

namespace swage::emit {

struct BlockTile {
  ir::DType acc = ir::DType::kF32;   // what the sums are
  ir::DType side = ir::DType::kF32;  // what the sides are in shared memory
  bool has_mma = false;
  int rows = 64;
  int columns = 64;
  int depth = 16;  // of k, between two barriers

  // Of side 0, the left one, or side 1.
  int free(int operand) const { return operand == 0 ? rows : columns; }
  // Elements that a thread takes from memory at once.
  int side_width() const;
  // Sides lie k by k, so that neighbours along the other axis are neighbours; or, for matrix units,
  // also the other way round, as they come (`by_k`). From one line to the next, in elements:
  int pitch(int operand, bool by_k) const;
  int64_t side_bytes(int operand) const;
  // Both sides twice: one pair is filled while the other is read.
  int64_t stage_bytes() const { return side_bytes(0) + side_bytes(1); }
  // The sums are written out in rounds, of so many rows of the tile each.
  int round_rows() const { return has_mma ? 32 : 64; }
  int rounds() const { return rows / round_rows(); }
  int sum_pitch() const { return columns + 8; }
  int64_t shared_bytes() const;
};

// `coarse`: as large as the registers allow. Some dots have only fine tiles.
bool HasCoarseTile(const ir::Instruction& dot);
BlockTile BlockTileFor(const ir::Instruction& dot, bool coarse);

// Sums and sides as LLVM has them: f32, f64, i32 or i64, and the small floats of sides as i16.
llvm::Type* SumType(llvm::LLVMContext& context, const BlockTile& tile);
llvm::Type* SideType(llvm::LLVMContext& context, const BlockTile& tile);

// A thread's part in the sums. Made in the scope of the tile.
class BlockSums {
 public:
  // How each side lies in shared memory.
  BlockSums(ValueEmitter& e, const BlockTile& tile, bool left_by_k, bool right_by_k);

  std::vector<llvm::Value*> Zeros();
  // Adds what `depth` of k give; the sides are in shared memory.
  void Add(llvm::Value* left, llvm::Value* right, std::vector<llvm::Value*>* sums);
  // Writes the sums of one round, the first of `sums`, to shared memory, as rows of sum_pitch
  // elements. All rounds have equally many.
  void Store(const std::vector<llvm::Value*>& sums, llvm::Value* to);

 private:
  // Of the sums without matrix units: a vector of kLanes columns.
  static constexpr int kLanes = 4;
  int row_groups() const { return tile_.rows / 64; }
  int column_groups() const { return tile_.columns / 64; }
  // With them: parts of 16 rows and of 8 columns, for each warp.
  int row_parts() const { return tile_.rows / 32; }
  int column_parts() const { return tile_.columns / 32; }

  void AddByThreads(llvm::Value* left, llvm::Value* right, std::vector<llvm::Value*>* sums);
  void AddByWarps(llvm::Value* left, llvm::Value* right, std::vector<llvm::Value*>* sums);
  // Four 8 x 8 matrices of a side, from the place `free` and `k` of the tile on.
  std::vector<llvm::Value*> LoadMatrices(llvm::Value* side, int operand, int free, int k);
  llvm::Value* Mma(const std::vector<llvm::Value*>& a, llvm::Value* b0, llvm::Value* b1,
                   llvm::Value* const* c);
  llvm::Value* Plus(llvm::Value* value, int64_t constant);

  ValueEmitter& e_;
  llvm::IRBuilder<>& b_;
  BlockTile tile_;
  bool by_k_[2];
  llvm::Type* sum_;
  llvm::Type* side_;
  llvm::Value* place_[2];  // of this thread in the sides, in elements; of its lane's line of them
  llvm::Value *row_, *column_;  // of this thread's first sum in a round
};

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_SCHEDULES_BLOCK_TILE_H_
