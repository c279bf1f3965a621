#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace swage {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    SetLogCallback([this](LogLevel level, std::string_view text) {
      levels_.push_back(level);
      lines_.emplace_back(text);
    });
  }
  void TearDown() override {
    SetLogCallback(nullptr);
    SetLogLevel(LogLevel::kWarn);
  }

  std::vector<LogLevel> levels_;
  std::vector<std::string> lines_;
};

TEST_F(LogTest, LinesBelowTheLevelAreDropped) {
  EXPECT_FALSE(LogEnabled(LogLevel::kInfo));
  Log(LogLevel::kInfo, "no");
  LogWarning("yes");
  SetLogLevel(LogLevel::kDebug);
  Log(LogLevel::kDebug, "now");
  EXPECT_THAT(lines_, ElementsAre("yes", "now"));
  EXPECT_THAT(levels_, ElementsAre(LogLevel::kWarn, LogLevel::kDebug));
}

TEST_F(LogTest, OffDropsEverything) {
  SetLogLevel(LogLevel::kOff);
  Log(LogLevel::kError, "no");
  EXPECT_FALSE(LogEnabled(LogLevel::kError));
  EXPECT_THAT(lines_, ElementsAre());
}

TEST(LogDeathTest, UnknownVariablesAreReportedOncePerProcess) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        setenv("SWAGE_LOGG", "info", 1);
        setenv("SWAGE_LOG", "wran", 1);
        LogWarning("first");
        LogWarning("second");
        std::exit(0);
      },
      ::testing::ExitedWithCode(0),
      AllOf(HasSubstr("SWAGE_LOG has no level 'wran'"), HasSubstr("did you mean 'warn'"),
            HasSubstr("SWAGE_LOGG is set but Swage has no such variable; did you mean SWAGE_LOG?"),
            HasSubstr("first"), HasSubstr("second")));
}

}  // namespace
}  // namespace swage
