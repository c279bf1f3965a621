// File: tests/codegen/gpu/gpu_modules.h
//
// Modules through the GPU pipeline to kernels, for tests.
#ifndef SWAGE_TESTS_CODEGEN_GPU_GPU_MODULES_H_
#define SWAGE_TESTS_CODEGEN_GPU_GPU_MODULES_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/gpu/kernels.h"
#include "compiler/cost/device_description.h"
#include "compiler/ir/parser.h"
#include "compiler/pipelines/gpu.h"

namespace swage::gpu {

struct Compiled {
  std::unique_ptr<ir::Module> module;  // what the kernels point into
  std::vector<GpuKernel> kernels;
  std::vector<passes::FusionDecision> decisions;
};

inline StatusOr<Compiled> CompileText(std::string_view hlo, const std::string& card) {
  Compiled compiled;
  SWAGE_ASSIGN_OR_RETURN(const cost::DeviceDescription device, cost::GpuNamed(card));
  SWAGE_ASSIGN_OR_RETURN(compiled.module, ir::ParseHlo(hlo));
  passes::PassContext context({}, &device);
  SWAGE_RETURN_IF_ERROR(pipelines::RunGpuPipeline(compiled.module.get(), context));
  compiled.decisions = *context.fusion_decisions();
  SWAGE_ASSIGN_OR_RETURN(const GpuTarget target, GpuTarget::For(device));
  KernelOptions options;
  options.keep_ir = true;
  SWAGE_ASSIGN_OR_RETURN(compiled.kernels, CompileKernels(*compiled.module, target, options));
  return compiled;
}

}  // namespace swage::gpu

#endif  // SWAGE_TESTS_CODEGEN_GPU_GPU_MODULES_H_
