#include "base/check_mode.h"

#include <gtest/gtest.h>

namespace swage {
namespace {

TEST(CheckModeTest, ReadsACommaList) {
  CheckMode mode = *CheckMode::Parse("passes,memory");
  EXPECT_TRUE(mode.passes);
  EXPECT_TRUE(mode.memory);
  EXPECT_FALSE(mode.lies);
  EXPECT_FALSE(mode.padding);
  EXPECT_TRUE(CheckMode::Parse("padding")->padding);
  EXPECT_FALSE(CheckMode::Parse("")->passes);
}

TEST(CheckModeTest, AnUnknownWordNamesTheNearest) {
  const Status status = CheckMode::Parse("memry").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("did you mean 'memory'"), absl::string_view::npos);
}

}  // namespace
}  // namespace swage
