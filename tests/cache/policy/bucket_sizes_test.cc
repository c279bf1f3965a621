#include "cache/policy/bucket_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace swage::policy {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Buckets Make(const BucketSpec& spec, int64_t min, int64_t max) {
  StatusOr<Buckets> buckets = Buckets::Make(spec, min, max);
  EXPECT_TRUE(buckets.ok()) << buckets.status();
  return buckets.ok() ? *std::move(buckets) : Buckets();
}

std::vector<int64_t> Bounds(const BucketSpec& spec, int64_t min, int64_t max) {
  return Make(spec, min, max).bounds();
}

std::string Error(const BucketSpec& spec, int64_t min = 1, int64_t max = 64) {
  const StatusOr<Buckets> buckets = Buckets::Make(spec, min, max);
  EXPECT_EQ(buckets.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(buckets.status().message());
}

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();

TEST(BucketSizesTest, ListIsTakenAsItIsAndEndsAtMax) {
  const BucketSpec spec{.kind = BucketKind::kList, .sizes = {32, 64, 128}};
  EXPECT_THAT(Bounds(spec, 1, 128), ElementsAre(32, 64, 128));
  EXPECT_THAT(Bounds(spec, 1, 200), ElementsAre(32, 64, 128, 200));
}

TEST(BucketSizesTest, LinearGoesOnByStep) {
  const BucketSpec spec{.kind = BucketKind::kLinear, .step = 16};
  EXPECT_THAT(Bounds(spec, 0, 60), ElementsAre(16, 32, 48, 60));
  EXPECT_THAT(Bounds(spec, 33, 64), ElementsAre(48, 64));
  const BucketSpec later{.kind = BucketKind::kLinear, .step = 8, .start = 20};
  EXPECT_THAT(Bounds(later, 1, 40), ElementsAre(20, 28, 36, 40));
  EXPECT_THAT(Bounds(later, 21, 40), ElementsAre(28, 36, 40));
}

TEST(BucketSizesTest, Pow2Doubles) {
  EXPECT_THAT(Bounds({.kind = BucketKind::kPow2}, 0, 9), ElementsAre(1, 2, 4, 8, 9));
  EXPECT_THAT(Bounds({.kind = BucketKind::kPow2, .start = 16}, 1, 64), ElementsAre(16, 32, 64));
  EXPECT_THAT(Bounds({.kind = BucketKind::kPow2}, 5, 8), ElementsAre(8));
}

TEST(BucketSizesTest, GeometricGrowsByRatioAndAligns) {
  EXPECT_THAT(Bounds(DefaultBucketSpec(), 1, 4096),
              ElementsAre(16, 32, 48, 80, 128, 192, 288, 432, 656, 992, 1488, 2240, 3360, 4096));
  // A ratio that hardly grows still does, and 1.1 * 10 is 11, not 12.
  const BucketSpec slow{.kind = BucketKind::kGeometric, .start = 8, .ratio = 1.1};
  EXPECT_THAT(Bounds(slow, 1, 13), ElementsAre(8, 9, 10, 11, 13));
}

TEST(BucketSizesTest, HybridDoublesThenSteps) {
  const BucketSpec spec{.kind = BucketKind::kHybrid, .step = 8};
  EXPECT_THAT(Bounds(spec, 1, 64), ElementsAre(1, 2, 4, 8, 16, 24, 32, 40, 48, 56, 64));
  EXPECT_THAT(Bounds({.kind = BucketKind::kHybrid, .step = 24}, 1, 60),
              ElementsAre(1, 2, 4, 8, 16, 24, 48, 60));
  EXPECT_THAT(Bounds(spec, 30, 50), ElementsAre(32, 40, 48, 50));
}

TEST(BucketSizesTest, ExactHasABucketForEverySize) {
  const Buckets buckets = Make({.kind = BucketKind::kExact}, 0, kLargest);
  EXPECT_TRUE(buckets.exact());
  EXPECT_EQ(buckets.Find(17), (SizeRange{17, 17}));
}

TEST(BucketSizesTest, NeighboursOfThirtyTwoFallAsExpected) {
  const Buckets pow2 = Make({.kind = BucketKind::kPow2}, 0, 512);
  EXPECT_EQ(pow2.Find(31).high, 32);
  EXPECT_EQ(pow2.Find(32).high, 32);
  EXPECT_EQ(pow2.Find(33).high, 64);
  const Buckets geometric = Make(DefaultBucketSpec(), 0, 512);
  EXPECT_EQ(geometric.Find(31), (SizeRange{17, 32}));
  EXPECT_EQ(geometric.Find(32), (SizeRange{17, 32}));
  EXPECT_EQ(geometric.Find(33), (SizeRange{33, 48}));
}

TEST(BucketSizesTest, HundredToHundredTwentyNineAreTwoBuckets) {
  const Buckets pow2 = Make({.kind = BucketKind::kPow2}, 1, 256);
  for (int64_t size : {100, 110, 128}) EXPECT_EQ(pow2.Find(size).high, 128);
  EXPECT_EQ(pow2.Find(129).high, 256);
}

TEST(BucketSizesTest, TheLastBucketIsMaxItself) {
  for (const BucketSpec& spec : {BucketSpec{.kind = BucketKind::kPow2}, DefaultBucketSpec(),
                                 BucketSpec{.kind = BucketKind::kLinear, .step = 64},
                                 BucketSpec{.kind = BucketKind::kHybrid, .step = 64},
                                 BucketSpec{.kind = BucketKind::kList, .sizes = {100}}}) {
    const Buckets buckets = Make(spec, 1, 317);
    EXPECT_EQ(buckets.bounds().back(), 317) << BucketKindName(spec.kind);
    EXPECT_EQ(buckets.Find(317).high, 317);
  }
}

TEST(BucketSizesTest, LookupsAtTheEdges) {
  for (const BucketSpec& spec : {BucketSpec{.kind = BucketKind::kPow2}, DefaultBucketSpec(),
                                 BucketSpec{.kind = BucketKind::kLinear, .step = 7},
                                 BucketSpec{.kind = BucketKind::kHybrid, .step = 8},
                                 BucketSpec{.kind = BucketKind::kList, .sizes = {3, 5, 90}}}) {
    for (int64_t min : {0, 1, 20}) {
      if (spec.kind == BucketKind::kList && min == 20) continue;
      const Buckets buckets = Make(spec, min, 100);
      EXPECT_EQ(buckets.Find(min).low, min);
      int64_t low = min;
      for (size_t i = 0; i < buckets.bounds().size(); ++i) {
        const int64_t bound = buckets.bounds()[i];
        const SizeRange range{low, bound};
        EXPECT_EQ(buckets.RangeAt(i), range);
        EXPECT_EQ(buckets.Find(low), range);
        EXPECT_EQ(buckets.Find(std::max(low, bound - 1)), range);
        EXPECT_EQ(buckets.Find(bound), range);
        low = bound + 1;
        if (low <= 100) {
          EXPECT_EQ(buckets.Find(low).low, low);
        }
      }
      EXPECT_EQ(low, 101);
    }
  }
}

TEST(BucketSizesTest, ZeroBelongsToTheFirstBucket) {
  EXPECT_EQ(Make(DefaultBucketSpec(), 0, 64).Find(0), (SizeRange{0, 16}));
  EXPECT_EQ(Make(DefaultBucketSpec(), 0, 0).Find(0), (SizeRange{0, 0}));
}

TEST(BucketSizesTest, WithoutABoundBucketsGoToTheLargestSize) {
  const Buckets buckets = Make(DefaultBucketSpec(), 0, kLargest);
  EXPECT_EQ(buckets.bounds().back(), kLargest);
  EXPECT_LT(buckets.bounds().size(), 120u);
  EXPECT_EQ(Make({.kind = BucketKind::kPow2}, 0, kLargest).bounds().size(), 64u);
}

TEST(BucketSizesTest, SpecsThatMakeNoSenseAreErrors) {
  EXPECT_EQ(Error({.kind = BucketKind::kLinear}), "step: must be at least 1, got 0");
  EXPECT_EQ(Error({.kind = BucketKind::kHybrid, .step = -1}), "step: must be at least 1, got -1");
  EXPECT_EQ(Error({.kind = BucketKind::kPow2, .start = 12}),
            "start: must be a power of two, got 12");
  EXPECT_EQ(Error({.kind = BucketKind::kGeometric, .ratio = 1}),
            "ratio: must be a number above 1, got 1");
  EXPECT_THAT(Error({.kind = BucketKind::kGeometric, .ratio = NAN}), HasSubstr("ratio: "));
  EXPECT_THAT(Error({.kind = BucketKind::kGeometric, .ratio = INFINITY}), HasSubstr("ratio: "));
  EXPECT_THAT(Error({.kind = BucketKind::kGeometric, .ratio = 2, .align = 0}),
              HasSubstr("align: must be at least 1"));
  EXPECT_THAT(Error({.kind = BucketKind::kGeometric, .start = -2, .ratio = 2}),
              HasSubstr("start: must be at least 1"));
  EXPECT_EQ(Error({.kind = BucketKind::kList}), "sizes: must not be empty");
  EXPECT_EQ(Error({.kind = BucketKind::kList, .sizes = {16, 8}}),
            "sizes: not strictly increasing: 8 after 16");
  EXPECT_EQ(Error({.kind = BucketKind::kList, .sizes = {0, 8}}),
            "sizes: must be at least 1, got 0");
  EXPECT_EQ(Error({.kind = BucketKind::kList, .sizes = {128}}), "sizes: 128 is above max (64)");
  EXPECT_EQ(Error({.kind = BucketKind::kList, .sizes = {8}}, 9, 64), "sizes: 8 is below min (9)");
}

TEST(BucketSizesTest, TooManyBucketsAreAnErrorAndEndAtOnce) {
  EXPECT_EQ(Make({.kind = BucketKind::kLinear, .step = 1}, 1, 10'000).bounds().size(), 10'000u);
  EXPECT_EQ(Error({.kind = BucketKind::kLinear, .step = 1}, 1, 14'368),
            "needs more than 10000 buckets to reach max (14368)");
  EXPECT_THAT(Error({.kind = BucketKind::kLinear, .step = 1}, 0, kLargest), HasSubstr("10000"));
  EXPECT_THAT(Error({.kind = BucketKind::kGeometric, .ratio = 1.000000001}, kLargest / 2, kLargest),
              HasSubstr("10000"));
}

TEST(BucketSizesTest, StepsNearTheLargestSizeDoNotOverflow) {
  EXPECT_THAT(Bounds({.kind = BucketKind::kLinear, .step = kLargest / 2}, 0, kLargest),
              ElementsAre(kLargest / 2, kLargest / 2 * 2, kLargest));
  EXPECT_THAT(
      Bounds({.kind = BucketKind::kGeometric, .ratio = 1e300, .align = kLargest - 1}, 0, kLargest),
      ElementsAre(kLargest - 1, kLargest));
  EXPECT_THAT(Bounds({.kind = BucketKind::kLinear, .step = kLargest / 2, .start = 1}, kLargest - 5,
                     kLargest),
              ElementsAre(kLargest));
}

TEST(BucketSizesTest, MultiplesAreThoseOfTheRange) {
  EXPECT_EQ(MultiplesIn({3, 17}, 8), (SizeRange{8, 16}));
  EXPECT_EQ(MultiplesIn({0, 7}, 8), (SizeRange{0, 0}));
  EXPECT_EQ(MultiplesIn({3, 17}, 1), (SizeRange{3, 17}));
  EXPECT_EQ(MultiplesIn({kLargest - 3, kLargest}, kLargest / 2),
            (SizeRange{kLargest - 1, kLargest - 1}));
  for (const SizeRange none : {SizeRange{9, 15}, SizeRange{kLargest - 6, kLargest - 2}}) {
    const SizeRange sizes = MultiplesIn(none, none.high + 1);
    EXPECT_GT(sizes.low, sizes.high);
  }
}

TEST(BucketSizesTest, WasteIsTheUnusedShareOfTheBucket) {
  EXPECT_DOUBLE_EQ(BucketWaste(64, 256), 0.75);
  EXPECT_DOUBLE_EQ(BucketWaste(256, 256), 0);
  EXPECT_DOUBLE_EQ(BucketWaste(0, 0), 0);
}

}  // namespace
}  // namespace swage::policy
