// File: compiler/ir/decision_extent.h
//
// The number that a decision (what to fuse, which schedule) is made for where an extent has none
// yet. Results never depend on it.
//
//   const SizeHints hints({{"seq", 512}});          // on this thread, while it lives
//   DecisionExtent(2 * Dim::Symbol("seq", 0, 4096));      // 1024
//
// A symbol without a hint counts as the geometric mean of its bounds (of 1 and 4096: 64), since
// sizes spread over orders of magnitude and a choice that is right for the largest may be wrong for
// all usual ones; without an upper bound as 1024.
#ifndef SWAGE_COMPILER_IR_DECISION_EXTENT_H_
#define SWAGE_COMPILER_IR_DECISION_EXTENT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/dim.h"

namespace swage::ir {

struct SizeHint {
  std::string symbol;
  int64_t size = 0;
  friend bool operator==(const SizeHint&, const SizeHint&) = default;
};

int64_t DecisionExtent(Dim dim);

// Hints for this thread, instead of those of a scope around it.
class SizeHints {
 public:
  explicit SizeHints(std::vector<SizeHint> hints);
  ~SizeHints();
  SizeHints(const SizeHints&) = delete;
  SizeHints& operator=(const SizeHints&) = delete;

 private:
  const std::vector<SizeHint> hints_;
  const std::vector<SizeHint>* const outer_;
};

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_DECISION_EXTENT_H_
