// File: codegen/emit/thread_grid.h
//
// The threads of a GPU kernel, as a kernel that is being emitted sees them. Which of them share a
// task: codegen/emit/sharing.h.
#ifndef SWAGE_CODEGEN_EMIT_THREAD_GRID_H_
#define SWAGE_CODEGEN_EMIT_THREAD_GRID_H_

#include <map>
#include <string>

#include "base/status.h"
#include "codegen/emit/loop_nest.h"
#include "codegen/emit/sharing.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

namespace swage::emit {

// Address spaces of NVPTX.
inline constexpr unsigned kGlobalSpace = 1;
inline constexpr unsigned kSharedSpace = 3;

class ThreadGrid {
 public:
  ThreadGrid(LoopNest* nest, Sharing sharing) : nest_(nest), sharing_(sharing) {}

  Sharing sharing() const { return sharing_; }

  // All i64 and of the outermost scope.
  llvm::Value* Thread();        // the thread in the grid
  llvm::Value* Team();          // the team in the grid
  llvm::Value* ThreadInTeam();  // from 0
  llvm::Value* TeamSize();      // threads
  llvm::Value* Lane();          // the thread in its warp
  llvm::Value* Warp();          // the warp in its team
  llvm::Value* TeamWarps();
  llvm::Value* FirstWarp();      // the team's first warp in the block
  llvm::Value* Column();         // the task in the grid, of columns; may be behind the last
  llvm::Value* Line();           // of the block, from 0: tid.y
  llvm::Value* Share();          // of this thread in its group of a column, from 0
  llvm::Value* Group();          // of this thread in its column
  llvm::Value* Groups();         // of a column
  llvm::Value* Block();          // the block in the grid
  llvm::Value* ThreadInBlock();  // from 0, over both of the block's dimensions
  llvm::Value* IsFlat();         // i1: the block is one line of threads (sharing.h)

  // What the thread `distance` lanes behind this one holds; garbage where there is none. All
  // threads of the warp are here.
  llvm::Value* ShuffleDown(llvm::Value* value, int distance);
  // What the first thread of the warp holds.
  llvm::Value* FromFirst(llvm::Value* value);
  // Waits for all threads of the team; of the block, where it shares columns, tiles or squares.
  Status Sync();
  // An array of the block's shared memory, in elements of `type`, for vectors of 16 bytes.
  llvm::Value* Shared(llvm::Type* type, int64_t count);

 private:
  llvm::Value* Register(llvm::Intrinsic::ID id);
  llvm::Value* Once(const char* name, FunctionRef<llvm::Value*()> emit);
  llvm::Value* Shuffle(llvm::Intrinsic::ID id, llvm::Value* value, int operand, int clamp);
  llvm::Value* ShuffleWord(llvm::Intrinsic::ID id, llvm::Value* word, int operand, int clamp);
  llvm::IRBuilder<>& b() { return nest_->builder(); }

  LoopNest* nest_;
  Sharing sharing_;
  std::map<std::string, llvm::Value*> values_;
};

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_THREAD_GRID_H_
