// File: codegen/gpu/kernels.h
//
// The fusions of a scheduled module as PTX kernels. No card is needed.
//
//   SWAGE_RETURN_IF_ERROR(pipelines::RunGpuPipeline(module.get(), context));
//   SWAGE_ASSIGN_OR_RETURN(GpuTarget target, GpuTarget::For(device));
//   SWAGE_ASSIGN_OR_RETURN(std::vector<GpuKernel> kernels, CompileKernels(*module, target, {}));
#ifndef SWAGE_CODEGEN_GPU_KERNELS_H_
#define SWAGE_CODEGEN_GPU_KERNELS_H_

#include <memory>
#include <string>
#include <vector>

#include "codegen/emit/emit_options.h"
#include "codegen/gpu/gpu_target.h"
#include "codegen/gpu/launch.h"
#include "codegen/gpu/ptx_emitter.h"
#include "compiler/ir/module.h"

namespace swage::gpu {

// The kernel of one fusion. Its arguments: a pointer for each operand and each result, then an i64
// for each of `sizes.dims`.
struct GpuKernel {
  const ir::Instruction* fusion = nullptr;
  std::string key;                         // serialised
  std::shared_ptr<const EmittedPtx> code;  // fusions of one key share it
  emit::RunTimeSizes sizes;                // numbers, or in the module's symbols
  std::string plan;                        // the schedule in words
};

struct KernelOptions {
  emit::EmitOptions emit = emit::EmitOptions::ForGpu();
  bool baked_dims = false;
  bool keep_ir = false;
};

StatusOr<GpuKernel> CompileKernel(const ir::Instruction& fusion, const GpuTarget& target,
                                  const KernelOptions& options);

// Those of all fusions, in their order. Each key is compiled once.
StatusOr<std::vector<GpuKernel>> CompileKernels(const ir::Module& module, const GpuTarget& target,
                                                const KernelOptions& options);

}  // namespace swage::gpu

#endif  // SWAGE_CODEGEN_GPU_KERNELS_H_
