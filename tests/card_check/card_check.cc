// card_check BUNDLE: runs a bundle on the card of this machine. It needs a CUDA driver and nothing
// else. docs/gpu.md says what its lines mean.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

#include "tests/card_check/supervisor.h"

namespace swage::card {
namespace {

constexpr char kUsage[] =
    "card_check BUNDLE [--small] [--no-timings] [--older-ptx] [--only PREFIX]\n"
    "                  [--kernel-seconds N] [--case-seconds N]\n"
    "\n"
    "  --small           programs of small sizes are timed, which the emulator can run\n"
    "  --no-timings      nothing is timed\n"
    "  --older-ptx       the PTX for sm_80, which later cards take too\n"
    "  --only PREFIX     cases whose name begins so: driver, mma/, approx/, kernel/, time/, ...\n"
    "  --kernel-seconds  after so long (130) no further kernel is checked\n"
    "  --case-seconds    a case that takes longer (60) has failed\n"
    "\n"
    "One JSON line per case, and a summary. Exit code: 0 fine, 1 a case failed, 2 no driver,\n"
    "3 usage, a bundle that cannot be read, or lines that cannot be written. SWAGE_LIBCUDA names "
    "another driver.\n";

StatusOr<CheckOptions> ParseArguments(int count, char** arguments) {
  CheckOptions options;
  Status status;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    const auto value = [&]() -> std::string {
      if (i + 1 < count) return arguments[++i];
      status.Update(InvalidArgument(argument, " needs a value"));
      return "";
    };
    const auto seconds = [&](double* to) {
      const std::string text = value();
      char* end = nullptr;
      *to = std::strtod(text.c_str(), &end);
      if (!text.empty() && *end == '\0' && *to > 0) return;
      status.Update(InvalidArgument(argument, " got '", text, "', expected seconds, more than 0"));
    };
    if (argument == "--small") {
      options.small = true;
    } else if (argument == "--no-timings") {
      options.timings = false;
    } else if (argument == "--older-ptx") {
      options.older_ptx = true;
    } else if (argument == "--only") {
      options.only = value();
    } else if (argument == "--kernel-seconds") {
      seconds(&options.kernel_seconds);
    } else if (argument == "--case-seconds") {
      seconds(&options.case_seconds);
    } else if (argument.starts_with("-")) {
      status.Update(InvalidArgument("unknown option '", argument, "'"));
    } else if (!options.bundle.empty()) {
      status.Update(InvalidArgument("got '", argument, "' besides '", options.bundle,
                                    "', expected one bundle"));
    } else {
      options.bundle = argument;
    }
  }
  if (options.bundle.empty()) status.Update(InvalidArgument("a bundle is needed"));
  if (!status.ok()) return status;
  return options;
}

StatusOr<Bundle> ReadBundle(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) {
    return NotFound("[card check] cannot open '", path, "': ", std::strerror(errno));
  }
  const auto size = static_cast<int64_t>(file.tellg());
  if (size < 0 || size > kMaxBundleBytes) {
    return InvalidArgument("[card check] '", path, "' is no file of at most ", kMaxBundleBytes,
                           " bytes");
  }
  std::string text(static_cast<size_t>(size), '\0');
  file.seekg(0).read(text.data(), size);
  if (!file) return InvalidArgument("[card check] cannot read '", path, "'");
  StatusOr<Bundle> bundle = ParseBundle(text);
  if (!bundle.ok()) return Annotate(bundle.status(), "; " + path);
  return bundle;
}

int Main(int count, char** arguments) {
  const StatusOr<CheckOptions> options = ParseArguments(count, arguments);
  if (!options.ok()) {
    std::fprintf(stderr, "card_check: %s\n\n%s", std::string(options.status().message()).c_str(),
                 kUsage);
    return kExitUsage;
  }
  const StatusOr<Bundle> bundle = ReadBundle(options->bundle);
  if (!bundle.ok()) {
    std::fprintf(stderr, "card_check: %s\n", std::string(bundle.status().message()).c_str());
    return kExitUsage;
  }
  const std::vector<Case> cases = AllCases(*bundle, *options);
  if (cases.empty()) {
    std::fprintf(stderr, "card_check: no case begins with '%s'\n", options->only.c_str());
    return kExitUsage;
  }
  return RunCases(cases, *bundle, *options);
}

}  // namespace
}  // namespace swage::card

int main(int argc, char** argv) { return swage::card::Main(argc, argv); }
