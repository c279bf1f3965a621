#include "base/env.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/nearest.h"

namespace swage {
namespace {

constexpr std::string_view kPrefix = "SWAGE_";

// Sorted by name.
constexpr EnvVariable kVariables[] = {
    {"SWAGE_BUILD_ID", "text added to the build's identity in keys; none: keep nothing on disk"},
    {"SWAGE_CACHE_DIR", "directory of the disk cache, or off"},
    {"SWAGE_CACHE_MEMORY_BYTES", "bound of the compiled code in memory; default 1073741824"},
    {"SWAGE_CHECK",
     "comma list of check modes: lies (of passes), memory or memory-start (guard pages), padding "
     "(against exact sizes), passes (evaluate them)"},
    {"SWAGE_CONFIG", "configuration file"},
    {"SWAGE_CPU", "generate code for an older CPU: x86-64-v3, x86-64-v4 or an LLVM CPU name"},
    {"SWAGE_CUDA_GRAPHS", "off: programs on a GPU are never recorded as CUDA graphs; default auto"},
    {"SWAGE_DEVICE", "device of jit functions and ops: cpu (default), cuda:0 or evaluator"},
    {"SWAGE_DISABLE_PASSES", "comma list of passes that do not run"},
    {"SWAGE_DUMP_TO", "directory that receives the dumps of every compilation"},
    {"SWAGE_FAST_MATH", "1 allows rewrites that change values"},
    {"SWAGE_LIBCUBLASLT", "cuBLASLt, or off; default libcublasLt.so.13 where the loader finds it"},
    {"SWAGE_LIBCUDA", "the CUDA driver; default libcuda.so.1 where the loader finds it"},
    {"SWAGE_LIBRARY_DOTS",
     "which dots oneDNN computes on a CPU: auto (default), off or always (all that it has)"},
    {"SWAGE_LOG", "off, error, warn, info or debug; default warn"},
    {"SWAGE_MAX_COMPILES",
     "the miss of a jit function after so many compiles is an error; 0: none"},
    {"SWAGE_MAX_CONSTANT_BYTES", "constant folding makes no larger literal; default 1048576"},
    {"SWAGE_NUM_THREADS", "threads that kernels run on; default the CPUs that the process may use"},
    {"SWAGE_ONLY_PASSES", "comma list of the only passes that run"},
    {"SWAGE_ON_MISS", "what a call without compiled code does: wait, background, error or exact"},
    {"SWAGE_PADDING", "forced: programs of open sizes are padded to their bounds; default none"},
    {"SWAGE_PADDING_FILL", "what padding holds: zero (default), nan, infinity or large"},
    {"SWAGE_PADDING_MASKS", "all: masks also where padding is known to hold the right value"},
    {"SWAGE_RECORD_SHAPES",
     "file that the shapes of all calls are counted in, to learn buckets from"},
    {"SWAGE_SPECIALIZE", "0: hot kernels are not compiled again with their sizes baked in"},
};

bool IsKnown(std::string_view name) {
  return std::any_of(std::begin(kVariables), std::end(kVariables),
                     [&](const EnvVariable& variable) { return variable.name == name; });
}

}  // namespace

std::span<const EnvVariable> KnownEnvVariables() { return kVariables; }

std::optional<std::string> GetEnv(std::string_view name) {
  SWAGE_CHECK(IsKnown(name));
  const char* value = std::getenv(std::string(name).c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

StatusOr<std::optional<int64_t>> GetEnvInt(std::string_view name, int64_t min, int64_t max) {
  const std::optional<std::string> text = GetEnv(name);
  if (!text.has_value()) return std::optional<int64_t>();
  int64_t value = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc() || stop != end || value < min || value > max) {
    return InvalidArgument("[environment] ", ToAbsl(name), "='", *text,
                           "', expected a whole number from ", min, " to ", max);
  }
  return std::optional<int64_t>(value);
}

std::vector<UnknownEnvVariable> UnknownEnvVariables() {
  std::vector<std::string_view> known;
  for (const EnvVariable& variable : kVariables)
    known.push_back(variable.name.substr(kPrefix.size()));
  std::vector<UnknownEnvVariable> unknown;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    std::string_view name(*entry);
    name = name.substr(0, name.find('='));
    if (!name.starts_with(kPrefix) || IsKnown(name)) continue;
    UnknownEnvVariable variable{.name = std::string(name), .nearest = {}};
    // Compared without the common prefix, which would make every name look alike.
    for (const std::string& near : NearestNames(name.substr(kPrefix.size()), known)) {
      variable.nearest.push_back(std::string(kPrefix) + near);
    }
    unknown.push_back(std::move(variable));
  }
  std::sort(unknown.begin(), unknown.end(),
            [](const auto& x, const auto& y) { return x.name < y.name; });
  return unknown;
}

}  // namespace swage
