#include "cache/policy/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace swage::policy {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::shared_ptr<const FunctionPolicy> Named(const std::string& pattern) {
  return std::make_shared<const FunctionPolicy>(FunctionPolicy{.pattern = pattern});
}

SymbolPolicy Seq(int64_t min, int64_t max, int64_t multiple_of = 1) {
  SymbolPolicy symbol = *DefaultSymbol("seq", min, max);
  symbol.multiple_of = multiple_of;
  return symbol;
}

TEST(PolicyTest, TheMostSpecificPatternWins) {
  const PolicySet set(Named(""), {Named("*"), Named("score.*"), Named("score.final"), Named("s*")},
                      {});
  EXPECT_EQ(set.Find("score.final")->pattern, "score.final");
  EXPECT_EQ(set.Find("score.first")->pattern, "score.*");
  EXPECT_EQ(set.Find("store")->pattern, "s*");
  EXPECT_EQ(set.Find("encode")->pattern, "*");
  EXPECT_EQ(PolicySet::None()->Find("encode")->pattern, "");
}

TEST(PolicyTest, SizesAreFoundByMode) {
  const FunctionPolicy function;
  const SymbolPolicy seq = Seq(0, 64);
  EXPECT_EQ(*PlaceSize(function, Mode::kExact, seq, 33), (Placement{{33, 33}}));
  EXPECT_EQ(*PlaceSize(function, Mode::kExact, seq, 1000), (Placement{{1000, 1000}}));
  EXPECT_EQ(*PlaceSize(function, Mode::kBucket, seq, 33), (Placement{{33, 48}}));
  EXPECT_EQ(*PlaceSize(function, Mode::kSymbolic, seq, 33), (Placement{{0, 64}}));
  EXPECT_EQ(*PlaceSize(function, Mode::kBucket, seq, 0), (Placement{{0, 16}}));
}

TEST(PolicyTest, ZeroBelowMinHasAProgramOfItsOwn) {
  EXPECT_EQ(*PlaceSize({}, Mode::kBucket, Seq(1, 64), 0), (Placement{{0, 0}, true}));
  EXPECT_EQ(*PlaceSize({}, Mode::kSymbolic, Seq(1, 64), 0), (Placement{{0, 0}, true}));
  EXPECT_THAT(std::string(PlaceSize({}, Mode::kBucket, Seq(4, 64), 3).status().message()),
              HasSubstr("'seq' is 3, which is below its min (4)"));
}

TEST(PolicyTest, ViolatedMultiplesAreErrors) {
  for (Mode mode : {Mode::kBucket, Mode::kSymbolic}) {
    EXPECT_THAT(std::string(PlaceSize({}, mode, Seq(0, 64, 8), 9).status().message()),
                HasSubstr("'seq' is 9, which is not a multiple of 8: the remainder is 1"));
  }
  EXPECT_TRUE(PlaceSize({}, Mode::kExact, Seq(0, 64, 8), 9).ok());
}

TEST(PolicyTest, SizesAboveMaxAreAsOverflowSays) {
  FunctionPolicy function;
  const SymbolPolicy seq = Seq(1, 4096);
  EXPECT_EQ(*PlaceSize(function, Mode::kBucket, seq, 4097), (Placement{{4097, 4097}, true}));
  function.overflow = Overflow::kError;
  EXPECT_THAT(std::string(PlaceSize(function, Mode::kBucket, seq, 4097).status().message()),
              HasSubstr("'seq' is 4097, which is above its max (4096)"));
  function.overflow = Overflow::kMultiple;
  function.overflow_multiple = 512;
  std::set<int64_t> bounds;
  for (int64_t size = 4097; size <= 5000; ++size) {
    const Placement place = *PlaceSize(function, Mode::kBucket, seq, size);
    EXPECT_LE(place.range.low, size);
    EXPECT_GE(place.range.high, size);
    bounds.insert(place.range.high);
  }
  EXPECT_THAT(bounds, ElementsAre(4608, 5120));
  EXPECT_EQ(PlaceSize(function, Mode::kBucket, Seq(1, 317), 318)->range, (SizeRange{318, 512}));
  EXPECT_EQ(PlaceSize(function, Mode::kSymbolic, Seq(1, 317), 513)->range, (SizeRange{513, 1024}));
  EXPECT_EQ(PlaceSize(function, Mode::kBucket, seq, kUnbounded)->range.high, kUnbounded);
}

TEST(PolicyTest, RangesOfCodeAreChecked) {
  EXPECT_FALSE(DefaultSymbol("n", 5, 4).ok());
  EXPECT_FALSE(DefaultSymbol("n", -1, 4).ok());
  EXPECT_EQ(DefaultSymbol("n")->buckets.bounds().back(), kUnbounded);
}

FunctionPolicy Warm(std::vector<WarmupSet> sets) {
  FunctionPolicy function;
  function.symbols = {std::make_shared<SymbolPolicy>(*DefaultSymbol("batch", 1, 64)),
                      std::make_shared<SymbolPolicy>(*DefaultSymbol("seq", 1, 512))};
  function.warmup = std::move(sets);
  return function;
}

TEST(PolicyTest, WarmupVisitsEveryProgramOnce) {
  const FunctionPolicy function =
      Warm({{{{"batch", {1, 2}}, {"seq", {20, 32, 33}}}}, {{{"seq", {40}}, {"batch", {16, 17}}}}});
  // Batches 1, 2 and 16 share a bucket, and so do lengths 20 and 32.
  EXPECT_EQ(CountWarmup(function, Mode::kBucket, 1000), 3);
  EXPECT_EQ(CountWarmup(function, Mode::kExact, 1000), 8);
  EXPECT_EQ(CountWarmup(function, Mode::kSymbolic, 1000), 1);
  EXPECT_EQ(CountWarmup(function, Mode::kExact, 5), 5);
  EXPECT_THAT(WarmupSizes(function, Mode::kBucket),
              ElementsAre(ElementsAre(Pair("batch", 1), Pair("seq", 20)),
                          ElementsAre(Pair("batch", 1), Pair("seq", 33)),
                          ElementsAre(Pair("batch", 17), Pair("seq", 40))));
}

TEST(PolicyTest, AfterWarmupEveryListedSizeFindsItsProgram) {
  const FunctionPolicy function =
      Warm({{{{"batch", {1, 8, 64}}, {"seq", {1, 16, 100, 128, 400, 512}}}}});
  std::set<std::pair<int64_t, int64_t>> programs;
  const auto key = [&](int64_t batch, int64_t seq) {
    return std::pair(
        PlaceSize(function, Mode::kBucket, *function.FindSymbol("batch"), batch)->range.high,
        PlaceSize(function, Mode::kBucket, *function.FindSymbol("seq"), seq)->range.high);
  };
  for (const auto& sizes : WarmupSizes(function, Mode::kBucket)) {
    EXPECT_TRUE(programs.insert(key(sizes.at("batch"), sizes.at("seq"))).second);
  }
  for (int64_t batch : {1, 8, 64}) {
    for (int64_t seq : {1, 16, 100, 128, 400, 512}) {
      EXPECT_TRUE(programs.contains(key(batch, seq))) << batch << " " << seq;
    }
  }
}

}  // namespace
}  // namespace swage::policy
