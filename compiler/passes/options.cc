#include "compiler/passes/options.h"

#include "absl/strings/str_split.h"
#include "base/env.h"
#include "base/nearest.h"

namespace swage::passes {

StatusOr<CompilerOptions> OptionsFromEnvironment() {
  // "memory" is the runtime's; the rest is ours.
  static constexpr std::string_view kModes[] = {"lies", "memory", "passes"};
  CompilerOptions options;
  options.dump_to = GetEnv("SWAGE_DUMP_TO").value_or("");
  const std::string checks = GetEnv("SWAGE_CHECK").value_or("");
  for (absl::string_view mode : absl::StrSplit(checks, ',', absl::SkipWhitespace())) {
    if (mode == "lies") {
      options.check_lies = true;
    } else if (mode == "passes") {
      options.check_passes = true;
      options.check_lies = true;
    } else if (mode != "memory") {
      return InvalidArgument("[environment] SWAGE_CHECK has no mode '", mode,
                             "', expected lies, memory or passes", DidYouMean(ToStd(mode), kModes));
    }
  }
  return options;
}

}  // namespace swage::passes
