#include "tools/isolated_case.h"

#include <cstdio>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tools/process.h"

namespace swage::tools {
namespace {

std::vector<std::string> ArgumentsOf(const CorpusOptions& options, const std::string& name) {
  std::vector<std::string> arguments = {
      "swage",    "corpus",       options.dir, name,
      "--device", options.device, "--repeat",  std::to_string(options.repeat)};
  if (!options.mode.empty()) arguments.insert(arguments.end(), {"--mode", options.mode});
  if (options.cache) arguments.push_back("--cache");
  if (options.sizes) arguments.push_back("--sizes");
  if (options.baked_dims) arguments.push_back("--baked-dims");
  if (options.threads > 0) {
    arguments.insert(arguments.end(), {"--threads", std::to_string(options.threads)});
  }
  return arguments;
}

// "": it came to its end.
std::string DeathOf(const ProcessResult& ran) {
  if (ran.exit_code == kFine || ran.exit_code == kCheckFailed) return "";
  std::string death = ran.signal != 0 ? absl::StrCat("[isolate] ended by signal ", ran.signal, " (",
                                                     strsignal(ran.signal), ")")
                                      : absl::StrCat("[isolate] exit code ", ran.exit_code);
  std::vector<std::string> lines = absl::StrSplit(ran.err, '\n', absl::SkipEmpty());
  if (!lines.empty()) absl::StrAppend(&death, ": ", lines.back());
  return death;
}

}  // namespace

std::vector<std::string> RunIsolated(const CorpusOptions& options, const std::string& name,
                                     const std::string& program) {
  const StatusOr<ProcessResult> ran =
      RunProcess(program, ArgumentsOf(options, name), CurrentEnvironment());
  if (!ran.ok()) return {std::string(ran.status().message())};
  fputs(ran->err.c_str(), stderr);
  std::vector<std::string> failures;
  const std::string prefix = absl::StrCat("FAIL ", name, " ");
  for (const absl::string_view line : absl::StrSplit(ran->out, '\n', absl::SkipEmpty())) {
    if (absl::StartsWith(line, prefix)) {
      failures.emplace_back(line.substr(prefix.size()));
    } else if (!absl::EndsWith(line, " skipped")) {  // of its program, not the count
      printf("%.*s\n", static_cast<int>(line.size()), line.data());
    }
  }
  std::string death = DeathOf(*ran);
  if (death.empty() && ran->exit_code == kCheckFailed && failures.empty()) {
    death = "[isolate] failed without saying why";
  }
  if (!death.empty()) failures.push_back(std::move(death));
  return failures;
}

}  // namespace swage::tools
