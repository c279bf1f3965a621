// File: codegen/emit/kernel_emitter.h
//
// A planned fusion into one LLVM function. For a CPU
//
//   void name(const KernelArgs* args, int64_t begin, int64_t end)
//
// which runs the tasks [begin, end) of the plan's task axis. args->buffers: the parameters in
// order, then the outputs; args->dims: the plan's run-time extents. For a GPU
//
//   ptx_kernel void name(T* buffer0, T* buffer1, ..., int64_t dim0, int64_t dim1, ...)
//
// with the same buffers, which are aligned to kGpuBufferAlignment, and the same extents. Which
// threads its grid has follows from plan.sharing (sharing.h).
//
// The function does not unwind, calls nothing, keeps no state, and does not assume that buffers do
// not overlap.
#ifndef SWAGE_CODEGEN_EMIT_KERNEL_EMITTER_H_
#define SWAGE_CODEGEN_EMIT_KERNEL_EMITTER_H_

#include <string>
#include <string_view>
#include <vector>

#include "codegen/emit/schedule.h"
#include "llvm/IR/Module.h"

namespace swage::emit {

struct EmittedKernel {
  std::string name;
  std::vector<ir::Dim> dims;
  ir::Dim tasks;
  int64_t ir_instructions = 0;
};

// ResourceExhausted when the kernel grows beyond options.ir_cap: the caller splits the fusion.
StatusOr<EmittedKernel> EmitKernel(const KernelPlan& plan, llvm::Module* module,
                                   std::string_view name);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_KERNEL_EMITTER_H_
