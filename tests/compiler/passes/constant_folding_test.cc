#include "compiler/passes/constant_folding.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

TEST(ConstantFolding, FoldsChainsOfConstants) {
  ExpectPass(R"(HloModule m
ENTRY e {
  a = f32[3] constant({1, -0.0, nan})
  b = f32[3] constant({2, -0.0, 1})
  s = f32[3] add(a, b)
  e = f32[3] exponential(s)
  ROOT r = f32[1,3] reshape(e)
})",
             ConstantFolding(), R"(
    CHECK: ENTRY
    CHECK-NEXT: ROOT {{.*}} = f32[1,3] constant({ {20.085537, 1, nan} }))");
}

TEST(ConstantFolding, FoldsReduces) {
  ExpectPass(R"(HloModule m
add {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = s32[] add(a, b)
}
ENTRY e {
  a = s32[2,3] constant({ {1, 2, 3}, {4, 5, 6} })
  v = s32[] constant(10)
  ROOT r = s32[2] reduce(a, v), dimensions={1}, to_apply=add
})",
             ConstantFolding(), "CHECK: ROOT {{.*}} = s32[2] constant({16, 25})");
}

// A computation without parameters is evaluated once; both calls share its value.
TEST(ConstantFolding, FoldsCallsWithoutParameters) {
  ExpectPass(R"(HloModule m
table {
  a = f32[2] constant({1, 2})
  ROOT r = f32[2] exponential(a)
}
twice {
  a = f32[2] call(), to_apply=table
  b = f32[2] call(), to_apply=table
  ROOT r = f32[2] add(a, b)
}
ENTRY e {
  x = f32[2] parameter(0)
  a = f32[2] call(), to_apply=twice
  b = f32[2] call(), to_apply=twice
  c = f32[2] multiply(a, b)
  ROOT r = f32[2] multiply(x, c)
})",
             ConstantFolding(), R"(
    CHECK: ENTRY
    CHECK-NOT: call(
    CHECK: ROOT)");
}

TEST(ConstantFolding, FoldsFloorsAndHazardsOfIntegers) {
  ExpectPass(R"(HloModule m
ENTRY e {
  a = s32[3] constant({-2147483648, 7, -7})
  b = s32[3] constant({-1, 0, 2})
  d = s32[3] divide(a, b)
  m = s32[3] remainder(a, b)
  ROOT r = (s32[3], s32[3]) tuple(d, m)
})",
             ConstantFolding(), R"(
    CHECK-DAG: constant({-2147483648, -1, -3})
    CHECK-DAG: constant({0, 7, -1}))");
}

TEST(ConstantFolding, KeepsWhatIsCheapToMakeAndLargeToStore) {
  const auto module = ParseForTest(R"(HloModule m
ENTRY e {
  c = f32[] constant(0)
  one = f32[1,1,1] constant({ { {7} } })
  i = s32[] constant(5)
  zeros = f32[512,512,512] broadcast(c), dimensions={}
  n = s32[100000000] iota(), iota_dimension=0
  ROOT r = (f32[512,512,512], s32[100000000], f32[1,1,1], s32[]) tuple(zeros, n, one, i)
})");
  ASSERT_NE(module, nullptr);
  PassContext context;
  EXPECT_FALSE(*ConstantFolding().Run(*module, context));
}

TEST(ConstantFolding, StopsAtItsBudgetOfBytesAndSaysSo) {
  const char* hlo = R"(HloModule m
ENTRY e {
  a = f32[4] constant({1, 2, 3, 4})
  b = f32[4] exponential(a)
  c = f32[4] exponential(b)
  x = f32[4] parameter(0)
  ROOT r = f32[4] add(c, x)
})";
  CompilerOptions options;
  options.fold_budget_bytes = 20;
  ExpectPass(hlo, ConstantFolding(), R"(
    CHECK-DAG: constant(
    CHECK: exponential(
    CHECK: add()",
             options);
  const auto module = ParseForTest(hlo);
  ASSERT_NE(module, nullptr);
  PassContext context(options);
  ConstantFolding pass;
  EXPECT_TRUE(*pass.Run(*module, context));
  EXPECT_FALSE(*pass.Run(*module, context));
  EXPECT_EQ(context.fold_bytes, 16);
  ASSERT_EQ(context.messages().size(), 1u);
  EXPECT_EQ(context.messages()[0].text,
            "[constant-folding] the budget is used up, left for run time: c f32[4]");
}

TEST(ConstantFolding, StopsAtItsBudgetOfTime) {
  CompilerOptions options;
  options.fold_budget_microseconds = 0;
  ExpectUnchanged(R"(HloModule m
ENTRY e {
  a = f32[1000] iota(), iota_dimension=0
  b = f32[2] constant({1, 2})
  big = f32[2,1000] broadcast(b), dimensions={0}
  c = f32[1,2] constant({ {1, 2} })
  d = f32[4,2] concatenate(c, c, c, c), dimensions={0}
  e = f32[8,2] concatenate(d, d), dimensions={0}
  x = f32[16,2] concatenate(e, e), dimensions={0}
  y = f32[32,2] concatenate(x, x), dimensions={0}
  ROOT r = (f32[1000], f32[2,1000], f32[32,2]) tuple(a, big, y)
})",
                  ConstantFolding(), options);
}

}  // namespace
}  // namespace swage::passes
