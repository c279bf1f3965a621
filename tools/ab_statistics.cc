#include "tools/ab_statistics.h"

#include <algorithm>
#include <cmath>

namespace swage::tools {
namespace {

// A number of rounds beyond reason.
constexpr double kMostRounds = 1e6;

// The signed-rank statistic of n contrasts of random sign is the sum of a random subset of 1 .. n
// (F. Wilcoxon, Individual comparisons by ranking methods, 1945). The largest c with
// P(sum <= c) <= tail; -1 when there is none.
int64_t CriticalSum(int64_t n, double tail) {
  const int64_t most = n * (n + 1) / 4;  // no tail goes beyond the middle
  std::vector<double> probability(most + 1, 0.0);
  probability[0] = 1;
  for (int64_t rank = 1; rank <= n; ++rank) {
    for (int64_t sum = std::min(most, rank * (rank + 1) / 2); sum >= 0; --sum) {
      const double without = probability[sum];
      const double with = sum >= rank ? probability[sum - rank] : 0.0;
      probability[sum] = (without + with) / 2;
    }
  }
  int64_t c = -1;
  double below = 0;
  while (c < most && below + probability[c + 1] <= tail) below += probability[++c];
  return c;
}

// Mean of the two middle ones, or the middle one.
double MedianOfSorted(const std::vector<double>& sorted) {
  const size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// Intervals shrink with the root of the number of rounds.
std::optional<int64_t> MoreRounds(const Judgement& judgement, int64_t rounds, double spread) {
  const double size = std::abs(judgement.effect.estimate);
  const double to_end = judgement.effect.estimate > 0
                            ? judgement.effect.estimate - judgement.effect.low
                            : judgement.effect.high - judgement.effect.estimate;
  const double shrink = std::max(to_end, spread) / size;
  const double wanted = static_cast<double>(rounds) * shrink * shrink;
  if (!(wanted < kMostRounds)) return std::nullopt;
  return std::max<int64_t>(1, static_cast<int64_t>(std::ceil(wanted)) - rounds);
}

}  // namespace

double Contrast(const RoundTimes& base, const RoundTimes& other) {
  return std::log(std::min(other[0], other[1]) / std::min(base[0], base[1]));
}

std::vector<double> Contrasts(const std::vector<RoundTimes>& base,
                              const std::vector<RoundTimes>& other) {
  std::vector<double> contrasts;
  for (size_t i = 0; i < std::min(base.size(), other.size()); ++i) {
    contrasts.push_back(Contrast(base[i], other[i]));
  }
  return contrasts;
}

// The most extreme outcome, all contrasts of one sign, has probability 2^-n at either side.
int LeastRounds(double error) { return static_cast<int>(std::ceil(1 - std::log2(error))); }

LookPlan PlanLooks(int rounds, double error) {
  LookPlan plan{.rounds = {rounds}, .error = error};
  for (;;) {
    const int earlier = plan.rounds.back() * 5 / 7;
    const double share = error / static_cast<double>(plan.rounds.size() + 1);
    if (earlier < LeastRounds(share)) break;
    plan.rounds.push_back(earlier);
    plan.error = share;
  }
  std::reverse(plan.rounds.begin(), plan.rounds.end());
  return plan;
}

// J. L. Hodges and E. L. Lehmann, Estimates of location based on rank tests, 1963: the averages of
// any two contrasts (and of each with itself) that exceed a value are as many as the signed-rank
// statistic of the contrasts minus that value. Averages that equal the value are counted against a
// verdict, so ties make the test more careful, never less.
Interval IntervalOf(const std::vector<double>& contrasts, double error) {
  const size_t n = contrasts.size();
  std::vector<double> averages;
  averages.reserve(n * (n + 1) / 2);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i; j < n; ++j) averages.push_back((contrasts[i] + contrasts[j]) / 2);
  }
  std::sort(averages.begin(), averages.end());
  Interval interval;
  interval.estimate = MedianOfSorted(averages);
  const int64_t c = CriticalSum(static_cast<int64_t>(n), error / 2);
  if (c < 0) return interval;
  interval.low = averages[c];
  interval.high = averages[averages.size() - 1 - c];
  return interval;
}

Judgement Judge(const std::vector<double>& effect, const std::vector<double>& same, double error) {
  Judgement judgement;
  judgement.effect = IntervalOf(effect, error);
  judgement.same = IntervalOf(same, error);
  const int64_t rounds = static_cast<int64_t>(effect.size());
  const int64_t least = LeastRounds(error);
  if (rounds < least) {
    judgement.more_rounds = least - rounds;
    return judgement;
  }
  const double spread = std::max(std::abs(judgement.same.low), std::abs(judgement.same.high));
  if (!judgement.effect.has_zero() && std::abs(judgement.effect.estimate) > spread) {
    judgement.verdict = judgement.effect.estimate < 0 ? AbVerdict::kFaster : AbVerdict::kSlower;
  } else {
    judgement.more_rounds = MoreRounds(judgement, rounds, spread);
  }
  return judgement;
}

}  // namespace swage::tools
