#include "compiler/passes/dce.h"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

TEST(Dce, RemovesChainsThatNobodyReads) {
  ExpectPass(R"(
HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  unused = f32[4] parameter(1)
  a = f32[4] negate(x)
  b = f32[4] multiply(a, a)
  c = f32[4] add(b, a)
  ROOT r = f32[4] abs(x)
})",
             Dce(), R"(
    CHECK: x = f32[4] parameter(0)
    CHECK-NOT: negate
    CHECK-NOT: multiply
    CHECK-NOT: add(
    CHECK-DAG: unused = f32[4] parameter(1)
    CHECK-DAG: ROOT r = f32[4] abs(x))");
}

TEST(Dce, KeepsWhatIsRead) {
  ExpectUnchanged(R"(
HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  a = f32[4] negate(x)
  ROOT r = f32[4] abs(a)
})",
                  Dce());
}

TEST(Dce, KeepsSideEffects) {
  ExpectUnchanged(R"(
HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  c = f32[4] custom-call(x), custom_call_target="print"
  ROOT r = f32[4] abs(x)
})",
                  Dce());
}

TEST(Dce, KeepsCallsWhoseBodyHasSideEffects) {
  ExpectUnchanged(R"(
HloModule m
inner {
  p = f32[4] parameter(0)
  ROOT c = f32[4] custom-call(p), custom_call_target="print"
}
outer {
  p = f32[4] parameter(0)
  ROOT c = f32[4] call(p), to_apply=inner
}
ENTRY main {
  x = f32[4] parameter(0)
  c = f32[4] call(x), to_apply=outer
  ROOT r = f32[4] abs(x)
})",
                  Dce());
}

TEST(Dce, RemovesComputationsThatNobodyCalls) {
  ExpectPass(R"(
HloModule m
leaf {
  p = f32[4] parameter(0)
  ROOT n = f32[4] negate(p)
}
middle {
  p = f32[4] parameter(0)
  ROOT n = f32[4] call(p), to_apply=leaf
}
ENTRY main {
  x = f32[4] parameter(0)
  c = f32[4] call(x), to_apply=middle
  ROOT r = f32[4] abs(x)
})",
             Dce(), R"(
    CHECK-NOT: leaf
    CHECK-NOT: middle
    CHECK: ENTRY
    CHECK-NOT: call
    CHECK: abs)");
}

TEST(Dce, LooksIntoFusions) {
  ExpectPass(R"(
HloModule m
fused {
  p = f32[4] parameter(0)
  dead = f32[4] exponential(p)
  ROOT n = f32[4] negate(p)
}
ENTRY main {
  x = f32[4] parameter(0)
  ROOT r = f32[4] fusion(x), kind=kLoop, calls=fused
})",
             Dce(), R"(
    CHECK-NOT: exponential
    CHECK: fusion)");
}

TEST(Dce, AFusionTakesNoMoreThanItReads) {
  ExpectPass(R"(
HloModule m
fused {
  p = f32[4] parameter(0)
  q = f32[4] parameter(1)
  s = f32[4] parameter(2)
  dead = f32[4] add(p, q)
  ROOT n = f32[4] subtract(q, s)
}
ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  e = f32[4] exponential(x)
  ROOT r = f32[4] fusion(e, y, x), kind=kLoop, calls=fused
})",
             Dce(), R"(
    CHECK-NOT: parameter(2)
    CHECK: subtract(
    CHECK: ENTRY
    CHECK-NOT: exponential
    CHECK: fusion(y, x))");
}

TEST(Dce, KeepsWhatOthersWaitFor) {
  ExpectUnchanged(R"(
HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  a = f32[4] negate(x)
  ROOT r = f32[4] abs(x), control-predecessors={a}
})",
                  Dce());
}

TEST(Dce, ALongDeadChainTakesMilliseconds) {
  const auto module = ChainForTest(100'000);
  ir::Computation* entry = module->entry();
  entry->set_root(entry->parameter(0));
  Dce dce;
  PassContext context;
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(*dce.Run(*module, context));
  const auto time = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(module->instruction_count(), 1);
  EXPECT_LT(time, std::chrono::seconds(60));  // quadratic work takes minutes
  RecordProperty("ms", std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

}  // namespace
}  // namespace swage::passes
