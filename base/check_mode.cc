#include "base/check_mode.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "base/env.h"
#include "base/nearest.h"

namespace swage {

StatusOr<CheckMode> CheckMode::Parse(std::string_view text) {
  static constexpr std::string_view kModes[] = {"lies", "memory", "memory-start", "padding",
                                                "passes"};
  CheckMode mode;
  bool at_end = false, at_start = false;
  for (absl::string_view word : absl::StrSplit(ToAbsl(text), ',', absl::SkipWhitespace())) {
    word = absl::StripAsciiWhitespace(word);
    if (word == "lies") {
      mode.lies = true;
    } else if (word == "memory") {
      at_end = true;
    } else if (word == "memory-start") {
      at_start = true;
    } else if (word == "padding") {
      mode.padding = true;
    } else if (word == "passes") {
      mode.passes = true;
    } else {
      return InvalidArgument("[environment] SWAGE_CHECK has no mode '", word,
                             "', expected lies, memory, memory-start, padding or passes",
                             DidYouMean(ToStd(word), kModes));
    }
  }
  if (at_end && at_start) {
    return InvalidArgument(
        "[environment] SWAGE_CHECK has the modes memory and memory-start, expected one of them: a "
        "buffer touches a guard page at one side; run twice");
  }
  mode.memory = at_end || at_start;
  mode.guard = at_start ? GuardSide::kStart : GuardSide::kEnd;
  return mode;
}

const CheckMode& CheckMode::Get() {
  static const CheckMode mode = Parse(GetEnv("SWAGE_CHECK").value_or("")).value_or(CheckMode());
  return mode;
}

StatusOr<GuardedBuffer> CheckMode::Guarded(int64_t bytes) const {
  SWAGE_RET_CHECK(bytes >= 0, bytes);
  constexpr int64_t kMostAligned = 64;
  int64_t alignment = kMostAligned;
  while (bytes % alignment != 0) alignment /= 2;
  // Without a byte of its own it lies at the guard page on any side.
  return GuardedBuffer::Create(static_cast<size_t>(bytes), static_cast<size_t>(alignment),
                               bytes == 0 ? GuardSide::kEnd : guard);
}

}  // namespace swage
