// File: codegen/gpu/launch.h
//
// With how many threads a kernel is launched, for the sizes of a call. One PTX serves all sizes: it
// reads its grid from the special registers.
#ifndef SWAGE_CODEGEN_GPU_LAUNCH_H_
#define SWAGE_CODEGEN_GPU_LAUNCH_H_

#include <cstdint>

#include "base/status.h"
#include "codegen/emit/launch_plan.h"
#include "compiler/ir/dim.h"

namespace swage::gpu {

using emit::LaunchPlan;

struct Launch {
  int64_t blocks = 0;  // grid.x; 0: there is nothing to do, and no launch
  int threads_x = 1, threads_y = 1;
};

// ResourceExhausted for more blocks than a grid can have.
StatusOr<Launch> LaunchFor(const LaunchPlan& plan, const ir::SymbolBinding& sizes);

}  // namespace swage::gpu

#endif  // SWAGE_CODEGEN_GPU_LAUNCH_H_
