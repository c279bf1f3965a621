#include "compiler/pipelines/gpu.h"

#include "compiler/cost/device_description.h"
#include "compiler/pipelines/stages.h"

namespace swage::pipelines {

using passes::PassContext;
using passes::Pipeline;

std::unique_ptr<Pipeline> GpuPipeline(const CompilerOptions& options) {
  // Neighbouring threads compute neighbouring columns of a dot that is not tiled, and would read a
  // transposed right side in strides.
  auto gpu = BeginPipeline("gpu", Transposes::kApart);
  AddPadding(*gpu, options);
  AddDotCanonicalization(*gpu);
  AddLayouts(*gpu);
  AddReductionNormalization(*gpu);
  AddFusion(*gpu);
  AddPostFusion(*gpu);
  AddBuffers(*gpu);
  return gpu;
}

Status CheckGpuFilters(const CompilerOptions& options) {
  return CheckFilters(options, GpuPipeline);
}

Status RunGpuPipeline(ir::Module* module, PassContext& context) {
  SWAGE_RET_CHECK(context.device() != nullptr && context.device()->is_gpu());
  return RunPipeline(module, context, GpuPipeline);
}

}  // namespace swage::pipelines
