#include "compiler/passes/inline.h"

#include <gtest/gtest.h>

#include <chrono>

#include "absl/strings/str_cat.h"
#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

constexpr std::string_view kTwoCalls = R"(
HloModule m
helper {
  p = f32[4] parameter(0)
  q = f32[4] parameter(1)
  d = f32[4] subtract(p, q)
  e = f32[4] exponential(d)
  ROOT n = f32[4] negate(e)
}
ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  a = f32[4] call(x, y), to_apply=helper
  ROOT b = f32[4] call(y, a), to_apply=helper
})";

// fib(0) and fib(1) are `leaves`; fib(n) calls the two before it.
std::string FibonacciHlo(int n, std::string_view leaf, bool with_parameter) {
  const std::string parameter = with_parameter ? "  p = f32[4] parameter(0)\n" : "";
  const std::string argument = with_parameter ? "p" : "";
  std::string hlo = "HloModule fib\n";
  for (int i = 0; i <= n; ++i) {
    absl::StrAppend(&hlo, i == n ? "ENTRY " : "", "fib", i, " {\n", parameter);
    if (i < 2) {
      absl::StrAppend(&hlo, ToAbsl(leaf));
    } else {
      absl::StrAppend(&hlo, "  a = f32[4] call(", argument, "), to_apply=fib", i - 1, "\n");
      absl::StrAppend(&hlo, "  b = f32[4] call(", argument, "), to_apply=fib", i - 2, "\n");
      absl::StrAppend(&hlo, "  ROOT s = f32[4] add(a, b)\n");
    }
    absl::StrAppend(&hlo, "}\n");
  }
  return hlo;
}

TEST(Inline, BodiesReplaceCalls) {
  ExpectPass(kTwoCalls, Inline(), R"(
    CHECK-NOT: helper
    CHECK: ENTRY
    CHECK: subtract(x, y)
    CHECK: [[A:[a-z.0-9]+]] = f32[4] negate(
    CHECK: subtract(y, [[A]])
    CHECK: ROOT {{.*}} = f32[4] negate(
    CHECK-NOT: call()");
}

TEST(Inline, ACallThatReturnsItsParameterIsTheOperand) {
  ExpectPass(R"(
HloModule m
second {
  p = f32[4] parameter(0)
  ROOT q = f32[4] parameter(1)
}
ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  c = f32[4] call(x, y), to_apply=second
  ROOT r = f32[4] negate(c)
})",
             Inline(), "CHECK: negate(y)");
}

TEST(Inline, NestedCallsUnwind) {
  ExpectPass(R"(
HloModule m
leaf {
  p = f32[4] parameter(0)
  ROOT n = f32[4] negate(p)
}
middle {
  p = f32[4] parameter(0)
  c = f32[4] call(p), to_apply=leaf
  ROOT e = f32[4] exponential(c)
}
ENTRY main {
  x = f32[4] parameter(0)
  a = f32[4] call(x), to_apply=middle
  ROOT b = f32[4] call(a), to_apply=leaf
})",
             Inline(), R"(
    CHECK-NOT: leaf
    CHECK-NOT: middle
    CHECK: negate(x)
    CHECK: exponential(
    CHECK: ROOT {{.*}} negate()");
}

TEST(Inline, LooksIntoTheBodiesOfOtherOps) {
  ExpectPass(R"(
HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
combine {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] call(a, b), to_apply=add
}
ENTRY main {
  x = f32[4,8] parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[4] reduce(x, zero), dimensions={1}, to_apply=combine
})",
             Inline(), R"(
    CHECK-NOT: call
    CHECK: combine {
    CHECK: ROOT {{.*}} add(a.1, b.1)
    CHECK: reduce()");
}

TEST(Inline, AComputationThatIsAlsoACombinerStays) {
  ExpectPass(R"(
HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[8] parameter(0)
  zero = f32[] constant(0)
  sum = f32[] reduce(x, zero), dimensions={0}, to_apply=add
  ROOT r = f32[] call(sum, sum), to_apply=add
})",
             Inline(), R"(
    CHECK: add {
    CHECK: ENTRY
    CHECK: to_apply=add
    CHECK: ROOT {{.*}} = f32[] add()");
}

TEST(Inline, StopsWhereTheModuleWouldDouble) {
  // The helper fits once more into a module of ten, but not twice.
  std::string hlo(kTwoCalls);
  ExpectPass(hlo, Inline(0), "CHECK-NOT: helper\nCHECK: ENTRY");
  hlo.replace(hlo.find("ROOT b"), std::string::npos, R"(b = f32[4] call(y, a), to_apply=helper
  c = f32[4] call(b, a), to_apply=helper
  d = f32[4] call(c, a), to_apply=helper
  e = f32[4] call(d, a), to_apply=helper
  f = f32[4] call(e, a), to_apply=helper
  g = f32[4] call(f, a), to_apply=helper
  h = f32[4] call(g, a), to_apply=helper
  i = f32[4] call(h, a), to_apply=helper
  j = f32[4] call(i, a), to_apply=helper
  k = f32[4] call(j, a), to_apply=helper
  ROOT l = f32[4] call(k, a), to_apply=helper
})");
  ExpectUnchanged(hlo, Inline(0));
}

TEST(Inline, ADeepCallGraphStaysLinear) {
  const std::string hlo = FibonacciHlo(41, "  ROOT n = f32[4] negate(p)\n", true);
  const auto module = ParseForTest(hlo);
  ASSERT_NE(module, nullptr);
  const int64_t before = module->instruction_count();
  Inline inline_pass;
  PassContext context;
  ASSERT_TRUE(*inline_pass.Run(*module, context));
  EXPECT_LE(module->instruction_count(), before + 2000);
  ASSERT_NE(ParseForTest(TextForTest(*module)), nullptr);
}

TEST(Inline, ComputationsWithoutParametersFoldOnce) {
  const auto module =
      ParseForTest(FibonacciHlo(41, "  ROOT n = f32[4] constant({1, 2, 0.5, -1})\n", false));
  ASSERT_NE(module, nullptr);
  Inline inline_pass;
  EXPECT_TRUE(RunForTest(*module, inline_pass));
  EXPECT_EQ(module->Computations().size(), 1u);
  EXPECT_LE(module->instruction_count(), 5);
}

TEST(Inline, ALongChainOfSingleCallsIsLinear) {
  std::string hlo = "HloModule deep\n";
  constexpr int kDepth = 5000;
  for (int i = 0; i < kDepth; ++i) {
    absl::StrAppend(&hlo, i == kDepth - 1 ? "ENTRY " : "", "f", i,
                    " {\n  p = f32[4] parameter(0)\n");
    if (i > 0) {
      absl::StrAppend(&hlo, "  c = f32[4] call(p), to_apply=f", i - 1,
                      "\n  ROOT n = f32[4] exponential(c)\n");
    } else {
      absl::StrAppend(&hlo, "  ROOT n = f32[4] negate(p)\n");
    }
    absl::StrAppend(&hlo, "}\n");
  }
  const auto module = ParseForTest(hlo);
  ASSERT_NE(module, nullptr);
  Inline inline_pass;
  PassContext context;
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(*inline_pass.Run(*module, context));
  EXPECT_LT(std::chrono::steady_clock::now() - start,
            std::chrono::seconds(60));  // quadratic work takes minutes
  EXPECT_EQ(module->Computations().size(), 1u);
  EXPECT_EQ(module->instruction_count(), kDepth + 1);
}

TEST(Inline, LeavesAModuleWithoutCalls) {
  ExpectUnchanged("HloModule m\nENTRY main {\n  ROOT x = f32[4] parameter(0)\n}", Inline());
}

}  // namespace
}  // namespace swage::passes
