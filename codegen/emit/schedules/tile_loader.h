// File: codegen/emit/schedules/tile_loader.h
//
// One side of a dot on its way from memory to the shared memory of a block. Every thread fetches
// the same number of elements of each stage into registers, and puts them into shared memory later,
// when nobody reads what was there.
//
// What lies beyond the matrix is not read: places are moved inside. Beyond the last row or column
// that only makes sums that nobody wants; beyond the last k zeros are put.
//
// A side that lies in memory is fetched in vectors of 16 bytes where the kernel's extents, asked at
// run time, make them aligned; otherwise, and where a side is computed, element by element.
#ifndef SWAGE_CODEGEN_EMIT_SCHEDULES_TILE_LOADER_H_
#define SWAGE_CODEGEN_EMIT_SCHEDULES_TILE_LOADER_H_

#include <optional>
#include <vector>

#include "codegen/emit/schedules/block_tile.h"
#include "codegen/emit/schedules/dot_axes.h"

namespace swage::emit {

class TileLoader {
 public:
  TileLoader(ValueEmitter& e, const ir::Instruction* dot, int operand, const BlockTile& tile);

  // Whether neighbours in memory are along k, and so in shared memory where it may be either.
  bool by_k() const { return by_k_; }

  // Runs `body` where the side's batch and first row or column are known.
  Status Within(llvm::Value* batch, llvm::Value* begin, LoopNest::Body body);
  // Inside: what this thread fetches of the stage that begins at k0, `vectors` values.
  StatusOr<std::vector<llvm::Value*>> Fetch(llvm::Value* k0);
  // That many values of the same types.
  std::vector<llvm::Value*> Nothing();
  // Puts what was fetched.
  Status Put(std::vector<llvm::Value*> fetched, llvm::Value* k0, llvm::Value* to);

 private:
  // One way to share out the elements of a stage to the threads. A thread's first one is at `free`
  // and `k` of the tile.
  struct Split {
    DotAxes axes;
    AxisId free_axis;
    IndexId index;
    llvm::Value* free = nullptr;
    llvm::Value* k = nullptr;
  };
  Split NewSplit();
  bool HasVectorsAlong(bool k);
  void Bind(const Split& split, llvm::Value* batch, llvm::Value* begin, int width);
  StatusOr<std::vector<llvm::Value*>> FetchVectors(llvm::Value* k0);
  StatusOr<std::vector<llvm::Value*>> FetchElements(llvm::Value* k0);
  StatusOr<llvm::Value*> At(const Split& split, AxisId lane_axis, llvm::Value* k, int width);
  // How far along k an element of a vector is from the thread's first, where they are fetched one
  // by one.
  int ElementOf(int vector, int i) const { return vector * step_ + (by_k_ ? i : i * threads_); }
  // Which elements of a fetched vector are before the end of k.
  llvm::Value* IsBefore(int vector, llvm::Value* rest);
  void PutVectors(const std::vector<llvm::Value*>& values, llvm::Value* to);
  void PutElements(const std::vector<llvm::Value*>& values, llvm::Value* to);
  llvm::Value* ToSide(llvm::Value* value);
  llvm::Value* Plus(llvm::Value* value, int64_t constant) {
    return b_.CreateAdd(value, b_.getInt64(constant));
  }

  ValueEmitter& e_;
  llvm::IRBuilder<>& b_;
  const ir::Instruction* dot_;
  int operand_;
  BlockTile tile_;
  const ir::Instruction* value_;
  int width_, vectors_;
  int threads_;  // that take neighbours along k, element by element
  int step_;     // along k from a thread's vector to its next
  bool by_k_ = false;
  std::optional<std::vector<ir::Dim>> multiples_;  // of the width, for vectors; nullopt: never
  Split by_vectors_, by_elements_;                 // the same one by k
  llvm::Value* aligned_ = nullptr;
  llvm::Value *free_extent_ = nullptr, *depth_ = nullptr;
};

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_SCHEDULES_TILE_LOADER_H_
