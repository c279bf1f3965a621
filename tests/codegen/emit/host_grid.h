// File: tests/codegen/emit/host_grid.h
//
// Runs the IR of a GPU kernel on the CPU: threads of a block are fibers, what LLVM calls nvvm
// intrinsics are functions of ours. It shows what a kernel computes, not how fast, and nothing of
// the PTX.
#ifndef SWAGE_TESTS_CODEGEN_EMIT_HOST_GRID_H_
#define SWAGE_TESTS_CODEGEN_EMIT_HOST_GRID_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"

namespace swage::emit {

struct GridShape {
  int64_t blocks = 0;
  int threads_x = 1, threads_y = 1;
};

class HostGrid {
 public:
  // The kernel `name`, with this many pointers and then extents. Changes the module.
  static StatusOr<HostGrid> Compile(llvm::Module& module, const char* name, size_t pointers,
                                    size_t extents);

  // Internal when threads wait for one another for ever.
  // `together`: threads use warps or barriers.
  Status Run(const GridShape& shape, bool together, const std::vector<void*>& pointers,
             const std::vector<int64_t>& extents) const;

 private:
  using Entry = void (*)(void* const*, const int64_t*);

  std::unique_ptr<llvm::orc::LLJIT> jit_;
  Entry entry_ = nullptr;
};

}  // namespace swage::emit

#endif  // SWAGE_TESTS_CODEGEN_EMIT_HOST_GRID_H_
