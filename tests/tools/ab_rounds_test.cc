#include "tools/ab_rounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace swage::tools {
namespace {

constexpr int kExperiments = 1000;

using Random = std::mt19937_64;
// ln of how much slower the machine is, one measurement after another.
using Noise = std::function<double()>;
using MakeNoise = std::function<Noise(Random* random)>;

double Normal(Random* random) { return std::normal_distribution<double>()(*random); }
double Uniform(Random* random) { return std::uniform_real_distribution<double>()(*random); }

Noise Plain(Random* random) {
  return [=] { return 0.02 * Normal(random); };
}
// Means and variances do not exist.
Noise HeavyTails(Random* random) {
  return [=] { return 0.02 * std::cauchy_distribution<double>()(*random); };
}
Noise Drift(Random* random) {
  return [=, at = 0]() mutable { return 0.003 * ++at + 0.01 * Normal(random); };
}
Noise Walk(Random* random) {
  return [=, at = 0.0]() mutable { return at += 0.02 * Normal(random); };
}
Noise Autocorrelated(Random* random) {
  return [=, at = 0.0]() mutable { return at = 0.9 * at + 0.02 * Normal(random); };
}
Noise Alternating(Random* random) {
  return [=, at = 0.0]() mutable { return at = -0.9 * at + 0.02 * Normal(random); };
}
// In step with the rounds.
Noise Periodic(Random* random) {
  return [=, at = 0]() mutable { return (++at % 6 < 2 ? 0.2 : 0.0) + 0.001 * Normal(random); };
}
// Another program takes the machine for a while.
Noise Bursts(Random* random) {
  return [=, left = 0]() mutable {
    if (left == 0 && Uniform(random) < 0.05) left = 1 + static_cast<int>((*random)() % 8);
    const bool busy = left > 0;
    left -= busy ? 1 : 0;
    return (busy ? 0.7 : 0.0) + 0.005 * Normal(random);
  };
}
Noise TwoSpeeds(Random* random) {
  return [=, fast = true]() mutable {
    if (Uniform(random) < 0.1) fast = !fast;
    return (fast ? 0.0 : 0.3) + 0.002 * Normal(random);
  };
}
// A clock that knows a few values only.
Noise Coarse(Random* random) {
  return [=] { return 0.05 * std::round(Normal(random)); };
}

const std::map<std::string, MakeNoise>& Noises() {
  static const auto* const noises =
      new std::map<std::string, MakeNoise>{{"plain", Plain},
                                           {"heavy tails", HeavyTails},
                                           {"drift", Drift},
                                           {"walk", Walk},
                                           {"autocorrelated", Autocorrelated},
                                           {"alternating", Alternating},
                                           {"periodic", Periodic},
                                           {"bursts", Bursts},
                                           {"two speeds", TwoSpeeds},
                                           {"coarse", Coarse}};
  return *noises;
}

// One command: sets from the third on take exp(effect) times as long.
Measurement Simulate(const MakeNoise& make, double effect, uint64_t seed, int others = 1,
                     int rounds = 50) {
  Random random(seed * 7919 + 1);
  const Noise noise = make(&random);
  const RoundsOptions options{.rounds = rounds, .seed = seed, .now = [] { return 0.0; }};
  auto measured = MeasureRounds(others, options, [&](int set) -> StatusOr<double> {
    return std::exp(noise() + (set >= 2 ? effect : 0));
  });
  EXPECT_TRUE(measured.ok());
  return *std::move(measured);
}

int Verdicts(const MakeNoise& make, double effect, AbVerdict wanted) {
  int verdicts = 0;
  for (int i = 0; i < kExperiments; ++i) {
    const Measurement measured = Simulate(make, effect, i);
    verdicts += measured.comparisons[0].judgement.verdict == wanted ? 1 : 0;
  }
  return verdicts;
}

TEST(AbRoundsTest, EqualWorkHasNoVerdictWhateverTheNoise) {
  for (const auto& [name, make] : Noises()) {
    const int wrong = kExperiments - Verdicts(make, 0, AbVerdict::kNotResolved);
    EXPECT_LE(wrong, kAbError * kExperiments) << name;
    RecordProperty("false verdicts with noise: " + name, wrong);
  }
}

// The test alone, without the comparison with A measured twice: the looks are paid for.
TEST(AbRoundsTest, LookingOftenDoesNotAddFalseVerdicts) {
  const LookPlan plan = PlanLooks(50, kAbError);
  for (const char* name : {"plain", "heavy tails", "bursts"}) {
    int wrong = 0;
    for (int i = 0; i < kExperiments; ++i) {
      const Measurement measured = Simulate(Noises().at(name), 0, i);
      const Comparison& all = measured.comparisons[0];
      std::vector<double> contrasts = Contrasts(all.plain, all.other);
      bool any = false;
      for (const int rounds : plan.rounds) {
        if (static_cast<size_t>(rounds) > contrasts.size()) break;
        const std::vector<double> seen(contrasts.begin(), contrasts.begin() + rounds);
        any = any || !IntervalOf(seen, plan.error).has_zero();
      }
      wrong += any ? 1 : 0;
    }
    // 5 are expected at most; 14 or more come with a probability of 1 in 1000.
    EXPECT_LE(wrong, 13) << name;
  }
}

TEST(AbRoundsTest, SeveralSetsShareTheError) {
  int wrong = 0;
  for (int i = 0; i < kExperiments / 4; ++i) {
    for (const Comparison& comparison : Simulate(Plain, 0, i, /*others=*/10).comparisons) {
      wrong += comparison.judgement.verdict != AbVerdict::kNotResolved ? 1 : 0;
    }
  }
  EXPECT_LE(wrong, 2);
}

TEST(AbRoundsTest, DifferencesOfFiveAndTenPercentAreFound) {
  for (const char* name : {"plain", "drift", "walk", "autocorrelated", "alternating", "bursts"}) {
    const MakeNoise& make = Noises().at(name);
    EXPECT_GE(Verdicts(make, std::log(1.10), AbVerdict::kSlower), kExperiments * 97 / 100) << name;
    EXPECT_GE(Verdicts(make, -std::log(1.10), AbVerdict::kFaster), kExperiments * 97 / 100) << name;
    EXPECT_GE(Verdicts(make, std::log(1.05), AbVerdict::kSlower), kExperiments * 97 / 100) << name;
  }
  for (const char* name : {"two speeds", "heavy tails"}) {
    const MakeNoise& make = Noises().at(name);
    EXPECT_GE(Verdicts(make, std::log(1.10), AbVerdict::kSlower), kExperiments * 90 / 100) << name;
  }
}

TEST(AbRoundsTest, TheIntervalHoldsTheTruth) {
  for (const char* name : {"plain", "heavy tails", "drift", "bursts"}) {
    int outside = 0;
    for (int i = 0; i < kExperiments; ++i) {
      const Measurement measured = Simulate(Noises().at(name), 0.05, i);
      const Interval& interval = measured.comparisons[0].judgement.effect;
      outside += interval.low > 0.05 || interval.high < 0.05 ? 1 : 0;
    }
    EXPECT_LE(outside, 13) << name;
  }
}

TEST(AbRoundsTest, EveryRoundTurnsAround) {
  std::vector<int> order;
  const RoundsOptions options{.rounds = 40, .now = [] { return 0.0; }};
  ASSERT_TRUE(MeasureRounds(1, options, [&](int set) -> StatusOr<double> {
                order.push_back(set);
                return 1;
              }).ok());
  ASSERT_EQ(order.size(), 40u * 6);
  int first[3] = {};
  for (size_t i = 0; i < order.size(); i += 6) {
    ++first[order[i]];
    for (int k = 0; k < 3; ++k) EXPECT_EQ(order[i + k], order[i + 5 - k]);
  }
  for (const int count : first) EXPECT_GE(count, 5);
}

TEST(AbRoundsTest, ASetWithAVerdictIsLeftOut) {
  int runs[4] = {};
  const RoundsOptions options{.rounds = 50, .now = [] { return 0.0; }};
  const auto measured = MeasureRounds(2, options, [&](int set) -> StatusOr<double> {
    ++runs[set];
    return set == 2 ? 2.0 : 1.0;
  });
  ASSERT_TRUE(measured.ok());
  EXPECT_EQ(measured->comparisons[0].judgement.verdict, AbVerdict::kSlower);
  EXPECT_EQ(measured->comparisons[1].judgement.verdict, AbVerdict::kNotResolved);
  EXPECT_EQ(runs[3], 100);
  EXPECT_LT(runs[2], 50);
  EXPECT_EQ(measured->comparisons[0].plain.size() * 2, static_cast<size_t>(runs[2]));
}

TEST(AbRoundsTest, TheClockEndsItBetweenRounds) {
  double now = 0;
  const RoundsOptions options{.rounds = 50, .max_seconds = 100, .now = [&] { return now; }};
  const auto measured = MeasureRounds(1, options, [&](int) -> StatusOr<double> {
    now += 4;
    return 1;
  });
  ASSERT_TRUE(measured.ok());
  EXPECT_TRUE(measured->out_of_time);
  EXPECT_EQ(measured->rounds, 4);  // of 24 seconds each
  EXPECT_TRUE(measured->comparisons[0].judgement.more_rounds.has_value());
}

TEST(AbRoundsTest, AnErrorEndsIt) {
  const RoundsOptions options{.rounds = 50, .now = [] { return 0.0; }};
  const auto measured =
      MeasureRounds(1, options, [](int) -> StatusOr<double> { return NotFound("gone"); });
  EXPECT_EQ(measured.status().message(), "gone");
}

}  // namespace
}  // namespace swage::tools
