#include "tools/run_command.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/files.h"
#include "compiler/ir/npy.h"
#include "tools/device.h"
#include "tools/input_files.h"
#include "tools/prepared_run.h"
#include "tools/random_inputs.h"

namespace swage::tools {
namespace {

Status WriteOutputs(const std::string& to, const std::vector<ir::Literal>& outputs) {
  if (IsNpz(to)) {
    ir::NpzWriter file;
    for (size_t i = 0; i < outputs.size(); ++i) {
      SWAGE_RETURN_IF_ERROR(
          file.Add(absl::StrCat("out_", i), outputs[i].shape(), outputs[i].bytes()));
    }
    SWAGE_ASSIGN_OR_RETURN(const std::string bytes, std::move(file).Finish());
    return WriteNamedFile(to, bytes, IfSpecial::kWriteThrough);
  }
  SWAGE_RETURN_IF_ERROR(MakeDirectories(to));
  for (size_t i = 0; i < outputs.size(); ++i) {
    SWAGE_RETURN_IF_ERROR(ir::WriteNpy(to + "/out_" + std::to_string(i) + ".npy", outputs[i]));
  }
  return OkStatus();
}

using OneRun = std::function<Status()>;

StatusOr<std::vector<double>> TimeRuns(const OneRun& run, int n) {
  std::vector<double> ms;
  for (int i = 0; i < n; ++i) {
    const auto start = std::chrono::steady_clock::now();
    SWAGE_RETURN_IF_ERROR(run());
    ms.push_back(MillisecondsSince(start));
  }
  std::sort(ms.begin(), ms.end());
  return ms;
}

// The slowest steps of a run, and what share of all of them each is.
void PrintSteps(std::vector<codegen::StepTime> times, int runs, int most) {
  double all = 0;
  for (const codegen::StepTime& time : times) all += time.ms;
  std::stable_sort(times.begin(), times.end(),
                   [](const auto& a, const auto& b) { return a.ms > b.ms; });
  printf("steps %zu, %.3f ms in all when each is timed\n", times.size(), all / runs);
  for (int i = 0; i < most && i < static_cast<int>(times.size()); ++i) {
    printf("%10.3f ms %5.1f %%  %s\n", times[i].ms / runs, 100 * times[i].ms / all,
           times[i].step.c_str());
  }
}

bool HasSymbols(const codegen::Executable& executable) {
  const std::vector<ir::Shape>& shapes = executable.input_shapes();
  return std::any_of(shapes.begin(), shapes.end(),
                     [](const ir::Shape& shape) { return !shape.is_static(); });
}

// Where the time of a compile went; nothing where there was none.
void PrintPhases(const codegen::CompileReport& report) {
  if (report.pass_times != nullptr) {
    printf("passes %.3f ms:", report.passes_ms);
    std::vector<codegen::CompileReport::PassTime> times = *report.pass_times;
    std::stable_sort(times.begin(), times.end(),
                     [](const auto& a, const auto& b) { return a.ms > b.ms; });
    for (size_t i = 0; i < times.size(); ++i) {
      printf("%s %s %.3f", i > 0 ? "," : "", times[i].pass.c_str(), times[i].ms);
    }
    printf("\n");
  }
  if (report.kernels == 0) return;
  printf(
      "kernels %lld, of all threads: plan %.3f ms, llvm %.3f (%lld runs), link %.3f, load %.3f\n",
      static_cast<long long>(report.kernels), report.plan_ms, report.llvm_ms,
      static_cast<long long>(report.llvm_runs), report.link_ms, report.load_ms);
}

// `executable`: what `run` runs; null: the evaluator, which has none. A program of open sizes is
// timed with what finding its sizes takes.
Status Bench(const RunOptions& options, const std::shared_ptr<codegen::Executable>& executable,
             const RunCompiled& run, const std::vector<ir::Literal>& inputs, double compile_ms) {
  std::unique_ptr<PreparedRun> prepared;
  OneRun once = [&] { return run(inputs).status(); };
  const bool open = executable != nullptr && HasSymbols(*executable);
  if (executable != nullptr && !open) {
    SWAGE_ASSIGN_OR_RETURN(prepared, PreparedRun::Create(executable, inputs));
    once = [&] { return prepared->Run(1); };
    SWAGE_RETURN_IF_ERROR(once());
  }
  SWAGE_ASSIGN_OR_RETURN(const std::vector<double> ms, TimeRuns(once, options.bench));
  const size_t half = ms.size() / 2;
  const double median = ms.size() % 2 == 1 ? ms[half] : (ms[half - 1] + ms[half]) / 2;
  printf("compile %.3f ms, median %.3f ms, min %.3f max %.3f, n %zu\n", compile_ms, median,
         ms.front(), ms.back(), ms.size());
  if (executable != nullptr) PrintPhases(executable->report());
  if (options.steps == 0) return OkStatus();
  std::vector<codegen::StepTime> times;
  for (int i = 0; i < options.bench && prepared != nullptr; ++i) {
    SWAGE_RETURN_IF_ERROR(prepared->RunTimed(&times));
  }
  if (times.empty()) {
    return Unimplemented(
        "[run] --steps: steps are timed on the CPU only, in modules of fixed sizes");
  }
  PrintSteps(std::move(times), options.bench, options.steps);
  return OkStatus();
}

}  // namespace

StatusOr<ExitCode> RunModuleFile(const RunOptions& options) {
  if (options.random && !options.inputs.empty()) {
    return InvalidArgument("[run] --random takes no input files");
  }
  std::shared_ptr<codegen::Executable> executable;
  DeviceOptions device{.cache = options.cache};
  device.on_compiled = [&](const auto& compiled) { executable = compiled; };
  SWAGE_ASSIGN_OR_RETURN(const CompileModule compile, FindDevice(options.device, device));
  SWAGE_ASSIGN_OR_RETURN(const std::unique_ptr<ir::Module> module, LoadModule(options.module));
  std::vector<ir::Literal> inputs;
  if (options.random) {
    SWAGE_ASSIGN_OR_RETURN(inputs, RandomInputs(*module, options.seed));
  } else {
    StatusOr<std::vector<ir::Literal>> read = ReadInputFiles(options.inputs, *module);
    const char* const hint = options.inputs.empty() ? "; or say --random" : "";
    if (!read.ok()) return Annotate(read.status(), hint);
    inputs = *std::move(read);
  }
  const auto start = std::chrono::steady_clock::now();
  SWAGE_ASSIGN_OR_RETURN(const RunCompiled run, compile(*module));
  const double compile_ms = MillisecondsSince(start);
  SWAGE_ASSIGN_OR_RETURN(const std::vector<ir::Literal> outputs, run(inputs));
  if (!options.output.empty()) {
    SWAGE_RETURN_IF_ERROR(WriteOutputs(options.output, outputs));
  } else if (options.bench == 0) {
    for (const ir::Literal& output : outputs) {
      printf("%s %s\n", output.shape().ToString(false).c_str(), output.ToString().c_str());
    }
  }
  if (options.bench > 0) {
    SWAGE_RETURN_IF_ERROR(Bench(options, executable, run, inputs, compile_ms));
  }
  return kFine;
}

void AddRunCommand(CLI::App& app, Action* chosen) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command =
      app.add_subcommand("run", "Runs an HLO module on .npy and .npz files or random inputs");
  command->add_option("module", options->module, "HLO text")->required();
  command->add_option("inputs", options->inputs,
                      "One array per parameter, in order: .npy files, or .npz files of several");
  command->add_option("-o,--output", options->output,
                      "Writes out_0.npy ... to this folder, or all to this .npz file");
  AddDeviceOption(command, "What runs the module", &options->device);
  command->add_flag("--cache", options->cache,
                    "Uses the compiled code that jit keeps on disk and remotely");
  CLI::Option* random = command->add_flag("--random", options->random, "Random inputs");
  command->add_option("--seed", options->seed, "Seed of the random inputs")
      ->check(IsSeed)
      ->needs(random)
      ->capture_default_str();
  CLI::Option* bench = command->add_option("--bench", options->bench, "Times this many runs")
                           ->check(CLI::Range(1, 100000000));
  command->add_option("--steps", options->steps, "Prints this many of the slowest steps")
      ->needs(bench)
      ->check(CLI::Range(1, 1000000));
  command->callback([=] { *chosen = [=] { return RunModuleFile(*options); }; });
}

}  // namespace swage::tools
