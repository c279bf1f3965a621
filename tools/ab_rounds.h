// File: tools/ab_rounds.h
//
// The order in which `swage ab` measures, and when it stops.
//
//   MeasureRounds(/*others=*/1, {.rounds = 50}, [&](int set) { return TimeInAProcess(set); });
//
// Set 0 is A, set 1 is A again, sets 2 .. are what is compared with A. A round measures all of them
// in an order drawn by lot and then in the reverse order, so that no set comes early twice. At the
// looks that are planned (ab_statistics.h) sets with a verdict are left out from then on.
#ifndef SWAGE_TOOLS_AB_ROUNDS_H_
#define SWAGE_TOOLS_AB_ROUNDS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "base/status.h"
#include "tools/ab_statistics.h"

namespace swage::tools {

// Of all verdicts of one command together: the probability that any is false.
inline constexpr double kAbError = 0.005;

struct RoundsOptions {
  int rounds = 50;  // at most; at least 1
  double max_seconds = 300;
  uint64_t seed = 0;  // of the order
  double error = kAbError;
  // Seconds since any fixed moment.
  std::function<double()> now = {};
  // Called after each round with the number of rounds that are done; may be empty.
  std::function<void(int)> progress = {};
};

// A set beside A, over the rounds that it took part in.
struct Comparison {
  std::vector<RoundTimes> plain, again, other;
  Judgement judgement;
};

struct Measurement {
  std::vector<Comparison> comparisons;  // of set 2, 3, ...
  int rounds = 0;
  bool out_of_time = false;  // the clock ended it
};

// The time of one measurement of a set, positive.
using TimeSet = std::function<StatusOr<double>(int set)>;

// `others` >= 1. An error of `time` ends it. At least one round is measured. That the clock ends it
// depends on no set's times in particular; it counts as the next planned look.
StatusOr<Measurement> MeasureRounds(int others, const RoundsOptions& options, const TimeSet& time);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_AB_ROUNDS_H_
