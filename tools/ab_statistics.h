// File: tools/ab_statistics.h
//
// What `swage ab` concludes from times: pure functions on lists of numbers.
//
//   const LookPlan plan = PlanLooks(/*rounds=*/50, /*error=*/0.005);
//   ... measure up to plan.rounds[i] ...
//   const Judgement judgement = Judge(effect, same, plan.error);
//
// A round measures A, B and A once more, in an order drawn by lot, and then in the reverse order.
// The contrast of two sets in it, ln(lower time of one / lower time of the other), is the unit of
// all statistics. If the sets are the same work, the lot alone decides which of the two is the
// larger, whatever the machine does meanwhile: each contrast has either sign with probability one
// half, independently of all others. So the Wilcoxon signed-rank test on contrasts is exact,
// without any assumption on the noise (docs/decisions.md).
#ifndef SWAGE_TOOLS_AB_STATISTICS_H_
#define SWAGE_TOOLS_AB_STATISTICS_H_

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace swage::tools {

// The two measurements of a set in one round, in any unit; positive.
using RoundTimes = std::array<double, 2>;

// ln of how many times as long `other` takes as `base`, by the lower of their two times each: what
// else happens on a machine only ever adds to a time.
double Contrast(const RoundTimes& base, const RoundTimes& other);
std::vector<double> Contrasts(const std::vector<RoundTimes>& base,
                              const std::vector<RoundTimes>& other);

// At which numbers of rounds one looks whether there is a verdict, rising; the last one is all.
struct LookPlan {
  std::vector<int> rounds;
  double error = 0;  // the probability of a false verdict that each look may use up
};

// `rounds` >= 1 is the last look. The looks share `error` equally, so that the probability that any
// of them errs is at most `error`, however they hang together. Looks at which no verdict could be
// reached are not planned.
LookPlan PlanLooks(int rounds, double error);

// The least number of rounds after which a look with this error can reach a verdict at all.
int LeastRounds(double error);

// Of logarithms of ratios. Without enough contrasts the ends are infinite.
struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double estimate = 0;
  double high = std::numeric_limits<double>::infinity();

  bool has_zero() const { return low <= 0 && high >= 0; }
};

// The Hodges-Lehmann estimate and the confidence interval that belongs to the signed-rank test,
// which misses the truth with a probability of at most `error`. At least one contrast.
Interval IntervalOf(const std::vector<double>& contrasts, double error);

enum class AbVerdict : uint8_t { kNotResolved, kFaster, kSlower };

struct Judgement {
  AbVerdict verdict = AbVerdict::kNotResolved;
  Interval effect;  // B over A
  Interval same;    // A over A
  // About how many more rounds a verdict takes if things stay as they are; nullopt: there is one,
  // or no number within reason will do.
  std::optional<int64_t> more_rounds;
};

// One look. `effect` and `same` are the contrasts of B with A and of A with A, of the same rounds.
// There is a verdict when the interval of the effect does not hold zero AND the effect is larger
// than any that the interval of A with A leaves possible for identical work.
Judgement Judge(const std::vector<double>& effect, const std::vector<double>& same, double error);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_AB_STATISTICS_H_
