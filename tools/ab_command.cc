#include "tools/ab_command.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <regex>
#include <system_error>
#include <utility>

#include "base/files.h"
#include "base/regex.h"
#include "compiler/passes/evaluation_check.h"
#include "compiler/passes/pipeline.h"
#include "compiler/pipelines/cpu.h"
#include "compiler/pipelines/gpu.h"
#include "runtime/device_name.h"
#include "tools/ab_child.h"
#include "tools/ab_report.h"
#include "tools/ab_rounds.h"
#include "tools/device.h"
#include "tools/process.h"

namespace swage::tools {
namespace {

// A folder that is gone afterwards.
class Scratch {
 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Status Make() {
    std::error_code error;
    std::string path = (std::filesystem::temp_directory_path(error) / "swage_ab_XXXXXX").string();
    if (error || ::mkdtemp(path.data()) == nullptr) {
      return ResourceExhausted("[ab] cannot make a folder like ", path, "; set TMPDIR");
    }
    path_ = path;
    return OkStatus();
  }
  std::string Sub(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// The message of what a child prints of its error.
std::string MessageOf(const std::string& text) {
  constexpr std::string_view kPrefix = "swage: ";
  std::string message = text.substr(text.rfind(kPrefix) == text.npos ? 0 : text.rfind(kPrefix));
  if (message.starts_with(kPrefix)) message.erase(0, kPrefix.size());
  while (!message.empty() && message.back() == '\n') message.pop_back();
  return message;
}

// Runs a child and takes its answer; its errors are errors of the same kind here.
StatusOr<AbAnswer> Ask(const std::string& program, const AbChildOptions& child) {
  SWAGE_ASSIGN_OR_RETURN(const ProcessResult ran,
                         RunProcess(program, ArgumentsOf(child), EnvironmentOf(child.set)));
  if (ran.exit_code == kUserFault) return InvalidArgument(MessageOf(ran.err));
  if (ran.signal != 0) return Internal("[ab] signal ", ran.signal, " ended a run: ", ran.err);
  if (ran.exit_code != kFine) return Internal("[ab] a run failed: ", MessageOf(ran.err));
  return AbAnswerFrom(ran.out);
}

// A, and each set beside it, compiled, compared and measured.
class Experiment {
 public:
  Experiment(const AbOptions& options, std::vector<AbCandidate> candidates, std::vector<AbSet> sets)
      : options_(options), sets_(std::move(sets)) {
    report_.module = options.module;
    report_.plain = Describe(sets_[0]);
    report_.each = !options.each.empty();
    report_.candidates = std::move(candidates);
    report_.most_rounds = (options.pairs + 1) / 2;
    report_.max_seconds = options.max_seconds;
  }

  StatusOr<AbReport> Run() {
    SWAGE_RETURN_IF_ERROR(scratch_.Make());
    SWAGE_ASSIGN_OR_RETURN(const auto module, LoadModule(options_.module));
    report_.closely =
        passes::HasFreeAccumulation(*module) ||
        std::any_of(sets_.begin(), sets_.end(), [](const AbSet& set) { return set.fast_math; });
    SWAGE_RETURN_IF_ERROR(CompileAll());
    std::vector<size_t> to_measure;
    for (size_t i = 0; i < report_.candidates.size(); ++i) {
      const AbCandidate& candidate = report_.candidates[i];
      if (!candidate.failure.empty() || (candidate.identical && !options_.force)) continue;
      to_measure.push_back(i);
    }
    if (!to_measure.empty()) SWAGE_RETURN_IF_ERROR(Measure(to_measure));
    return std::move(report_);
  }

 private:
  AbChildOptions ChildOf(size_t set) const {
    return {.module = options_.module,
            .inputs = options_.inputs,
            .dims = options_.dims,
            .seed = options_.seed,
            .set = sets_[set],
            .store = scratch_.Sub(std::to_string(set)),
            .closely = report_.closely};
  }

  StatusOr<AbAnswer> CompileSet(size_t set) {
    AbChildOptions child = ChildOf(set);
    SWAGE_RETURN_IF_ERROR(MakeDirectories(child.store));
    (set == 0 ? child.write : child.expect) = scratch_.Sub("results");
    return Ask(options_.program, child);
  }

  Status CompileAll() {
    SWAGE_RETURN_IF_ERROR(MakeDirectories(scratch_.Sub("results")));
    SWAGE_ASSIGN_OR_RETURN(report_.answer, CompileSet(0));
    for (size_t i = 0; i < report_.candidates.size(); ++i) {
      AbCandidate& candidate = report_.candidates[i];
      StatusOr<AbAnswer> answer = CompileSet(i + 1);
      if (!answer.ok() && !report_.each) return answer.status();
      if (!answer.ok()) {
        candidate.failure = std::string(answer.status().message());
        continue;
      }
      candidate.answer = *std::move(answer);
      if (!candidate.answer.difference.empty()) {
        candidate.failure = "results differ from those of A: " + candidate.answer.difference;
      }
      candidate.identical = candidate.answer.code.program == report_.answer.code.program &&
                            !MayRunDifferently(sets_[0], sets_[i + 1]);
    }
    return OkStatus();
  }

  // One measurement of a set.
  StatusOr<double> Time(size_t set) {
    AbChildOptions child = ChildOf(set);
    child.expect = scratch_.Sub("results");
    child.time_ms = options_.min_ms;
    SWAGE_ASSIGN_OR_RETURN(const AbAnswer answer, Ask(options_.program, child));
    if (!answer.difference.empty()) {
      const std::string failure = "results of a later run differ from A's: " + answer.difference;
      failed_ = true;
      for (size_t i = 0; i < report_.candidates.size(); ++i) {
        if (set == 0 || set == i + 1) report_.candidates[i].failure = failure;
      }
      return InvalidArgument(failure);
    }
    if (!(answer.ms > 0)) return Internal("[ab] a measurement gave ", answer.ms, " ms");
    return answer.ms;
  }

  Status Measure(const std::vector<size_t>& candidates) {
    RoundsOptions rounds{.rounds = report_.most_rounds,
                         .max_seconds = options_.max_seconds,
                         .seed = options_.seed,
                         .now = options_.now};
    if (::isatty(STDERR_FILENO) == 1) {
      rounds.progress = [&](int done) {
        std::fprintf(stderr, "\r%d of %d pairs ", 2 * done, 2 * report_.most_rounds);
      };
    }
    StatusOr<Measurement> measured =
        MeasureRounds(static_cast<int>(candidates.size()), rounds,
                      [&](int set) { return Time(set < 2 ? 0 : candidates[set - 2] + 1); });
    if (rounds.progress != nullptr) std::fprintf(stderr, "\r%40s\r", "");
    if (failed_) return OkStatus();
    SWAGE_RETURN_IF_ERROR(measured.status());
    report_.rounds = measured->rounds;
    report_.out_of_time = measured->out_of_time;
    for (size_t i = 0; i < candidates.size(); ++i) {
      report_.candidates[candidates[i]].comparison = std::move(measured->comparisons[i]);
    }
    return OkStatus();
  }

  const AbOptions& options_;
  const std::vector<AbSet> sets_;  // A, then the candidates'
  Scratch scratch_;
  AbReport report_;
  bool failed_ = false;  // a measurement gave wrong results
};

// The names of the passes that may be left out and whose path matches, in order, each once.
StatusOr<std::vector<std::string>> PassesMatching(const std::string& text,
                                                  const std::string& device) {
  SWAGE_ASSIGN_OR_RETURN(const std::regex regex, ParseRegex(text, "[ab] --each"));
  const bool gpu = runtime::SplitDevice(device).kind == "cuda";
  const std::unique_ptr<passes::Pipeline> pipeline =
      gpu ? pipelines::GpuPipeline({}) : pipelines::CpuPipeline({});
  std::vector<std::string> names;
  for (const passes::PassPlace& place : passes::PlacesOf(*pipeline)) {
    if (place.pass->IsPipeline() || place.pass->IsRequired()) continue;
    std::string path;
    for (const std::string_view outer : place.pipelines) path.append(outer).push_back('/');
    path.append(place.name);
    const std::string name(place.name);
    if (!std::regex_search(path, regex)) continue;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (!names.empty()) return names;
  return InvalidArgument("[ab] --each '", text, "' matches no pass of ", device,
                         " that may be left out; swage passes lists them");
}

Status CheckOptions(const AbOptions& options) {
  const AbSet plain;
  if (!options.each.empty() && Describe(options.b) != Describe(plain)) {
    return InvalidArgument("[ab] --each with options of B (", Describe(options.b),
                           "), expected those of A alone: --a-...");
  }
  if (!options.each.empty() && !options.a.only_passes.empty()) {
    return InvalidArgument("[ab] --each with --a-only-pass, expected one of them");
  }
  if (!options.each.empty() && !options.a_device.empty()) {
    return InvalidArgument("[ab] --each with --a-device, expected --device");
  }
  if (!options.inputs.empty() && !options.dims.empty()) {
    return InvalidArgument("[ab] --dims with input files, which have sizes of their own");
  }
  return OkStatus();
}

// A and what is beside it.
StatusOr<std::vector<AbSet>> SetsOf(const AbOptions& options,
                                    std::vector<AbCandidate>* candidates) {
  std::vector<AbSet> sets = {options.a};
  sets[0].device = options.a_device.empty() ? options.device : options.a_device;
  if (options.each.empty()) {
    sets.push_back(options.b);
    sets[1].device = options.device;
    candidates->push_back({.name = Describe(sets[1])});
    if (Describe(sets[0]) == Describe(sets[1]) && !options.force) {
      return InvalidArgument("[ab] A and B are both ", Describe(sets[0]),
                             ", expected two sets of options; --force measures one twice");
    }
  } else {
    SWAGE_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                           PassesMatching(options.each, options.device));
    for (const std::string& name : names) {
      sets.push_back(sets[0]);
      sets.back().disable_passes.push_back(name);
      candidates->push_back({.name = name});
    }
  }
  for (const AbSet& set : sets) SWAGE_RETURN_IF_ERROR(CheckSet(set));
  return sets;
}

double SecondsNow() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The ranges of CLI11 let NaN pass.
std::string IsNumber(const std::string& text) {
  return std::isnan(std::strtod(text.c_str(), nullptr)) ? "'" + text + "' is no number" : "";
}

}  // namespace

StatusOr<ExitCode> RunAb(const AbOptions& given) {
  AbOptions options = given;
  if (options.now == nullptr) options.now = SecondsNow;
  SWAGE_RETURN_IF_ERROR(CheckOptions(options));
  std::vector<AbCandidate> candidates;
  SWAGE_ASSIGN_OR_RETURN(std::vector<AbSet> sets, SetsOf(options, &candidates));
  SWAGE_ASSIGN_OR_RETURN(const AbReport report,
                         Experiment(options, std::move(candidates), std::move(sets)).Run());
  std::fputs((options.json ? ToJson(report) : ToText(report)).c_str(), stdout);
  return ExitCodeOf(report);
}

void AddAbCommand(CLI::App& app, Action* chosen) {
  auto options = std::make_shared<AbOptions>();
  CLI::App* command = app.add_subcommand(
      "ab", "Compares two sets of options: the programs, the results, the speed");
  command->footer(
      "Exit codes: 0 faster or slower, 1 results differ, 3 the programs are the same, 4 measured "
      "without a verdict; 2 and 70 as ever.");
  command->add_option("module", options->module, "HLO text file")->required();
  command->add_option("inputs", options->inputs,
                      "One .npy file per parameter, in order; random without them");
  AddSetOptions(command, "", &options->b);
  AddSetOptions(command, "a-", &options->a);
  command->add_option("--device", options->device, "cpu or cuda:N")
      ->envname("SWAGE_DEVICE")
      ->capture_default_str();
  command->add_option("--a-device", options->a_device, "The device of A, if it is another");
  command->add_option("--each", options->each,
                      "Leaves out each pass whose path matches this regular expression, in turn");
  command->add_option("--dims", options->dims,
                      "Sizes of a module whose sizes are open: seq=33,batch=2");
  command->add_option("--pairs", options->pairs, "At most so many pairs")
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  command->add_option("--max-seconds", options->max_seconds, "No new round after so long")
      ->check(CLI::Range(0.1, 1e6))
      ->check(IsNumber)
      ->capture_default_str();
  command->add_option("--min-ms", options->min_ms, "Each measurement takes at least so long")
      ->check(CLI::Range(0.1, 1e6))
      ->check(IsNumber)
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Of the random inputs and of the order")
      ->check(IsSeed)
      ->capture_default_str();
  command->add_flag("--force", options->force, "Measure although the programs are the same");
  command->add_flag("--json", options->json, "Print everything, with all times, as JSON");
  command->callback([=] { *chosen = [=] { return RunAb(*options); }; });
}

}  // namespace swage::tools
