#include "tools/opt_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <limits>
#include <memory>

#include "absl/strings/str_format.h"
#include "base/files.h"
#include "compiler/cost/device_description.h"
#include "compiler/pipelines/cpu.h"
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

}  // namespace

StatusOr<ExitCode> RunOpt(const OptOptions& options) {
  SWAGE_RETURN_IF_ERROR(CheckTarget(options.target));
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
  passes::PassContext context(compiler, &cost::HostCpu());
  const Status status = pipelines::RunCpuPipeline(module.get(), context);
  for (const passes::Message& message : context.messages()) {
    std::fprintf(stderr, "%s\n", message.text.c_str());
  }
  SWAGE_RETURN_IF_ERROR(status);
  if (options.fusion) {
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
  command->add_option("--target", options->target, "What to compile for: cpu");
  command
      ->add_option("--disable-pass", options->disable_passes,
                   "A pass not to run: name, pipeline/name or name:k; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--only-pass", options->only_passes,
                   "The passes to run, and no others; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--dump-to", options->dump_to,
                      "Folder for a dump after every pass that changed something");
  command
      ->add_option("--dump-pass", options->dump_passes,
                   "Which passes to dump: name or regex; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_flag("--fusion", options->fusion,
                    "Print every fusion decision with its times or its veto");
  command->add_flag("--fast-math", options->fast_math, "Allow rewrites that change values");
  command->callback([=] { *chosen = [=] { return RunOpt(*options); }; });
}

}  // namespace swage::tools
