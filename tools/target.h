// File: tools/target.h
//
// The --target of `opt` and `passes`: the CPU, or a card, which need not be there.
#ifndef SWAGE_TOOLS_TARGET_H_
#define SWAGE_TOOLS_TARGET_H_

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "compiler/cost/device_description.h"
#include "compiler/passes/pipeline.h"
#include "compiler/pipelines/options.h"

namespace swage::tools {

// "cpu, a100, ...", for help and errors.
std::string TargetNames();
std::string GpuNames();  // those of them that are GPUs

// What to compile for. InvalidArgument, with the nearest names, for a target that does not exist.
StatusOr<cost::DeviceDescription> TargetNamed(std::string_view target);

// The passes of the target.
std::unique_ptr<passes::Pipeline> PipelineFor(const cost::DeviceDescription& target,
                                              const pipelines::CompilerOptions& options);
Status RunPipelineFor(ir::Module* module, passes::PassContext& context);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_TARGET_H_
