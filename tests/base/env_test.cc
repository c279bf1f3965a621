#include "base/env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace swage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Sets a variable for the length of a test.
class ScopedEnv {
 public:
  ScopedEnv(const char* name, const char* value) : name_(name) {
    const char* old = std::getenv(name);
    if (old != nullptr) old_ = old;
    ::setenv(name, value, 1);
  }
  ~ScopedEnv() {
    if (old_.has_value()) {
      ::setenv(name_, old_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST(EnvTest, TableIsSortedAndDocumented) {
  const auto known = KnownEnvVariables();
  EXPECT_TRUE(std::is_sorted(known.begin(), known.end(),
                             [](const auto& x, const auto& y) { return x.name < y.name; }));
  for (const EnvVariable& variable : known) {
    EXPECT_TRUE(variable.name.starts_with("SWAGE_"));
    EXPECT_FALSE(variable.doc.empty()) << variable.name;
  }
}

TEST(EnvTest, EmptyCountsAsUnset) {
  ScopedEnv set("SWAGE_LOG", "");
  EXPECT_EQ(GetEnv("SWAGE_LOG"), std::nullopt);
}

TEST(EnvTest, SetVariableIsRead) {
  ScopedEnv set("SWAGE_LOG", "debug");
  EXPECT_EQ(GetEnv("SWAGE_LOG"), "debug");
}

TEST(EnvTest, IntegersAreReadAndBounded) {
  {
    ScopedEnv set("SWAGE_NUM_THREADS", "12");
    EXPECT_EQ(**GetEnvInt("SWAGE_NUM_THREADS", 1, 100), 12);
    EXPECT_FALSE(GetEnvInt("SWAGE_NUM_THREADS", 1, 11).ok());
  }
  for (const char* bad : {"x", "1x", " 1", "1.5", "99999999999999999999", "-"}) {
    ScopedEnv set("SWAGE_NUM_THREADS", bad);
    const Status status = GetEnvInt("SWAGE_NUM_THREADS", 1, 100).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_THAT(std::string(status.message()), HasSubstr("SWAGE_NUM_THREADS="));
  }
  ScopedEnv unset("SWAGE_NUM_THREADS", "");
  EXPECT_EQ(*GetEnvInt("SWAGE_NUM_THREADS", 1, 100), std::nullopt);
}

TEST(EnvTest, MisspeltVariablesComeWithNearestNames) {
  ScopedEnv misspelt("SWAGE_NUM_THREAD", "1");
  ScopedEnv alien("SWAGE_ZZZZZZZZ", "1");
  ScopedEnv known("SWAGE_LOG", "warn");
  const std::vector<UnknownEnvVariable> unknown = UnknownEnvVariables();
  ASSERT_EQ(unknown.size(), 2u);
  EXPECT_EQ(unknown[0].name, "SWAGE_NUM_THREAD");
  EXPECT_THAT(unknown[0].nearest, ElementsAre("SWAGE_NUM_THREADS"));
  EXPECT_EQ(unknown[1].name, "SWAGE_ZZZZZZZZ");
  EXPECT_THAT(unknown[1].nearest, IsEmpty());
}

TEST(EnvDeathTest, UnlistedVariableCannotBeRead) {
  EXPECT_DEATH((void)GetEnv("SWAGE_NOT_LISTED"), "IsKnown");
}

}  // namespace
}  // namespace swage
