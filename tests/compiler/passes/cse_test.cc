#include "compiler/passes/cse.h"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

TEST(Cse, MergesEqualChainsInOneRun) {
  ExpectPass(R"(
HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  a = f32[4] negate(x)
  b = f32[4] negate(x)
  c = f32[4] exponential(a)
  d = f32[4] exponential(b)
  ROOT r = f32[4] subtract(c, d)
})",
             Cse(), R"(
    CHECK: [[A:[a-z.0-9]+]] = f32[4] negate(x)
    CHECK-NOT: negate
    CHECK: [[E:[a-z.0-9]+]] = f32[4] exponential([[A]])
    CHECK-NOT: exponential
    CHECK: ROOT r = f32[4] subtract([[E]], [[E]]))");
}

TEST(Cse, OperandsOfCommutativeOpsMayBeSwapped) {
  ExpectPass(R"(
HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  a = f32[4] add(x, y)
  b = f32[4] add(y, x)
  ROOT r = f32[4] multiply(a, b)
})",
             Cse(), R"(
    CHECK: [[A:[a-z.0-9]+]] = f32[4] add(x, y)
    CHECK-NEXT: multiply([[A]], [[A]]))");
}

TEST(Cse, OperandsOfOtherOpsMayNot) {
  ExpectUnchanged(R"(
HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  a = f32[4] subtract(x, y)
  b = f32[4] subtract(y, x)
  ROOT r = f32[4] multiply(a, b)
})",
                  Cse());
}

TEST(Cse, ConstantsMergeByTheirBits) {
  ExpectPass(R"(
HloModule m
ENTRY main {
  a = f32[] constant(1.5)
  b = f32[] constant(1.5)
  ROOT r = f32[] add(a, b)
})",
             Cse(), "CHECK: add([[A:[a-z]]], [[A]])");
}

TEST(Cse, BothZerosStay) {
  ExpectUnchanged(R"(
HloModule m
ENTRY main {
  a = f32[] constant(0)
  b = f32[] constant(-0)
  ROOT r = (f32[], f32[]) tuple(a, b)
})",
                  Cse());
}

TEST(Cse, EqualBitsOfAnotherDtypeStay) {
  ExpectUnchanged(R"(
HloModule m
ENTRY main {
  a = s32[] constant(0)
  b = f32[] constant(0)
  ROOT r = (s32[], f32[]) tuple(a, b)
})",
                  Cse());
}

TEST(Cse, AttributesTellInstructionsApart) {
  ExpectUnchanged(R"(
HloModule m
ENTRY main {
  x = f32[4,4] parameter(0)
  a = f32[2,4] slice(x), slice={[0:2], [0:4]}
  b = f32[2,4] slice(x), slice={[2:4], [0:4]}
  c = pred[2,4] compare(a, b), direction=LT
  d = pred[2,4] compare(a, b), direction=LE
  ROOT r = pred[2,4] xor(c, d)
})",
                  Cse());
}

TEST(Cse, SideEffectsStayApart) {
  ExpectUnchanged(R"(
HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  a = f32[4] custom-call(x), custom_call_target="draw"
  b = f32[4] custom-call(x), custom_call_target="draw"
  ROOT r = f32[4] add(a, b)
})",
                  Cse());
}

TEST(Cse, BarriersStayApart) {
  ExpectUnchanged(R"(
HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  a = f32[4] opt-barrier(x)
  b = f32[4] opt-barrier(x)
  ROOT r = f32[4] add(a, b)
})",
                  Cse());
}

TEST(Cse, TheRootMayMerge) {
  ExpectPass(R"(
HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  a = f32[4] negate(x)
  b = f32[4] negate(a)
  c = f32[4] negate(x)
  ROOT r = f32[4] negate(c)
})",
             Cse(), R"(
    CHECK: negate(x)
    CHECK-NEXT: ROOT {{.*}} negate(a)
    CHECK-NEXT: })");
}

TEST(Cse, ReducesWithOneCombinerMerge) {
  ExpectPass(R"(
HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[4,8] parameter(0)
  zero = f32[] constant(0)
  a = f32[4] reduce(x, zero), dimensions={1}, to_apply=add
  b = f32[4] reduce(x, zero), dimensions={1}, to_apply=add
  ROOT r = f32[4] multiply(a, b)
})",
             Cse(), "CHECK: multiply([[A:[a-z.0-9]+]], [[A]])");
}

TEST(FusionCse, LooksOnlyIntoFusions) {
  ExpectPass(R"(
HloModule m
fused {
  p = f32[4] parameter(0)
  a = f32[4] negate(p)
  b = f32[4] negate(p)
  ROOT n = f32[4] add(a, b)
}
ENTRY main {
  x = f32[4] parameter(0)
  a = f32[4] abs(x)
  b = f32[4] abs(x)
  f = f32[4] fusion(x), kind=kLoop, calls=fused
  ROOT r = (f32[4], f32[4], f32[4]) tuple(a, b, f)
})",
             FusionCse(), R"(
    CHECK: add([[A:[a-z]]], [[A]])
    CHECK: ENTRY
    CHECK: abs
    CHECK: abs)");
}

TEST(Cse, ALongChainTakesMilliseconds) {
  const auto module = ChainForTest(100'000);
  Cse cse;
  PassContext context;
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(cse.Run(*module, context).ok());
  const auto time = std::chrono::steady_clock::now() - start;
  EXPECT_LT(time, std::chrono::seconds(60));  // quadratic work takes minutes
  RecordProperty("ms", std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

}  // namespace
}  // namespace swage::passes
