#include "base/check_mode.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "base/env.h"
#include "base/nearest.h"

namespace swage {

StatusOr<CheckMode> CheckMode::Parse(std::string_view text) {
  static constexpr std::string_view kModes[] = {"lies", "memory", "padding", "passes"};
  CheckMode mode;
  for (absl::string_view word : absl::StrSplit(ToAbsl(text), ',', absl::SkipWhitespace())) {
    word = absl::StripAsciiWhitespace(word);
    if (word == "lies") {
      mode.lies = true;
    } else if (word == "memory") {
      mode.memory = true;
    } else if (word == "padding") {
      mode.padding = true;
    } else if (word == "passes") {
      mode.passes = true;
    } else {
      return InvalidArgument("[environment] SWAGE_CHECK has no mode '", word,
                             "', expected lies, memory, padding or passes", DidYouMean(ToStd(word), kModes));
    }
  }
  return mode;
}

const CheckMode& CheckMode::Get() {
  static const CheckMode mode = Parse(GetEnv("SWAGE_CHECK").value_or("")).value_or(CheckMode());
  return mode;
}

}  // namespace swage
