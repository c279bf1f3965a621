#include "tools/target.h"

#include <vector>

#include "absl/strings/str_join.h"
#include "base/nearest.h"
#include "compiler/pipelines/cpu.h"
#include "compiler/pipelines/gpu.h"

namespace swage::tools {
namespace {

std::vector<std::string> Names() {
  std::vector<std::string> names{"cpu"};
  for (const cost::DeviceDescription& gpu : cost::KnownGpus()) names.push_back(gpu.name);
  return names;
}

}  // namespace

std::string GpuNames() {
  std::vector<std::string> names = Names();
  names.erase(names.begin());  // the CPU
  return absl::StrJoin(names, ", ");
}

std::string TargetNames() { return absl::StrJoin(Names(), ", "); }

StatusOr<cost::DeviceDescription> TargetNamed(std::string_view target) {
  if (target == "cpu") return cost::HostCpu();
  StatusOr<cost::DeviceDescription> gpu = cost::GpuNamed(target);
  if (gpu.ok()) return gpu;
  return InvalidArgument("[target] no target '", ToAbsl(target), "', expected one of ",
                         TargetNames(), DidYouMean(target, Names()));
}

std::unique_ptr<passes::Pipeline> PipelineFor(const cost::DeviceDescription& target,
                                              const pipelines::CompilerOptions& options) {
  return target.is_gpu() ? pipelines::GpuPipeline(options) : pipelines::CpuPipeline(options);
}

Status RunPipelineFor(ir::Module* module, passes::PassContext& context) {
  return context.device()->is_gpu() ? pipelines::RunGpuPipeline(module, context)
                                    : pipelines::RunCpuPipeline(module, context);
}

}  // namespace swage::tools
