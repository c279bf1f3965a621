#include "compiler/pipelines/gpu.h"

#include "compiler/cost/device_description.h"
#include "compiler/passes/cse.h"
#include "compiler/passes/dce.h"
#include "compiler/passes/reduction_splitter.h"
#include "compiler/passes/reshape_decomposer.h"
#include "compiler/pipelines/stages.h"

namespace swage::pipelines {

using namespace passes;  // NOLINT: this file is nothing but their names

namespace {

// Reduces that keep the card busy: each result is the work of one team of threads.
void AddReductionNormalization(Pipeline& pipeline) {
  Pipeline& reductions = pipeline.AddPipeline("reduction-normalization");
  reductions.AddPass<ReductionSplitter>();
  reductions.AddPass<ReshapeDecomposer>();
  reductions.AddPass<Cse>();
  reductions.AddPass<Dce>();
}

}  // namespace

std::unique_ptr<Pipeline> GpuPipeline(const CompilerOptions& options) {
  // Neighbouring threads compute neighbouring columns of a dot that is not tiled, and would read a
  // transposed right side in strides.
  auto gpu = BeginPipeline("gpu", Transposes::kApart);
  AddPadding(*gpu, options);
  AddDotCanonicalization(*gpu);
  AddLayouts(*gpu);
  AddReductionNormalization(*gpu);
  AddFusion(*gpu);
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
