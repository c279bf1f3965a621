#include "compiler/passes/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace swage::passes {
namespace {

TEST(Registry, IsSortedAndDocumented) {
  for (size_t i = 0; i < AllPasses().size(); ++i) {
    const PassInfo& info = AllPasses()[i];
    EXPECT_FALSE(info.doc.empty()) << info.name;
    if (i > 0) {
      EXPECT_LT(AllPasses()[i - 1].name, info.name);
    }
  }
}

TEST(Registry, MakesPassesUnderTheirNames) {
  for (const PassInfo& info : AllPasses()) {
    const StatusOr<std::unique_ptr<Pass>> pass = MakePass(info.name);
    ASSERT_TRUE(pass.ok()) << pass.status();
    EXPECT_EQ((*pass)->name(), info.name);
  }
}

TEST(Registry, AnUnknownNameListsTheNearest) {
  const Status status = MakePass("tuple-simplifer").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("did you mean 'tuple-simplifier'"));
}

}  // namespace
}  // namespace swage::passes
