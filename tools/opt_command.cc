#include "tools/opt_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <limits>
#include <memory>

#include "absl/strings/str_format.h"
#include "base/files.h"
#include "codegen/gpu/kernels.h"
#include "compiler/cost/device_description.h"
#include "compiler/cost/kernel_prediction.h"
#include "compiler/ir/computation.h"
#include "tools/device.h"
#include "tools/target.h"

namespace swage::tools {
namespace {

std::string Time(int64_t picoseconds) {
  if (picoseconds == std::numeric_limits<int64_t>::max()) return "infinite";
  return absl::StrFormat("%.3f us", static_cast<double>(picoseconds) * 1e-6);
}

// One line per decision: who, and the numbers or the rule.
void PrintDecision(const passes::FusionDecision& decision) {
  std::string line =
      absl::StrCat(decision.fused ? "fused    " : "refused  ", decision.producer, " -> ",
                   decision.consumer.empty() ? "all consumers" : decision.consumer);
  if (decision.rule.empty()) {
    absl::StrAppend(&line, ": unfused ", Time(decision.time_unfused), ", fused ",
                    Time(decision.time_fused), ", priority ", Time(decision.priority));
    if (!decision.reason.empty()) absl::StrAppend(&line, " (", decision.reason, ")");
  } else {
    absl::StrAppend(&line, ": [", decision.rule, "] ", decision.reason);
  }
  std::puts(line.c_str());
}

// The kernels of a GPU module with what the cost model expects of them. Nobody has run them.
std::string KernelTable(const std::vector<gpu::GpuKernel>& kernels,
                        const cost::DeviceDescription& device) {
  std::string table = absl::StrFormat(
      "Predicted for %s, not measured; without the launch (%.1f us).\n"
      "%-32s %12s %12s %12s  %-8s %s\n",
      device.name, static_cast<double>(device.launch_ns) * 1e-3, "kernel", "bytes", "flops",
      "time us", "bound", "schedule");
  std::string refused;
  for (const gpu::GpuKernel& kernel : kernels) {
    const cost::KernelPrediction p = cost::PredictKernel(*kernel.fusion, device);
    const Status launch = gpu::LaunchFor(kernel.sizes.launch, {}).status();
    const bool fits = !absl::IsResourceExhausted(launch);
    if (!fits) {
      absl::StrAppend(&refused, kernel.fusion->name(), " cannot be run: ", launch.message(), "\n");
    }
    absl::StrAppendFormat(
        &table, "%-32s %12.0f %12.0f %12.3f  %-8s %s\n", kernel.fusion->name(), p.bytes, p.flops,
        fits ? static_cast<double>(p.time_ps) * 1e-6 : std::numeric_limits<double>::infinity(),
        fits ? std::string(cost::BoundName(p.bound)) : "refused", kernel.plan);
  }
  return table + refused;
}

// PTX of every kernel, into the dump where there is one; the table.
StatusOr<std::string> CompileForGpu(const ir::Module& module, passes::PassContext& context) {
  const cost::DeviceDescription& device = *context.device();
  SWAGE_ASSIGN_OR_RETURN(const gpu::GpuTarget target, gpu::GpuTarget::For(device));
  gpu::KernelOptions options;
  options.keep_ir = context.is_dumping();
  SWAGE_ASSIGN_OR_RETURN(const std::vector<gpu::GpuKernel> kernels,
                         gpu::CompileKernels(module, target, options));
  std::string table = KernelTable(kernels, device);
  if (!context.is_dumping()) return table;
  for (const gpu::GpuKernel& kernel : kernels) {
    const std::string& name = kernel.fusion->fused_computation()->name();
    const std::string what = absl::StrCat("kernel of ", kernel.fusion->name(), ": ", kernel.plan);
    context.DumpFile(absl::StrCat(name, ".ll"), kernel.code->ir, "LLVM IR, " + what);
    context.DumpFile(absl::StrCat(name, ".ptx"), kernel.code->ptx,
                     absl::StrCat("PTX for ", target.sm(), ", ", what));
  }
  context.DumpFile("predicted-times.txt", table, "predicted times of the kernels");
  return table;
}

}  // namespace

StatusOr<ExitCode> RunOpt(const OptOptions& options) {
  SWAGE_ASSIGN_OR_RETURN(const cost::DeviceDescription target, TargetNamed(options.target));
  if (options.kernels && !target.is_gpu()) {
    return InvalidArgument("[opt] --kernels with the target ", options.target,
                           ", expected --target ", GpuNames(),
                           ": only a GPU's kernels are predicted");
  }
  SWAGE_ASSIGN_OR_RETURN(passes::CompilerOptions compiler, passes::OptionsFromEnvironment());
  if (!options.disable_passes.empty()) compiler.disable_passes = options.disable_passes;
  if (!options.only_passes.empty()) compiler.only_passes = options.only_passes;
  compiler.dump_passes = options.dump_passes;
  compiler.fast_math = compiler.fast_math || options.fast_math;
  if (!options.dump_to.empty()) compiler.dump_to = options.dump_to;
  if (!options.dump_passes.empty() && compiler.dump_to.empty()) {
    return InvalidArgument("[opt] --dump-pass without a folder for the dumps, give --dump-to DIR");
  }
  // A compilation goes on without its dumps; here they are what was asked for.
  if (!options.dump_to.empty()) SWAGE_RETURN_IF_ERROR(MakeDirectories(options.dump_to));

  SWAGE_ASSIGN_OR_RETURN(std::unique_ptr<ir::Module> module, LoadModule(options.module));
  passes::PassContext context(compiler, &target);
  const Status status = RunPipelineFor(module.get(), context);
  for (const passes::Message& message : context.messages()) {
    std::fprintf(stderr, "%s\n", message.text.c_str());
  }
  SWAGE_RETURN_IF_ERROR(status);
  std::string kernels;
  if (target.is_gpu()) {
    SWAGE_ASSIGN_OR_RETURN(kernels, CompileForGpu(*module, context));
  }
  if (options.kernels) {
    std::fputs(kernels.c_str(), stdout);
  } else if (options.fusion) {
    for (const passes::FusionDecision& decision : *context.fusion_decisions()) {
      PrintDecision(decision);
    }
  } else {
    std::fputs(module->ToString().c_str(), stdout);
  }
  return kFine;
}

void AddOptCommand(CLI::App& app, Action* chosen) {
  auto options = std::make_shared<OptOptions>();
  CLI::App* command =
      app.add_subcommand("opt", "Runs the passes on a module and prints the result");
  command->add_option("module", options->module, "HLO text file")->required();
  command->add_option("--target", options->target,
                      "What to compile for, a card need not be there: " + TargetNames());
  command
      ->add_option("--disable-pass", options->disable_passes,
                   "A pass not to run: name, pipeline/name or name:k; repeatable")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--only-pass", options->only_passes,
                   "The passes to run, and no others; repeatable")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--dump-to", options->dump_to,
                      "Folder for a dump after every pass that changed something");
  command
      ->add_option("--dump-pass", options->dump_passes,
                   "Which passes to dump: name or regex; repeatable")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_flag("--fusion", options->fusion,
                    "Print every fusion decision with its times or its veto");
  command->add_flag("--kernels", options->kernels,
                    "Print the GPU kernels with their predicted times");
  command->add_flag("--fast-math", options->fast_math, "Allow rewrites that change values");
  command->callback([=] { *chosen = [=] { return RunOpt(*options); }; });
}

}  // namespace swage::tools
