#include "tests/compiler/passes/check_match.h"

#include <gtest/gtest.h>

namespace swage::passes {
namespace {

constexpr std::string_view kText = R"(ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] negate(x)
  ROOT sum.1 = f32[4] add(y, x)
}
)";

TEST(CheckMatch, MatchesInOrder) {
  EXPECT_EQ(MatchChecks(kText, "CHECK: parameter(0)\nCHECK: negate(x)\nCHECK: add("), std::nullopt);
  EXPECT_NE(MatchChecks(kText, "CHECK: negate(x)\nCHECK: parameter(0)"), std::nullopt);
}

TEST(CheckMatch, CapturesAndRecalls) {
  EXPECT_EQ(MatchChecks(kText, R"(
    CHECK: [[X:[a-z.0-9]+]] = f32[4] parameter(0)
    CHECK-NEXT: [[Y:[a-z.0-9]+]] = f32[4] negate([[X]])
    CHECK-NEXT: ROOT {{[a-z.0-9]+}} = f32[4] add([[Y]], [[X]]))"),
            std::nullopt);
  EXPECT_NE(MatchChecks(kText, R"(
    CHECK: [[X:[a-z]+]] = f32[4] parameter(0)
    CHECK: add([[X]], [[X]]))"),
            std::nullopt);
}

TEST(CheckMatch, RecallsWithinOnePattern) {
  EXPECT_EQ(MatchChecks("a = add(b, b)", "CHECK: add([[X:[a-z]]], [[X]])"), std::nullopt);
  EXPECT_NE(MatchChecks("a = add(b, c)", "CHECK: add([[X:[a-z]]], [[X]])"), std::nullopt);
}

TEST(CheckMatch, ARecalledNameIsNoPrefixOfAnother) {
  EXPECT_NE(MatchChecks("a = p(0)\nb = neg(a.1)", "CHECK: [[A:[a-z]+]] = p(0)\nCHECK: neg([[A]]"),
            std::nullopt);
}

TEST(CheckMatch, NextMeansTheVeryNextLine) {
  EXPECT_NE(MatchChecks(kText, "CHECK: parameter(0)\nCHECK-NEXT: add("), std::nullopt);
}

TEST(CheckMatch, NotLooksBetweenItsNeighbours) {
  EXPECT_EQ(MatchChecks(kText, "CHECK: negate\nCHECK-NOT: parameter\nCHECK: add("), std::nullopt);
  EXPECT_NE(MatchChecks(kText, "CHECK: ENTRY\nCHECK-NOT: negate\nCHECK: add("), std::nullopt);
  EXPECT_NE(MatchChecks(kText, "CHECK: ENTRY\nCHECK-NOT: add("), std::nullopt);
}

TEST(CheckMatch, DagMatchesInAnyOrder) {
  EXPECT_EQ(MatchChecks(kText, "CHECK-DAG: add(\nCHECK-DAG: negate(\nCHECK: }"), std::nullopt);
  EXPECT_NE(MatchChecks(kText, "CHECK-DAG: add(\nCHECK-DAG: multiply("), std::nullopt);
}

TEST(CheckMatch, WantsAtLeastOneCheck) {
  EXPECT_NE(MatchChecks(kText, "CHEK: parameter"), std::nullopt);
}

TEST(CheckMatch, SaysWhatIsMissing) {
  const auto error = MatchChecks(kText, "CHECK: negate(x)\nCHECK: tanh(");
  ASSERT_TRUE(error.has_value());
  EXPECT_NE(error->find("`CHECK: tanh(` does not match below `  y = f32[4] negate(x)`"),
            std::string::npos)
      << *error;
}

}  // namespace
}  // namespace swage::passes
