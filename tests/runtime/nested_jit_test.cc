// Jit functions inside jit functions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/ir/module.h"
#include "runtime/trace.h"
#include "tests/runtime/tensor_testing.h"

namespace swage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor Fib(int n) {
  if (n < 2) return full({}, n, s32);
  auto inner = jit(Fib);
  return inner(n - 1) + inner(n - 2);
}

TEST(NestedJitTest, EachStaticVariantIsTracedOnce) {
  auto f = jit(Fib);
  EXPECT_EQ(f(40).item<int>(), 102334155);
  EXPECT_EQ(f.stats().traces, 41);
  EXPECT_EQ(f.stats().compiles, 1);
}

TEST(NestedJitTest, OneTracePerDtype) {
  auto inner = jit([](Tensor x) { return x * x; });
  auto outer = jit([&](Tensor x, Tensor n) {
    return std::make_pair(inner(x) + inner(x + 1), inner(n) + inner(n + 1) + inner(n + 2));
  });
  const auto [x, n] = outer(F32({2}), S32({3}));
  EXPECT_THAT(x.to_vector<float>(), ElementsAre(13));
  EXPECT_THAT(n.to_vector<int>(), ElementsAre(50));
  EXPECT_EQ(inner.stats().traces, 2);
}

TEST(NestedJitTest, OnlyTheOutermostHasHitsAndMisses) {
  auto inner = jit([](Tensor x) { return x * x; }, {.name = "inner"});
  auto outer = jit([&](Tensor x) { return inner(x) + inner(x + 1) + inner(reshape(x, {1, 2})); });
  outer(F32({2, 3}));
  const JitStats stats = inner.stats();
  EXPECT_EQ(stats.calls, 3);
  EXPECT_EQ(stats.traces, 2);
  EXPECT_EQ(stats.hits + stats.misses + stats.compiles, 0);
  EXPECT_FALSE(inner.explain().missed);
  EXPECT_EQ(outer.stats().misses, 1);
  inner(F32({2, 3}));
  EXPECT_EQ(inner.stats().misses, 1);
  EXPECT_TRUE(inner.explain().missed);
}

TEST(NestedJitTest, CallsBecomeCallInstructions) {
  auto inner = jit([](Tensor x) { return std::vector<Tensor>{x + 1, x * 2}; }, {.name = "inner"});
  std::string text;
  auto outer = jit([&](Tensor x) {
    const std::vector<Tensor> a = inner(x), b = inner(a[0]);
    int calls = 0;
    for (const ir::Instruction* one :
         runtime::TraceScope::Current()->computation()->Instructions()) {
      calls += one->opcode() == ir::Opcode::kCall ? 1 : 0;
    }
    EXPECT_EQ(calls, 2);
    return a[1] + b[1];
  });
  EXPECT_THAT(outer(F32({1})).to_vector<float>(), ElementsAre(6));
  EXPECT_EQ(inner.stats().traces, 1);
}

TEST(NestedJitTest, OuterTracersAndTensorsBecomeOperands) {
  const Tensor weight = F32({10, 20});
  auto outer = jit([&](Tensor x) {
    const Tensor doubled = x * 2;
    auto inner = jit([&](Tensor y) { return y + doubled * weight; });
    return inner(x) + inner(x + 1);
  });
  EXPECT_THAT(outer(F32({1, 2})).to_vector<float>(), ElementsAre(43, 165));
  EXPECT_THAT(outer(F32({0, 0})).to_vector<float>(), ElementsAre(1, 1));
}

TEST(NestedJitTest, PassedThroughValuesNeedNoCall) {
  auto swap = jit([](Tensor a, Tensor b) { return std::make_pair(b, a); });
  auto outer = jit([&](Tensor x, Tensor y) {
    auto [p, q] = swap(x, y);
    return p - q;
  });
  EXPECT_EQ(outer(scalar(1), scalar(5)).item<int>(), 4);
}

TEST(NestedJitTest, ConcreteArgumentsInsideATraceAreRecorded) {
  auto inner = jit([](Tensor x) { return x + 1; });
  auto outer = jit([&](Tensor x) { return x * inner(F32({1, 2})); });
  EXPECT_THAT(outer(F32({3, 3})).to_vector<float>(), ElementsAre(6, 9));
}

Tensor Endless(Tensor x) { return jit(Endless)(x) + 1; }
Tensor Deeper(Tensor x, int n) { return jit(Deeper)(x, n + 1) + 1; }

TEST(NestedJitTest, RecursionOnTheSameKeyIsAnError) {
  const std::string text = ErrorOf([] { jit(Endless)(scalar(1)); });
  EXPECT_THAT(text, HasSubstr("inside itself with the same arguments"));
  EXPECT_EQ(runtime::TraceScope::Depth(), 0);
  EXPECT_EQ((scalar(2) + 3).item<int>(), 5);
}

TEST(NestedJitTest, RecursionWithoutEndIsAnError) {
  EXPECT_THAT(ErrorOf([] { jit(Deeper)(scalar(1), 0); }),
              HasSubstr("jit functions inside one another"));
  EXPECT_EQ(runtime::TraceScope::Depth(), 0);
}

TEST(NestedJitTest, MetadataNamesPathAndLine) {
  std::string name, file;
  int line = 0, expected = 0;
  jit(
      [&](Tensor x) {
        expected = __LINE__ + 1;
        const Tensor y = softmax(x);
        for (const ir::Instruction* one :
             runtime::TraceScope::Current()->computation()->Instructions()) {
          if (one->opcode() != ir::Opcode::kExp) continue;
          name = one->metadata()->op_name;
          file = one->metadata()->source_file;
          line = one->metadata()->source_line;
        }
        return y;
      },
      {.name = "attend"})(F32({1, 2}));
  EXPECT_EQ(name, "jit(attend)/softmax/exp");
  EXPECT_THAT(file, HasSubstr("nested_jit_test.cc"));
  EXPECT_EQ(line, expected);
}

}  // namespace
}  // namespace swage
