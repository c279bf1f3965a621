#include "tools/corpus_command.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <regex>
#include <set>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/nearest.h"
#include "base/parallel_for.h"
#include "base/regex.h"
#include "tools/corpus_case.h"
#include "tools/device.h"
#include "tools/eager.h"
#include "tools/isolated_case.h"
#include "tools/sizes_corpus.h"

namespace swage::tools {
namespace {

constexpr int64_t kMaxListBytes = int64_t{16} << 20;

// The lines of a list, without blanks, comments (#) and repeats, in order.
std::vector<std::string> ListEntries(const std::string& text) {
  std::vector<std::string> entries;
  std::set<std::string> seen;
  size_t begin = 0;
  while (begin < text.size()) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    line = line.substr(0, line.find('#'));
    const size_t first = line.find_first_not_of(" \t\r"), last = line.find_last_not_of(" \t\r");
    if (first == std::string::npos) continue;
    line = line.substr(first, last - first + 1);
    if (seen.insert(line).second) entries.push_back(line);
  }
  return entries;
}

// What `from` says must be names of `all`, which are sorted.
Status CheckNames(const std::string& from, const std::vector<std::string>& names,
                  const std::vector<std::string>& all, const std::string& dir) {
  for (const std::string& name : names) {
    if (!std::binary_search(all.begin(), all.end(), name)) {
      return NotFound("[corpus] ", from, "no case '", name, "' in ", dir, DidYouMean(name, all));
    }
  }
  return OkStatus();
}

StatusOr<std::vector<std::string>> ReadList(const CorpusOptions& options,
                                            const std::vector<std::string>& all) {
  std::error_code error;
  // A bare name may be that of a list of the corpus.
  const bool as_given = std::filesystem::exists(options.list, error) ||
                        std::filesystem::path(options.list).is_absolute();
  SWAGE_ASSIGN_OR_RETURN(
      const std::string text,
      ReadFile(as_given ? options.list : options.dir + "/" + options.list, kMaxListBytes));
  std::vector<std::string> entries = ListEntries(text);
  SWAGE_RETURN_IF_ERROR(CheckNames(options.list + ": ", entries, all, options.dir));
  return entries;
}

StatusOr<std::vector<std::string>> Select(const CorpusOptions& options) {
  SWAGE_ASSIGN_OR_RETURN(const std::vector<std::string> all, ListCases(options.dir));
  std::vector<std::string> selected = all;
  if (!options.list.empty()) {
    SWAGE_ASSIGN_OR_RETURN(selected, ReadList(options, all));
  }
  if (!options.cases.empty()) {
    SWAGE_RETURN_IF_ERROR(CheckNames("", options.cases, all, options.dir));
    std::erase_if(selected, [&](const std::string& name) {
      return std::find(options.cases.begin(), options.cases.end(), name) == options.cases.end();
    });
  }
  if (!options.filter.empty()) {
    SWAGE_ASSIGN_OR_RETURN(const std::regex filter,
                           ParseRegex(options.filter, "[corpus] --filter"));
    std::erase_if(selected,
                  [&](const std::string& name) { return !std::regex_search(name, filter); });
  }
  if (selected.empty()) {
    return InvalidArgument("[corpus] no case selected; ", options.dir, " has ", all.size());
  }
  return selected;
}

// The failures of one case, as they follow its name.
std::vector<std::string> RunCase(const CorpusOptions& options, const RunModule& run,
                                 const std::string& name) {
  const StatusOr<CorpusCase> test = ReadCase(options.dir, name);
  if (!test.ok()) return {std::string(test.status().message())};
  for (int i = 0; i < options.repeat; ++i) {
    const StatusOr<std::vector<ir::Literal>> got = run(*test->module, test->inputs);
    if (!got.ok()) return {std::string(got.status().message())};
    std::vector<std::string> failures = CompareOutputs(*got, *test);
    if (!failures.empty()) return failures;
  }
  return {};
}

// What runs one case, by the mode.
StatusOr<std::function<std::vector<std::string>(const std::string& name)>> RunnerOf(
    const CorpusOptions& options) {
  DeviceOptions how{.cache = options.cache, .baked_dims = options.baked_dims};
  SWAGE_ASSIGN_OR_RETURN(const CompileModule compile, FindDevice(options.device, how));
  if (options.sizes) {
    how.pad = options.mode == "pad";
    SWAGE_ASSIGN_OR_RETURN(const CompileModule padded, FindDevice(options.device, how));
    SWAGE_ASSIGN_OR_RETURN(const std::vector<std::string> all, ListCases(options.dir));
    const std::string mode = options.mode.empty() ? "symbolic" : options.mode;
    SWAGE_ASSIGN_OR_RETURN(SizesCorpus opened, SizesCorpus::Open(options.dir, all, mode));
    const auto corpus = std::make_shared<SizesCorpus>(std::move(opened));
    return [=, &options](const std::string& name) {
      return corpus->RunCase({padded, compile}, name, options.repeat);
    };
  }
  RunModule run = RunOn(compile);
  if (options.mode == "eager") {
    run = RunEagerly(std::move(run));
  } else if (!options.mode.empty() && options.mode != "module") {
    return InvalidArgument("[corpus] --mode '", options.mode, "' is neither module nor eager");
  }
  return [=, &options](const std::string& name) { return RunCase(options, run, name); };
}

}  // namespace

StatusOr<ExitCode> RunCorpus(const CorpusOptions& options) {
  // Also where another process runs the cases: what is wrong with the flags is said once.
  SWAGE_ASSIGN_OR_RETURN(auto run_case, RunnerOf(options));
  if (options.isolate) {
    run_case = [&options](const std::string& name) { return RunIsolated(options, name); };
  }
  if (options.threads < 0 || options.repeat < 1) {
    return InvalidArgument("[corpus] --threads and --repeat must be at least 1");
  }
  if (options.threads > 0) SetNumThreads(options.threads);
  SWAGE_ASSIGN_OR_RETURN(const std::vector<std::string> names, Select(options));
  int64_t passed = 0, failed = 0;
  for (const std::string& name : names) {
    const std::vector<std::string> failures = run_case(name);
    for (const std::string& failure : failures) {
      printf("FAIL %s %s\n", name.c_str(), failure.c_str());
    }
    (failures.empty() ? passed : failed) += 1;
    fflush(stdout);
  }
  printf("%lld passed, %lld failed, 0 skipped\n", static_cast<long long>(passed),
         static_cast<long long>(failed));
  return failed == 0 ? kFine : kCheckFailed;
}

void AddCorpusCommand(CLI::App& app, Action* chosen) {
  auto options = std::make_shared<CorpusOptions>();
  CLI::App* command =
      app.add_subcommand("corpus", "Runs the cases of a folder and compares with what they expect");
  command->add_option("dir", options->dir, "Folder of GROUP/NAME/case.json")->required();
  AddDeviceOption(command, "What runs the cases", &options->device);
  command->add_flag("--cache", options->cache,
                    "Uses the compiled code that jit keeps on disk and remotely");
  command->add_option("cases", options->cases, "Only these cases: GROUP/NAME ...");
  command->add_option("--mode", options->mode,
                      "module: as a whole (default); eager: op by op; with --sizes: symbolic "
                      "(default), bucket or pad");
  command->add_flag(
      "--sizes", options->sizes,
      "The folder has programs at several sizes: learns each, runs it at all of them");
  command->add_option("--threads", options->threads, "Worker threads of the runtime")
      ->check(CLI::Range(1, 4096));
  command->add_option("--filter", options->filter,
                      "Only cases whose name has a match of this regex");
  command->add_option("--list", options->list, "Only the cases that this file names");
  command->add_option("--repeat", options->repeat, "Runs of each case")
      ->check(CLI::Range(1, 1000000));
  command->add_flag("--baked-dims", options->baked_dims,
                    "Kernels have every size compiled in, as those of hot programs have");
  command->add_flag("--isolate", options->isolate,
                    "Each case in a process of its own: one that dies is named, the others go on");
  command->callback([=] { *chosen = [=] { return RunCorpus(*options); }; });
}

}  // namespace swage::tools
