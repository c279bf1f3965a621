#include "tools/ab_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace swage::tools {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::StartsWith;

TEST(AbSetTest, ASetIsDescribedAsItIsTyped) {
  EXPECT_EQ(Describe({}), "plain");
  AbSet set;
  set.disable_passes = {"cse", "simplification/dce"};
  set.mode = "exact";
  set.device = "cuda:0";
  set.fast_math = true;
  set.environment = {"SWAGE_NUM_THREADS=1"};
  EXPECT_EQ(Describe(set),
            "--disable-pass cse --disable-pass simplification/dce --mode exact --device cuda:0 "
            "--fast-math --env SWAGE_NUM_THREADS=1");
}

TEST(AbSetTest, ArgumentsGiveTheSetAgain) {
  AbSet set;
  set.only_passes = {"cse"};
  set.mode = "bucket";
  set.baked_dims = true;
  CLI::App app;
  AbSet read;
  AddSetOptions(&app, "", &read);
  std::vector<std::string> arguments = ArgumentsOf(set);
  EXPECT_THAT(arguments, ElementsAre("--only-pass", "cse", "--mode", "bucket", "--baked-dims"));
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  app.parse(arguments);
  EXPECT_EQ(Describe(read), Describe(set));
}

TEST(AbSetTest, OnlyVariablesBesideTheCodeLetEqualProgramsDiffer) {
  const auto with = [](std::vector<std::string> environment) {
    return AbSet{.environment = std::move(environment)};
  };
  EXPECT_FALSE(MayRunDifferently(with({}), with({"SWAGE_CPU=x86-64-v3", "SWAGE_PADDING=none"})));
  EXPECT_TRUE(MayRunDifferently(with({}), with({"SWAGE_NUM_THREADS=1"})));
  EXPECT_TRUE(MayRunDifferently(with({"A=1"}), with({"A=2"})));
  EXPECT_FALSE(MayRunDifferently(with({"A=1", "B=2"}), with({"B=2", "A=1"})));
}

TEST(AbSetTest, TheLastValueOfAVariableHolds) {
  ::setenv("SWAGE_CHECK", "lies", 1);
  ::setenv("AB_SET_TEST", "outer", 1);
  AbSet set;
  set.environment = {"AB_SET_TEST=1", "OTHER=x", "AB_SET_TEST=2", "EMPTY="};
  const std::vector<std::string> environment = EnvironmentOf(set);
  EXPECT_THAT(environment, Contains("AB_SET_TEST=2").Times(1));
  EXPECT_THAT(environment, Contains(StartsWith("AB_SET_TEST=")).Times(1));
  EXPECT_THAT(environment, Contains("OTHER=x"));
  EXPECT_THAT(environment, Not(Contains(StartsWith("EMPTY="))));
  EXPECT_THAT(environment, Not(Contains(StartsWith("SWAGE_CHECK="))));
  EXPECT_THAT(environment, Contains(StartsWith("PATH=")));
  ::unsetenv("SWAGE_CHECK");
  ::unsetenv("AB_SET_TEST");
}

}  // namespace
}  // namespace swage::tools
