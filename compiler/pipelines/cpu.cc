#include "compiler/pipelines/cpu.h"

#include "compiler/pipelines/stages.h"

namespace swage::pipelines {

using passes::PassContext;
using passes::Pipeline;

std::unique_ptr<Pipeline> CpuPipeline(const CompilerOptions& options) {
  auto cpu = BeginPipeline("cpu", Transposes::kIntoDots);
  AddPadding(*cpu, options);
  AddDotCanonicalization(*cpu);
  AddLayouts(*cpu);
  AddReductionNormalization(*cpu);
  AddFusion(*cpu);
  AddPostFusion(*cpu);
  AddBuffers(*cpu);
  return cpu;
}

Status CheckCpuFilters(const CompilerOptions& options) {
  return CheckFilters(options, CpuPipeline);
}

Status RunCpuPipeline(ir::Module* module, PassContext& context) {
  return RunPipeline(module, context, CpuPipeline);
}

}  // namespace swage::pipelines
