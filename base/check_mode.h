// File: base/check_mode.h
//
// SWAGE_CHECK: a comma list of self-checks that are too slow for every day.
//   passes   evaluate the module before and after each pass that changed it; name the guilty one
//   padding  run programs of open sizes also padded to their bounds, with two fills; name the first
//            instruction that differs
//   lies     compare fingerprints around each pass that says it changed nothing
//   memory   end every buffer that a kernel sees at a page that nobody may touch
//   memory-start  begin every buffer behind such a page instead
#ifndef SWAGE_BASE_CHECK_MODE_H_
#define SWAGE_BASE_CHECK_MODE_H_

#include <cstdint>
#include <string_view>

#include "base/guard_memory.h"
#include "base/status.h"

namespace swage {

struct CheckMode {
  bool passes = false;
  bool padding = false;
  bool lies = false;
  bool memory = false;                // either mode of memory
  GuardSide guard = GuardSide::kEnd;  // which one

  // Of the environment, read once per process; an unknown word is ignored here and reported by
  // Parse at start-up.
  static const CheckMode& Get();
  // An unknown word is InvalidArgument with the nearest names; both modes of memory are, too.
  static StatusOr<CheckMode> Parse(std::string_view text);

  // What a buffer of so many bytes is under `memory`. The guard page touches it, whatever its size:
  // at its end, a buffer is only as aligned as its size is. That is what kernels may count on
  // (memory of others is aligned to its elements), so they are the same under a check.
  StatusOr<GuardedBuffer> Guarded(int64_t bytes) const;
};

}  // namespace swage

#endif  // SWAGE_BASE_CHECK_MODE_H_
