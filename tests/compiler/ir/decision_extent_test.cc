#include "compiler/ir/decision_extent.h"

#include <gtest/gtest.h>

namespace swage::ir {
namespace {

TEST(DecisionExtent, NumbersAreThemselves) { EXPECT_EQ(DecisionExtent(7), 7); }

TEST(DecisionExtent, ASymbolCountsAsTheMiddleOfItsRange) {
  EXPECT_EQ(DecisionExtent(Dim::Symbol("n", 0, 4096)), 64);
  EXPECT_EQ(DecisionExtent(Dim::Symbol("n", 16, 64)), 32);
  EXPECT_EQ(DecisionExtent(Dim::Symbol("n", 0, 0)), 0);
  EXPECT_EQ(DecisionExtent(Dim::Symbol("n")), 1024);
  EXPECT_EQ(DecisionExtent(Dim::Symbol("n", 5000)), 5000);
}

TEST(DecisionExtent, ExpressionsAreEvaluated) {
  const Dim n = Dim::Symbol("n", 0, 4096), m = Dim::Symbol("m", 1, 16);
  EXPECT_EQ(DecisionExtent(2 * n + 1), 129);
  EXPECT_EQ(DecisionExtent(n * m), 256);
  EXPECT_EQ(DecisionExtent(Dim::Poisoned()), 1024);
  EXPECT_EQ(DecisionExtent(Dim::Symbol("k", 0, 7) - 5), 0);
}

TEST(DecisionExtent, HintsHoldInTheirScopeAndRange) {
  const Dim n = Dim::Symbol("n", 0, 4096), m = Dim::Symbol("m", 1, 16);
  {
    const SizeHints hints({{"n", 512}, {"m", 100}});
    EXPECT_EQ(DecisionExtent(n), 512);
    EXPECT_EQ(DecisionExtent(m), 16);
    EXPECT_EQ(DecisionExtent(n + 1), 513);
    const SizeHints inner({{"m", 2}});
    EXPECT_EQ(DecisionExtent(n), 64);
    EXPECT_EQ(DecisionExtent(m), 2);
  }
  EXPECT_EQ(DecisionExtent(n), 64);
}

}  // namespace
}  // namespace swage::ir
