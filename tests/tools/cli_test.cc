#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/tools/run_tool.h"

namespace swage {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(CliTest, VersionNamesEverythingSwageStandsOn) {
  const Outcome outcome = Swage("--version");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, StartsWith("swage " SWAGE_VERSION "\n"));
  for (const char* line :
       {"\nhlo dialect ", "\ncache format ", "\nllvm 19.", "\nonednn ", "\ncpu "}) {
    EXPECT_THAT(outcome.output, HasSubstr(line));
  }
}

TEST(CliTest, HelpIsFine) {
  const Outcome outcome = Swage("--help");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("--version"));
}

TEST(CliTest, MistakesOfTheUserExitWithTwo) {
  EXPECT_EQ(Swage("").exit_code, 2);
  EXPECT_EQ(Swage("--no-such-flag").exit_code, 2);
  EXPECT_EQ(Swage("no-such-command").exit_code, 2);
}

}  // namespace
}  // namespace swage
