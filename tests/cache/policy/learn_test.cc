#include "cache/policy/learn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <random>

namespace swage::policy {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

BucketLearner Learner(const std::vector<int64_t>& sizes, std::optional<int64_t> max = {}) {
  std::vector<SizeCount> counts;
  for (const int64_t size : sizes) counts.push_back({size, 1});
  StatusOr<BucketLearner> learner = BucketLearner::Make(counts, max);
  EXPECT_TRUE(learner.ok()) << learner.status();
  return *std::move(learner);
}

int64_t Padded(const std::vector<int64_t>& sizes, const std::vector<int64_t>& bounds) {
  int64_t padded = 0;
  for (const int64_t size : sizes) {
    padded += *std::lower_bound(bounds.begin(), bounds.end(), size) - size;
  }
  return padded;
}

TEST(LearnTest, TheBestBucketsOfASmallTrace) {
  const BucketLearner learner = Learner({3, 3, 3, 5, 8, 13});
  EXPECT_THAT(learner.Best(1).bounds, ElementsAre(13));
  EXPECT_EQ(learner.Best(1).padded, 43);
  EXPECT_THAT(learner.Best(2).bounds, ElementsAre(5, 13));
  EXPECT_EQ(learner.Best(2).padded, 11);
  EXPECT_THAT(learner.Best(3).bounds, ElementsAre(3, 8, 13));
  EXPECT_EQ(learner.Best(3).padded, 3);
  EXPECT_THAT(learner.Best(4).bounds, ElementsAre(3, 5, 8, 13));
  EXPECT_EQ(learner.Best(4).padded, 0);
  // More buckets than sizes are not needed.
  EXPECT_THAT(learner.Best(9).bounds, ElementsAre(3, 5, 8, 13));
}

TEST(LearnTest, GroupsOfLengthsAsPublished) {
  EXPECT_EQ(Learner({8, 1, 4, 9, 10}).Best(3).padded, 3);
  EXPECT_THAT(Learner({8, 1, 4, 9, 10}).Best(3).bounds, ElementsAre(1, 4, 10));
}

TEST(LearnTest, ACostPerBucketChoosesTheirNumber) {
  const BucketLearner learner = Learner({3, 3, 3, 5, 8, 13});
  EXPECT_THAT(learner.BestWithCost(0).bounds, ElementsAre(3, 5, 8, 13));
  EXPECT_THAT(learner.BestWithCost(5).bounds, ElementsAre(3, 8, 13));
  EXPECT_EQ(learner.BestWithCost(5).padded, 3);
  EXPECT_THAT(learner.BestWithCost(9).bounds, ElementsAre(5, 13));
  EXPECT_THAT(learner.BestWithCost(33).bounds, ElementsAre(13));
  EXPECT_THAT(learner.BestWithCost(std::numeric_limits<int64_t>::max()).bounds, ElementsAre(13));
}

TEST(LearnTest, AGivenMaxIsTheLastBucket) {
  EXPECT_THAT(Learner({3, 5}, 100).Best(1).bounds, ElementsAre(100));
  EXPECT_THAT(Learner({3, 5}, 100).Best(2).bounds, ElementsAre(5, 100));
  EXPECT_THAT(Learner({3, 5, 200}, 100).Best(3).bounds, ElementsAre(3, 5, 100));
  EXPECT_THAT(Learner({}, 100).Best(3).bounds, ElementsAre(100));
}

TEST(LearnTest, EmptyCallsTeachNothing) {
  EXPECT_THAT(Learner({0, 0, 4}).Best(2).bounds, ElementsAre(4));
  EXPECT_THAT(std::string(BucketLearner::Make({{0, 5}}).status().message()),
              HasSubstr("no sizes to learn from"));
  EXPECT_FALSE(BucketLearner::Make({}).ok());
}

TEST(LearnTest, NumbersThatCannotBeAreErrors) {
  EXPECT_FALSE(BucketLearner::Make({{-1, 1}}).ok());
  EXPECT_FALSE(BucketLearner::Make({{1, -1}}).ok());
  EXPECT_THAT(
      std::string(BucketLearner::Make({{int64_t{1} << 40, int64_t{1} << 40}}).status().message()),
      HasSubstr("too many to add up"));
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
  EXPECT_FALSE(BucketLearner::Make({{3, kLargest}, {3, kLargest}}).ok());
  EXPECT_FALSE(BucketLearner::Make({{3, kLargest}, {4, kLargest}}).ok());
  EXPECT_TRUE(BucketLearner::Make({{kLargest, 0}, {4, 4}}).ok());
}

// All choices of buckets of a trace, by what they cost.
int64_t BruteForce(const std::vector<int64_t>& sizes, int64_t most, int64_t cost) {
  std::vector<int64_t> distinct = sizes;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  const int inner = static_cast<int>(distinct.size()) - 1;
  int64_t best = std::numeric_limits<int64_t>::max();
  for (int chosen = 0; chosen < 1 << inner; ++chosen) {
    std::vector<int64_t> bounds;
    for (int i = 0; i < inner; ++i) {
      if (chosen >> i & 1) bounds.push_back(distinct[i]);
    }
    bounds.push_back(distinct.back());
    if (static_cast<int64_t>(bounds.size()) > most) continue;
    best = std::min(best, Padded(sizes, bounds) + cost * static_cast<int64_t>(bounds.size()));
  }
  return best;
}

TEST(LearnTest, NothingBeatsWhatIsLearned) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 1000; ++trial) {
    std::vector<int64_t> sizes(1 + random() % 20);
    const int64_t range = 1 + random() % 12;
    for (int64_t& size : sizes) {
      size = 1 + random() % range;
      if (random() % 3 == 0) size = size * size;
    }
    if (trial % 4 == 0) sizes.push_back(100);
    const BucketLearner learner = Learner(sizes);
    for (int k = 1; k <= std::min(learner.distinct(), 6); ++k) {
      const LearnedBuckets best = learner.Best(k);
      EXPECT_EQ(best.padded, BruteForce(sizes, k, 0));
      EXPECT_EQ(best.padded, Padded(sizes, best.bounds));
      EXPECT_EQ(static_cast<int>(best.bounds.size()), k);
    }
    for (const int64_t cost : {0, 1, 3, 10, 40}) {
      const LearnedBuckets best = learner.BestWithCost(cost);
      EXPECT_EQ(best.padded, Padded(sizes, best.bounds));
      EXPECT_EQ(best.padded + cost * static_cast<int64_t>(best.bounds.size()),
                BruteForce(sizes, 1000, cost));
    }
  }
}

TEST(LearnTest, EveryNumberOfBucketsIsAsGoodAsAlone) {
  const BucketLearner learner = Learner({3, 9, 27, 81, 243, 4, 16, 64, 256});
  const std::vector<LearnedBuckets> all = learner.BestUpTo(20);
  ASSERT_EQ(all.size(), 9u);
  for (int k = 1; k <= 9; ++k) EXPECT_EQ(all[k - 1].bounds, learner.Best(k).bounds);
}

TEST(LearnTest, ManySizesTakeLittleTime) {
  std::mt19937 random(3);
  std::vector<int64_t> sizes;
  for (int64_t size = 1; size <= 4000; ++size) sizes.push_back(size);
  while (sizes.size() < 100'000) sizes.push_back(1 + random() % 4000 * (random() % 4000) / 4000);
  const auto start = std::chrono::steady_clock::now();
  const BucketLearner learner = Learner(sizes);
  EXPECT_EQ(learner.distinct(), 4000);
  const LearnedBuckets best = learner.Best(64);
  const LearnedBuckets cheap = learner.BestWithCost(10'000);
  // Only against an algorithm that is quadratic in the sizes or worse.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_EQ(best.bounds.size(), 64u);
  EXPECT_EQ(best.padded, Padded(sizes, best.bounds));
  EXPECT_EQ(cheap.padded, Padded(sizes, cheap.bounds));
}

}  // namespace
}  // namespace swage::policy
