// File: base/check_mode.h
//
// SWAGE_CHECK: a comma list of self-checks that are too slow for every day.
//   passes   evaluate the module before and after each pass that changed it; name the guilty one
//   padding  run programs of open sizes also padded to their bounds, with two fills; name the first
//            instruction that differs
//   lies     compare fingerprints around each pass that says it changed nothing
//   memory   put every buffer against a guard page
#ifndef SWAGE_BASE_CHECK_MODE_H_
#define SWAGE_BASE_CHECK_MODE_H_

#include <string_view>

#include "base/status.h"

namespace swage {

struct CheckMode {
  bool passes = false;
  bool padding = false;
  bool lies = false;
  bool memory = false;

  // Of the environment, read once per process; an unknown word is ignored here and reported by
  // Parse at start-up.
  static const CheckMode& Get();
  // An unknown word is InvalidArgument with the nearest names.
  static StatusOr<CheckMode> Parse(std::string_view text);
};

}  // namespace swage

#endif  // SWAGE_BASE_CHECK_MODE_H_
