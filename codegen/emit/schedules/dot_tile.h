// File: codegen/emit/schedules/dot_tile.h
//
// The innermost part of a dot: a tile of sums in registers over one block of k.
#ifndef SWAGE_CODEGEN_EMIT_SCHEDULES_DOT_TILE_H_
#define SWAGE_CODEGEN_EMIT_SCHEDULES_DOT_TILE_H_

#include "codegen/emit/value_emitter.h"

namespace swage::emit {

struct TileShape {
  ir::DType acc = ir::DType::kF32;  // what the sums are
  int lanes = 16;                   // of one vector of sums
  int vectors = 2;                  // columns: vectors * lanes
  int rows = 14;                    // of the largest tile
  bool bf16_pairs = false;          // sides are pairs of bf16: vdpbf16ps
  // Tiles of one task, one below the other, which share a packed panel; fewer where the left side
  // is packed too, which takes stack.
  int chunk_tiles = 16;

  int columns() const { return lanes * vectors; }
  // Products between two visits of the sums in memory: a packed panel of 32 KiB, even.
  int64_t depth() const { return 32768 / (columns() * ir::DTypeBytes(acc)); }
  // Rows of the tiles, largest first; they add up to any number of rows.
  std::vector<int> Bodies() const;
};

// A dot of one row gets a tile of one row and many columns: whole lines of the right side.
TileShape TileFor(const ir::Instruction& dot, bool one_row, const EmitOptions& options);

// Where the sides lie: addresses of element (0, 0) of the tile and byte strides.
struct TileSides {
  llvm::Value* lhs = nullptr;      // row 0
  llvm::Value* lhs_row = nullptr;  // from row to row
  llvm::Value* lhs_k = nullptr;    // from k to k + 1
  llvm::Value* rhs = nullptr;      // `columns` elements per k (pairs: per two k)
  llvm::Value* rhs_k = nullptr;    // from k (pair) to the next
  llvm::Value* count = nullptr;    // number of k
};

// sums[r * columns + j] += lhs[r][k] * rhs[k][j] over all k, for r < rows.
Status EmitTile(ValueEmitter& e, const TileShape& shape, int rows, const TileSides& sides,
                llvm::Value* sums);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_SCHEDULES_DOT_TILE_H_
