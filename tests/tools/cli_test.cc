#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace swage {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Outcome {
  int exit_code;
  std::string output;  // stdout and stderr
};

Outcome Swage(const std::string& args) {
  FILE* pipe = popen((SWAGE_TOOL " " + args + " 2>&1 </dev/null").c_str(), "r");
  Outcome outcome;
  std::array<char, 4096> buffer;
  while (size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
    outcome.output.append(buffer.data(), n);
  const int status = pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

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
