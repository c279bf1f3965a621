#include "compiler/learn/candidates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace swage::learn {
namespace {

using ::testing::HasSubstr;

const ir::Dim n = ir::Dim::Symbol("n"), m = ir::Dim::Symbol("m");

std::string Answer(const Values& values, const std::vector<Root>& roots) {
  const Choice choice = Choose(FindCandidates(values, roots, {}), values.size());
  return choice.dim.has_value() ? choice.dim->ToString() : "none: " + choice.why;
}

void ExpectToTakeTheValues(const Values& values, const std::vector<Root>& roots) {
  for (const Candidate& candidate : FindCandidates(values, roots, {})) {
    for (size_t i = 0; i < values.size(); ++i) {
      ir::SymbolBinding binding;
      for (const Root& root : roots) {
        ASSERT_TRUE(binding.Bind(root.dim.symbol(), root.values[i]).ok());
      }
      const StatusOr<int64_t> value = candidate.dim.Evaluate(binding);
      ASSERT_TRUE(value.ok()) << candidate.dim.ToString() << ": " << value.status();
      EXPECT_EQ(*value, values[i]) << candidate.dim.ToString();
    }
  }
}

TEST(Candidates, OneSizeGivesSlopeAndOffset) {
  const std::vector<Root> roots = {{n, {7, 12}}};
  EXPECT_EQ(Answer({7, 12}, roots), "n");
  EXPECT_EQ(Answer({9, 14}, roots), "n+2");
  EXPECT_EQ(Answer({6, 11}, roots), "n-1");
  EXPECT_EQ(Answer({15, 25}, roots), "2*n+1");
  EXPECT_EQ(Answer({-7, -12}, roots), "-n");
  EXPECT_EQ(Answer({107, 112}, roots), "n+100");
}

TEST(Candidates, TheShorterOfTwoIsTaken) {
  const std::vector<Root> roots = {{n, {7, 12}}};
  EXPECT_EQ(Answer({49, 144}, roots), "n*n");  // and 19*n-84
  EXPECT_EQ(Answer({3, 6}, roots), "floordiv(n,2)");
  EXPECT_EQ(Answer({4, 6}, roots), "ceildiv(n,2)");
  EXPECT_EQ(Answer({28, 48}, roots), "4*n");
}

TEST(Candidates, WhatOnlyALongExpressionFitsNeedsAThirdLowering) {
  EXPECT_THAT(Answer({56, 156}, {{n, {7, 12}}}), HasSubstr("which nothing confirms"));  // n*(n+1)
  EXPECT_THAT(Answer({56, 156, 1122}, {{n, {7, 12, 33}}}), HasSubstr("no simple expression"));
  EXPECT_EQ(Answer({57, 157, 577}, {{n, {7, 12, 33}}}), "20*n-83");
}

TEST(Candidates, TwoSizesGiveSumsAndProducts) {
  const std::vector<Root> roots = {{n, {7, 12}}, {m, {5, 9}}};
  EXPECT_EQ(Answer({7, 12}, roots), "n");
  EXPECT_EQ(Answer({5, 9}, roots), "m");
  EXPECT_EQ(Answer({12, 21}, roots), "m+n");
  EXPECT_EQ(Answer({17, 33}, {{n, {50, 100}}, {m, {33, 67}}}), "-m+n");
  EXPECT_EQ(Answer({35, 108}, roots), "m*n");
  EXPECT_EQ(Answer({70, 216}, roots), "2*m*n");
}

TEST(Candidates, TwoThatAreNearlyAsShortAreRefusedAndAThirdLoweringSettlesIt) {
  EXPECT_THAT(Answer({8, 13}, {{n, {7, 12}}, {m, {8, 13}}}),
              HasSubstr("m and n+1 both fit; add a lowering at other sizes"));
  EXPECT_EQ(Answer({8, 13, 34}, {{n, {7, 12, 33}}, {m, {8, 13, 20}}}), "n+1");
  EXPECT_THAT(Answer({2, 3}, {{n, {7, 12}}, {m, {5, 9}}}),
              HasSubstr("-m+n and ceildiv(m,3) both fit"));
  EXPECT_THAT(Answer({17, 29}, {{n, {7, 12}}, {m, {5, 9}}}), HasSubstr("both fit"));
}

TEST(Candidates, AThirdLoweringThatDisagreesLeavesNothing) {
  EXPECT_THAT(Answer({9, 14, 36}, {{n, {7, 12, 33}}}), HasSubstr("no simple expression fits"));
}

TEST(Candidates, OfExtremeNumbersTakeTheValuesToo) {
  const int64_t big = std::numeric_limits<int64_t>::max();
  const int64_t small = std::numeric_limits<int64_t>::min();
  for (const int64_t a : {big, small, big - 1, int64_t{0}}) {
    for (const int64_t b : {big, small, int64_t{1}}) {
      ExpectToTakeTheValues({a, b}, {{n, {big, 1}}, {m, {1, big}}});
      ExpectToTakeTheValues({a, b}, {{n, {1, 2}}, {m, {big, big - 1}}});
    }
  }
}

}  // namespace
}  // namespace swage::learn
