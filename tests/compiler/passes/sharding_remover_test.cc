#include "compiler/passes/sharding_remover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

TEST(ShardingRemover, DropsAttributesAndMarkers) {
  ExpectPass(R"(
HloModule m
ENTRY main {
  x = f32[4] parameter(0), sharding={replicated}
  s = f32[4] custom-call(x), custom_call_target="Sharding", sharding={replicated}
  a = f32[4] custom-call(s), custom_call_target="SPMDFullToShardShape", sharding={manual}
  b = f32[4] custom-call(a), custom_call_target="SPMDShardToFullShape", sharding={replicated}
  ROOT r = f32[4] negate(b)
})",
             ShardingRemover(), R"(
    CHECK-NOT: sharding
    CHECK-NOT: custom-call
    CHECK: negate(x))");
}

TEST(ShardingRemover, LeavesOtherCustomCalls) {
  ExpectUnchanged(R"(
HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  ROOT r = f32[4] custom-call(x), custom_call_target="other"
})",
                  ShardingRemover());
}

TEST(ShardingRemover, RefusesSeveralPartitions) {
  const auto module = ParseForTest(
      "HloModule m, num_partitions=2\nENTRY main {\n  ROOT x = f32[4] parameter(0)\n}");
  ASSERT_NE(module, nullptr);
  ShardingRemover pass;
  PassContext context;
  const Status status = pass.Run(*module, context).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("is for 2 partitions"));
}

}  // namespace
}  // namespace swage::passes
