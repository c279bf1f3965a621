#include "tools/ab_set.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/env.h"
#include "base/nearest.h"
#include "runtime/device_name.h"
#include "tools/process.h"

namespace swage::tools {
namespace {

constexpr std::string_view kModes[] = {"bucket", "exact", "pad", "symbolic"};

// These are in the key of what is compiled: equal code, equal speed.
constexpr std::string_view kOfCompiling[] = {
    "SWAGE_CPU",         "SWAGE_DISABLE_PASSES", "SWAGE_FAST_MATH",    "SWAGE_MAX_CONSTANT_BYTES",
    "SWAGE_ONLY_PASSES", "SWAGE_PADDING",        "SWAGE_PADDING_FILL", "SWAGE_PADDING_MASKS",
};

// Each program is compiled once, by the command itself, and runs without jit and its caches.
constexpr std::string_view kRefused[] = {
    "SWAGE_BUILD_ID", "SWAGE_CACHE_DIR",     "SWAGE_CACHE_MEMORY_BYTES",
    "SWAGE_CHECK",    "SWAGE_CONFIG",        "SWAGE_DEVICE",
    "SWAGE_DUMP_TO",  "SWAGE_LOG",           "SWAGE_MAX_COMPILES",
    "SWAGE_ON_MISS",  "SWAGE_RECORD_SHAPES", "SWAGE_SPECIALIZE",
};

// Programs that are looked at while they are compiled are not stored.
constexpr std::string_view kRemoved[] = {"SWAGE_BUILD_ID", "SWAGE_CHECK", "SWAGE_DUMP_TO",
                                         "SWAGE_RECORD_SHAPES"};

template <size_t n>
bool IsIn(const std::string_view (&list)[n], std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

std::string_view NameOf(std::string_view entry) { return entry.substr(0, entry.find('=')); }

Status CheckVariable(const std::string& entry) {
  const std::string_view name = NameOf(entry);
  if (name.empty() || name.size() == entry.size()) {
    return InvalidArgument("[ab] --env '", entry, "', expected NAME=VALUE");
  }
  if (!name.starts_with("SWAGE_")) return OkStatus();
  if (IsIn(kRefused, name)) {
    return InvalidArgument("[ab] --env ", ToAbsl(name), " changes nothing that is measured here",
                           name == "SWAGE_DEVICE" ? "; give --device" : "");
  }
  std::vector<std::string_view> names;
  for (const EnvVariable& variable : KnownEnvVariables()) names.push_back(variable.name);
  if (std::find(names.begin(), names.end(), name) != names.end()) return OkStatus();
  return InvalidArgument("[ab] --env: no variable ", ToAbsl(name), DidYouMean(name, names));
}

// The variables that are not about compiling, in order.
std::vector<std::string> Running(const AbSet& set) {
  std::vector<std::string> running;
  for (const std::string& entry : set.environment) {
    if (!IsIn(kOfCompiling, NameOf(entry))) running.push_back(entry);
  }
  std::sort(running.begin(), running.end());
  return running;
}

CLI::Option* AddList(CLI::App* command, const std::string& name, std::vector<std::string>* list,
                     const std::string& doc) {
  return command->add_option(name, *list, doc)
      ->expected(1)
      ->allow_extra_args(false)  // else the module behind it is taken for one more
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void AddAll(std::vector<std::string>* arguments, const char* flag,
            const std::vector<std::string>& list) {
  for (const std::string& entry : list) {
    arguments->push_back(flag);
    arguments->push_back(entry);
  }
}

}  // namespace

void AddSetOptions(CLI::App* command, const std::string& prefix, AbSet* set) {
  const std::string of = prefix.empty() ? " (B)" : " (A)";
  const std::string dashes = "--" + prefix;
  AddList(command, dashes + "disable-pass", &set->disable_passes,
          "A pass not to run: name, pipeline/name or name:k; repeatable" + of);
  AddList(command, dashes + "only-pass", &set->only_passes,
          "The passes to run, and no others; repeatable" + of);
  AddList(command, dashes + "env", &set->environment,
          "NAME=VALUE: a variable of the environment; repeatable" + of);
  command->add_option(dashes + "mode", set->mode,
                      "Of open sizes: exact, symbolic, bucket or pad" + of);
  command->add_flag(dashes + "fast-math", set->fast_math, "Allow rewrites that change values" + of);
  command->add_flag(dashes + "baked-dims", set->baked_dims,
                    "Kernels with every extent compiled in" + of);
}

std::vector<std::string> ArgumentsOf(const AbSet& set) {
  std::vector<std::string> arguments;
  AddAll(&arguments, "--disable-pass", set.disable_passes);
  AddAll(&arguments, "--only-pass", set.only_passes);
  const AbSet plain;
  if (set.mode != plain.mode) AddAll(&arguments, "--mode", {set.mode});
  if (set.device != plain.device) AddAll(&arguments, "--device", {set.device});
  if (set.fast_math) arguments.push_back("--fast-math");
  if (set.baked_dims) arguments.push_back("--baked-dims");
  return arguments;
}

std::string Describe(const AbSet& set) {
  std::vector<std::string> words = ArgumentsOf(set);
  AddAll(&words, "--env", set.environment);
  return words.empty() ? "plain" : absl::StrJoin(words, " ");
}

Status CheckSet(const AbSet& set) {
  for (const std::string& entry : set.environment) SWAGE_RETURN_IF_ERROR(CheckVariable(entry));
  const std::string_view kind = runtime::SplitDevice(set.device).kind;
  if (kind != "cpu" && kind != "cuda") {
    return InvalidArgument("[ab] device '", set.device, "', expected cpu or cuda:N");
  }
  if (IsIn(kModes, set.mode)) return OkStatus();
  return InvalidArgument("[ab] mode '", set.mode, "', expected exact, symbolic, bucket or pad",
                         DidYouMean(set.mode, kModes));
}

bool MayRunDifferently(const AbSet& a, const AbSet& b) { return Running(a) != Running(b); }

std::vector<std::string> EnvironmentOf(const AbSet& set) {
  const auto is_given = [&](std::string_view name) {
    return std::any_of(set.environment.begin(), set.environment.end(),
                       [&](const std::string& entry) { return NameOf(entry) == name; });
  };
  std::vector<std::string> environment;
  for (std::string& entry : CurrentEnvironment()) {
    const std::string_view name = NameOf(entry);
    if (!IsIn(kRemoved, name) && !is_given(name)) environment.push_back(std::move(entry));
  }
  for (size_t i = 0; i < set.environment.size(); ++i) {
    const std::string& entry = set.environment[i];
    const bool later = std::any_of(
        set.environment.begin() + static_cast<std::ptrdiff_t>(i) + 1, set.environment.end(),
        [&](const std::string& other) { return NameOf(other) == NameOf(entry); });
    const bool empty = NameOf(entry).size() + 1 == entry.size();
    if (!later && !empty) environment.push_back(entry);
  }
  return environment;
}

}  // namespace swage::tools
