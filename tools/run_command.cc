#include "tools/run_command.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/files.h"
#include "compiler/ir/npy.h"
#include "tools/device.h"
#include "tools/random_inputs.h"

namespace swage::tools {
namespace {

// Files in the order of the parameters' leaves. A file does not say bf16 or f8: the module does.
StatusOr<std::vector<ir::Literal>> ReadInputs(const RunOptions& options, const ir::Module& module) {
  int64_t wanted = 0;
  for (const ir::Instruction* parameter : module.entry()->parameters()) {
    wanted += ir::LeafCount(parameter->shape());
  }
  if (static_cast<int64_t>(options.inputs.size()) != wanted) {
    return InvalidArgument("[run] got ", options.inputs.size(), " input files, ", options.module,
                           " takes ", wanted, options.inputs.empty() ? "; or say --random" : "");
  }
  size_t next = 0;
  std::vector<ir::Literal> inputs;
  for (const ir::Instruction* parameter : module.entry()->parameters()) {
    std::vector<ir::Literal> leaves;
    Status status;
    ir::ForEachLeaf(parameter->shape(), [&](const ir::ShapeIndex&, const ir::Shape& leaf) {
      if (!status.ok()) return;
      ir::NpyOptions npy;
      npy.dtype = leaf.dtype();
      if (leaf.is_static()) npy.shape = leaf;
      StatusOr<ir::Literal> literal = ir::ReadNpy(options.inputs[next++], npy);
      status = literal.status();
      if (literal.ok()) leaves.push_back(*std::move(literal));
    });
    SWAGE_RETURN_IF_ERROR(status);
    SWAGE_ASSIGN_OR_RETURN(inputs.emplace_back(), ir::FromLeaves(parameter->shape(), leaves));
  }
  return inputs;
}

Status WriteOutputs(const std::string& dir, const std::vector<ir::Literal>& outputs) {
  SWAGE_RETURN_IF_ERROR(MakeDirectories(dir));
  for (size_t i = 0; i < outputs.size(); ++i) {
    SWAGE_RETURN_IF_ERROR(ir::WriteNpy(dir + "/out_" + std::to_string(i) + ".npy", outputs[i]));
  }
  return OkStatus();
}

// The parser of CLI11 would wrap -1 around and cut what is too large.
std::string IsSeed(const std::string& text) {
  uint64_t seed;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seed);
  if (error == std::errc() && stop == end) return "";
  return "'" + text + "' is no seed, expected a whole number from 0 to 2^64-1";
}

StatusOr<std::vector<double>> TimeRuns(const RunCompiled& run,
                                       const std::vector<ir::Literal>& inputs, int n) {
  std::vector<double> ms;
  for (int i = 0; i < n; ++i) {
    const auto start = std::chrono::steady_clock::now();
    SWAGE_RETURN_IF_ERROR(run(inputs).status());
    ms.push_back(MillisecondsSince(start));
  }
  std::sort(ms.begin(), ms.end());
  return ms;
}

}  // namespace

StatusOr<ExitCode> RunModuleFile(const RunOptions& options) {
  if (options.random && !options.inputs.empty()) {
    return InvalidArgument("[run] --random takes no input files");
  }
  SWAGE_ASSIGN_OR_RETURN(const CompileModule compile,
                         FindDevice(options.device, {.cache = options.cache}));
  SWAGE_ASSIGN_OR_RETURN(const std::unique_ptr<ir::Module> module, LoadModule(options.module));
  std::vector<ir::Literal> inputs;
  if (options.random) {
    SWAGE_ASSIGN_OR_RETURN(inputs, RandomInputs(*module, options.seed));
  } else {
    SWAGE_ASSIGN_OR_RETURN(inputs, ReadInputs(options, *module));
  }
  const auto start = std::chrono::steady_clock::now();
  SWAGE_ASSIGN_OR_RETURN(const RunCompiled run, compile(*module));
  const double compile_ms = MillisecondsSince(start);
  SWAGE_ASSIGN_OR_RETURN(const std::vector<ir::Literal> outputs, run(inputs));
  if (!options.output_dir.empty()) {
    SWAGE_RETURN_IF_ERROR(WriteOutputs(options.output_dir, outputs));
  } else if (options.bench == 0) {
    for (const ir::Literal& output : outputs) {
      printf("%s %s\n", output.shape().ToString(false).c_str(), output.ToString().c_str());
    }
  }
  if (options.bench > 0) {
    SWAGE_ASSIGN_OR_RETURN(const std::vector<double> ms, TimeRuns(run, inputs, options.bench));
    const size_t half = ms.size() / 2;
    const double median = ms.size() % 2 == 1 ? ms[half] : (ms[half - 1] + ms[half]) / 2;
    printf("compile %.3f ms, median %.3f ms, min %.3f max %.3f, n %zu\n", compile_ms, median,
           ms.front(), ms.back(), ms.size());
  }
  return kFine;
}

void AddRunCommand(CLI::App& app, Action* chosen) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command =
      app.add_subcommand("run", "Runs an HLO module on .npy files or random inputs");
  command->add_option("module", options->module, "HLO text")->required();
  command->add_option("inputs", options->inputs, "One .npy file per parameter, in order");
  command->add_option("-o,--output", options->output_dir, "Writes out_0.npy ... to this folder");
  command->add_option("--device", options->device, "What runs the module")
      ->envname("SWAGE_DEVICE")
      ->capture_default_str();
  command->add_flag("--cache", options->cache,
                    "Uses the compiled code that jit keeps on disk and remotely");
  CLI::Option* random = command->add_flag("--random", options->random, "Random inputs");
  command->add_option("--seed", options->seed, "Seed of the random inputs")
      ->check(IsSeed)
      ->needs(random)
      ->capture_default_str();
  command->add_option("--bench", options->bench, "Times this many runs")
      ->check(CLI::Range(1, 100000000));
  command->callback([=] { *chosen = [=] { return RunModuleFile(*options); }; });
}

}  // namespace swage::tools
