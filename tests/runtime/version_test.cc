#include "runtime/version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/build_info.h"

namespace swage {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

TEST(VersionTest, BuildInfoIsComposedOfTheParts) {
  EXPECT_THAT(Version(), MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_THAT(codegen::LlvmVersion(), MatchesRegex("19\\.1\\.[0-9]+"));
  const std::string info = BuildInfo();
  EXPECT_THAT(info, HasSubstr(std::string("swage ") + Version() + "\n"));
  EXPECT_THAT(info, HasSubstr("llvm " + codegen::LlvmVersion() + "\n"));
  EXPECT_THAT(info, HasSubstr("onednn " + codegen::OneDnnVersion() + "\n"));
  EXPECT_THAT(info, HasSubstr("cpu x86-64-v3"));
}

}  // namespace
}  // namespace swage
