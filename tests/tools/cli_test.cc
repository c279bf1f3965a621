#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/tools/run_tool.h"

namespace swage {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(CliTest, VersionNamesEverythingSwageStandsOn) {
  const CommandResult outcome = Swage("--version");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, StartsWith("swage " SWAGE_VERSION "\n"));
  for (const char* line :
       {"\nhlo dialect ", "\ncache format ", "\nllvm 19.", "\nonednn ", "\ncpu "}) {
    EXPECT_THAT(outcome.output, HasSubstr(line));
  }
}

TEST(CliTest, HelpIsFine) {
  const CommandResult outcome = Swage("--help");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("--version"));
}

TEST(CliTest, MistakesOfTheUserExitWithTwo) {
  EXPECT_EQ(Swage("").exit_code, 2);
  EXPECT_EQ(Swage("--no-such-flag").exit_code, 2);
  EXPECT_EQ(Swage("no-such-command").exit_code, 2);
}

TEST(CliTest, MistakesAreOneLine) {
  for (const char* args : {"--no-such-flag", "no-such-command", "run", "run a b --bench 0",
                           "passes --grep", "passes --grep '('"}) {
    const CommandResult outcome = Swage(args);
    EXPECT_EQ(outcome.exit_code, 2) << args;
    EXPECT_THAT(outcome.output, StartsWith("swage: ")) << args;
    EXPECT_EQ(outcome.output.find('\n'), outcome.output.size() - 1) << outcome.output;
  }
}

TEST(CliTest, AMissingOrUnknownSubcommandListsThem) {
  const CommandResult missing = Swage("cache");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.output, StartsWith("swage: [cache] got no subcommand, expected ls, show, "));
  const CommandResult unknown = Swage("cache verfy");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.output, StartsWith("swage: [cache] got 'verfy', expected ls, "));
  EXPECT_THAT(unknown.output, HasSubstr("did you mean 'verify'?"));
  const CommandResult buckets = Swage("buckets frob");
  EXPECT_EQ(buckets.exit_code, 2);
  EXPECT_EQ(buckets.output, "swage: [buckets] got 'frob', expected check, learn, plot\n");
}

TEST(CliTest, PassesSaysWhichAreRequired) {
  EXPECT_THAT(Swage("passes --grep fusion-wrapper").output, HasSubstr(" (required)\n"));
  EXPECT_EQ(Swage("passes --grep dce").output.find("(required)"), std::string::npos);
}

TEST(CliTest, HostileRegularExpressionsEndAtOnce) {
  const std::string longest(100000, 'a');
  EXPECT_EQ(Swage("passes --grep " + longest).exit_code, 2);
  EXPECT_EQ(Swage("passes --grep '(.*)*(.*)*(.*)*(.*)*(.*)*(.*)*(.*)*(.*)*zzz$'").exit_code, 2);
}

TEST(CliTest, OutputThatCannotBeWrittenIsAnError) {
  for (const char* args : {"passes", "--version", "--help", "run --help"}) {
    EXPECT_EQ(Swage(std::string(args) + " > /dev/full").exit_code, 2) << args;
  }
}

TEST(CliTest, EmptyValuesAreErrors) {
  for (const char* args :
       {"run '' --random", "run m.hlo --random -o ''", "run m.hlo --random --device ''",
        "cache ls --dir ''", "cache warm m.hlo --dims ''", "cache show ''", "passes --grep ''",
        "corpus tests/corpus --list ''", "opt m.hlo --dump-to ''", "buckets plot t -o ''"}) {
    const CommandResult outcome = Swage(args);
    EXPECT_EQ(outcome.exit_code, 2) << args;
    EXPECT_THAT(outcome.output, HasSubstr("the value is empty, expected one")) << args;
  }
}

}  // namespace
}  // namespace swage
