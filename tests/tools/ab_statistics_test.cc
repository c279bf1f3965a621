#include "tools/ab_statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace swage::tools {
namespace {

std::vector<double> Normals(int n, double mean, std::mt19937_64* random) {
  std::normal_distribution<double> normal(mean, 1.0);
  std::vector<double> values;
  for (int i = 0; i < n; ++i) values.push_back(normal(*random));
  return values;
}

// The averages of any two contrasts that are below the interval: the critical value of the test.
int CriticalValue(int n, double error) {
  std::mt19937_64 random(n);
  const std::vector<double> x = Normals(n, 0, &random);
  const double low = IntervalOf(x, error).low;
  int below = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = i; j < n; ++j) below += (x[i] + x[j]) / 2 < low ? 1 : 0;
  }
  return below;
}

TEST(AbStatisticsTest, AContrastTakesTheLowerTimes) {
  EXPECT_DOUBLE_EQ(Contrast({2, 9}, {7, 4}), std::log(2));
  EXPECT_DOUBLE_EQ(Contrast({7, 4}, {2, 9}), -std::log(2));
}

TEST(AbStatisticsTest, CriticalValuesAreThoseOfTheTables) {
  EXPECT_EQ(CriticalValue(6, 0.05), 0);
  EXPECT_EQ(CriticalValue(10, 0.05), 8);
  EXPECT_EQ(CriticalValue(12, 0.01), 7);
  EXPECT_EQ(CriticalValue(20, 0.05), 52);
  EXPECT_EQ(CriticalValue(25, 0.01), 68);
  EXPECT_EQ(CriticalValue(50, 0.05), 434);
}

TEST(AbStatisticsTest, TooFewContrastsHaveNoInterval) {
  EXPECT_EQ(LeastRounds(0.005), 9);
  std::mt19937_64 random(1);
  EXPECT_TRUE(std::isinf(IntervalOf(Normals(8, 0, &random), 0.005).low));
  EXPECT_FALSE(std::isinf(IntervalOf(Normals(9, 0, &random), 0.005).low));
}

TEST(AbStatisticsTest, TheIntervalTurnsWithItsContrasts) {
  std::mt19937_64 random(2);
  const std::vector<double> x = Normals(17, 0.3, &random);
  std::vector<double> negated;
  for (const double value : x) negated.push_back(-value);
  const Interval a = IntervalOf(x, 0.01), b = IntervalOf(negated, 0.01);
  EXPECT_DOUBLE_EQ(a.estimate, -b.estimate);
  EXPECT_DOUBLE_EQ(a.low, -b.high);
  EXPECT_LT(a.low, a.estimate);
  EXPECT_LT(a.estimate, a.high);
}

TEST(AbStatisticsTest, AnOutlierMovesNothingMuch) {
  std::vector<double> x;
  for (int i = 0; i < 20; ++i) x.push_back(0.1 + 0.001 * i);
  x[3] = -1000;
  const Interval interval = IntervalOf(x, 0.01);
  EXPECT_NEAR(interval.estimate, 0.11, 0.005);
  EXPECT_GT(interval.low, 0);
}

TEST(AbStatisticsTest, LooksShareTheErrorAndCanAllDecide) {
  for (const int rounds : {1, 8, 9, 10, 25, 50, 111, 500}) {
    const LookPlan plan = PlanLooks(rounds, 0.005);
    EXPECT_EQ(plan.rounds.back(), rounds);
    EXPECT_DOUBLE_EQ(plan.error * static_cast<double>(plan.rounds.size()), 0.005);
    for (size_t i = 0; i + 1 < plan.rounds.size(); ++i) {
      EXPECT_LT(plan.rounds[i], plan.rounds[i + 1]);
      EXPECT_GE(plan.rounds[i], LeastRounds(plan.error));
    }
  }
  EXPECT_GE(PlanLooks(50, 0.005).rounds.size(), 4u);
}

TEST(AbStatisticsTest, EqualTimesAreNoVerdictAndNoPromise) {
  const std::vector<double> zeros(50, 0.0);
  const Judgement judgement = Judge(zeros, zeros, 0.001);
  EXPECT_EQ(judgement.verdict, AbVerdict::kNotResolved);
  EXPECT_FALSE(judgement.more_rounds.has_value());
}

TEST(AbStatisticsTest, TiesAreCountedAgainstAVerdict) {
  // Half of the contrasts are zero, as of a coarse clock.
  std::vector<double> effect(12, 0.05);
  for (int i = 0; i < 6; ++i) effect[i] = 0;
  const std::vector<double> same(12, 0.0);
  EXPECT_EQ(Judge(effect, same, 0.005).verdict, AbVerdict::kNotResolved);
}

TEST(AbStatisticsTest, AVerdictNeedsMoreThanIdenticalWorkDiffers) {
  const std::vector<double> effect(20, 0.05), same(20, 0.01), unequal(20, -0.06);
  EXPECT_EQ(Judge(effect, same, 0.001).verdict, AbVerdict::kSlower);
  const Judgement doubtful = Judge(effect, unequal, 0.001);
  EXPECT_EQ(doubtful.verdict, AbVerdict::kNotResolved);
  ASSERT_TRUE(doubtful.more_rounds.has_value());
  EXPECT_EQ(*doubtful.more_rounds, 9);  // 20 * (0.06 / 0.05)^2 = 28.8
  EXPECT_EQ(Judge({-0.05, -0.05, -0.05, -0.05, -0.05, -0.05, -0.05, -0.05, -0.05},
                  std::vector<double>(9, 0.0), 0.005)
                .verdict,
            AbVerdict::kFaster);
}

TEST(AbStatisticsTest, TooFewRoundsSayHowManyAreMissing) {
  const std::vector<double> effect(2, 0.5), same(2, 0.0);
  const Judgement judgement = Judge(effect, same, 0.005);
  EXPECT_EQ(judgement.verdict, AbVerdict::kNotResolved);
  EXPECT_EQ(judgement.more_rounds, 7);
}

TEST(AbStatisticsTest, ThePromisedRoundsAreMostlyEnough) {
  std::mt19937_64 random(3);
  int found = 0, asked = 0;
  for (int i = 0; i < 200; ++i) {
    const std::vector<double> effect = Normals(20, 0.8, &random), same = Normals(20, 0, &random);
    const Judgement first = Judge(effect, same, 0.001);
    if (!first.more_rounds.has_value()) continue;
    const int rounds = 20 + static_cast<int>(*first.more_rounds);
    if (rounds > 200) continue;
    ++asked;
    const Judgement second =
        Judge(Normals(rounds, 0.8, &random), Normals(rounds, 0, &random), 0.001);
    found += second.verdict == AbVerdict::kSlower ? 1 : 0;
  }
  EXPECT_GT(asked, 50);
  EXPECT_GT(found, asked / 2) << asked;
}

}  // namespace
}  // namespace swage::tools
