// File: compiler/pipelines/gpu.h
//
// The GPU compiler's passes, in order: gpu.cc reads as cpu.cc does. No card is needed; what fusion
// decides follows from the device description in the context.
//
//   PassContext context(options, &device);
//   SWAGE_RETURN_IF_ERROR(RunGpuPipeline(module.get(), context));
#ifndef SWAGE_COMPILER_PIPELINES_GPU_H_
#define SWAGE_COMPILER_PIPELINES_GPU_H_

#include <memory>

#include "compiler/passes/pipeline.h"
#include "compiler/pipelines/options.h"

namespace swage::pipelines {

std::unique_ptr<passes::Pipeline> GpuPipeline(const CompilerOptions& options);

// InvalidArgument for a bad filter in the options, which may be one for the CPU: what
// RunGpuPipeline would say, before there is a module.
Status CheckGpuFilters(const CompilerOptions& options);

// InvalidArgument for a bad filter in the options, or a module that does not verify. Internal when
// a pass fails; the module is then in the state that the dump shows last.
Status RunGpuPipeline(ir::Module* module, passes::PassContext& context);

}  // namespace swage::pipelines

#endif  // SWAGE_COMPILER_PIPELINES_GPU_H_
