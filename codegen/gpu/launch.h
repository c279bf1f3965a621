// File: codegen/gpu/launch.h
//
// With how many threads a kernel is launched, for the sizes of a call. One PTX serves all sizes: it
// reads its grid from the special registers.
#ifndef SWAGE_CODEGEN_GPU_LAUNCH_H_
#define SWAGE_CODEGEN_GPU_LAUNCH_H_

#include <cstdint>

#include "base/status.h"
#include "codegen/emit/schedule.h"
#include "codegen/emit/sharing.h"
#include "compiler/ir/dim.h"

namespace swage::gpu {

// What the grid depends on; symbols are those of the kernel's run-time extents, or of the program.
struct LaunchPlan {
  emit::Sharing sharing = emit::Sharing::kNothing;
  ir::Dim tasks = 0;
  ir::Dim shared_extent = 1;  // what the threads of a team share out
  ir::Dim coarse_tasks = 0;   // tiles, if they are coarse; 0: they never are

  static LaunchPlan Of(const emit::KernelPlan& plan);

  LaunchPlan Substitute(const std::vector<std::pair<const ir::Symbol*, ir::Dim>>& values) const;
};

struct Launch {
  int64_t blocks = 0;  // grid.x; 0: there is nothing to do, and no launch
  int threads_x = 1, threads_y = 1;
};

// ResourceExhausted for more blocks than a grid can have.
StatusOr<Launch> LaunchFor(const LaunchPlan& plan, const ir::SymbolBinding& sizes);

}  // namespace swage::gpu

#endif  // SWAGE_CODEGEN_GPU_LAUNCH_H_
