#include "base/nearest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace swage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<std::string> kPasses = {"algebraic-simplifier", "cse", "dce", "fusion-cse",
                                          "priority-fusion"};

TEST(NearestTest, EditDistanceCountsInsertDeleteReplaceAndSwap) {
  EXPECT_EQ(EditDistance("", ""), 0);
  EXPECT_EQ(EditDistance("", "abc"), 3);
  EXPECT_EQ(EditDistance("abc", ""), 3);
  EXPECT_EQ(EditDistance("cse", "dce"), 2);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);
  EXPECT_EQ(EditDistance("simplifeir", "simplifier"), 1);
}

TEST(NearestTest, BestNameComesFirst) {
  EXPECT_THAT(NearestNames("algebraic-simplifeir", kPasses), ElementsAre("algebraic-simplifier"));
  EXPECT_THAT(NearestNames("cse2", kPasses), ElementsAre("cse"));
}

TEST(NearestTest, PartOfANameFindsIt) {
  EXPECT_THAT(NearestNames("fusion", kPasses), ElementsAre("fusion-cse", "priority-fusion"));
}

TEST(NearestTest, CaseAndUnderscoreDoNotCount) {
  EXPECT_THAT(NearestNames("PRIORITY_FUSION", kPasses), ElementsAre("priority-fusion"));
}

TEST(NearestTest, NothingNearGivesNothing) {
  EXPECT_THAT(NearestNames("zzzzzzzz", kPasses), IsEmpty());
  EXPECT_THAT(NearestNames("", kPasses), IsEmpty());
  EXPECT_EQ(DidYouMean("zzzzzzzz", kPasses), "");
}

TEST(NearestTest, AShortNameSuggestsNoOtherWord) {
  const std::vector<std::string> names = {"cpu", "k", "f32", "cse", "evaluator"};
  for (const char* wanted : {"gpu", "n", "f64", "dce", "", "x", "ab"}) {
    EXPECT_THAT(NearestNames(wanted, names), IsEmpty()) << wanted;
  }
  EXPECT_THAT(NearestNames("cpus", names), ElementsAre("cpu"));
  EXPECT_THAT(NearestNames("f23", names), ElementsAre("f32"));
  EXPECT_THAT(NearestNames("ces", names), ElementsAre("cse"));
  EXPECT_THAT(NearestNames("cp", names), ElementsAre("cpu"));
}

TEST(NearestTest, LimitAndDuplicatesHold) {
  const std::vector<std::string> names = {"aaa1", "aaa1", "aaa2", "aaa3", "aaa4"};
  EXPECT_THAT(NearestNames("aaa", names, 2), ElementsAre("aaa1", "aaa2"));
}

TEST(NearestTest, SuggestionReadsAsASentence) {
  EXPECT_EQ(DidYouMean("fusion", kPasses), "; did you mean 'fusion-cse' or 'priority-fusion'?");
  EXPECT_EQ(DidYouMean("cse2", kPasses), "; did you mean 'cse'?");
}

TEST(NearestTest, HugeInputIsCheap) {
  EXPECT_THAT(NearestNames(std::string(10'000'000, 'x'), kPasses), IsEmpty());
}

}  // namespace
}  // namespace swage
