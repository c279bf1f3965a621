// File: tools/target.h
//
// The --target of `opt` and `passes`.
#ifndef SWAGE_TOOLS_TARGET_H_
#define SWAGE_TOOLS_TARGET_H_

#include <string_view>

#include "base/nearest.h"
#include "base/status.h"

namespace swage::tools {

// InvalidArgument, with the nearest names, for a target that does not exist.
inline Status CheckTarget(std::string_view target) {
  static constexpr std::string_view kTargets[] = {"cpu"};
  for (std::string_view known : kTargets) {
    if (target == known) return OkStatus();
  }
  return InvalidArgument("[target] no target '", ToAbsl(target), "', expected cpu",
                         DidYouMean(target, kTargets));
}

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_TARGET_H_
