#include "compiler/passes/multi_output_fusion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "compiler/cost/device_description.h"
#include "compiler/passes/priority_fusion.h"
#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

using ::testing::HasSubstr;

constexpr char kCombiners[] = R"(
HloModule m
max { lhs = f32[] parameter(0) rhs = f32[] parameter(1) ROOT more = f32[] maximum(lhs, rhs) }
sum { left = f32[] parameter(0) right = f32[] parameter(1) ROOT both = f32[] add(left, right) }
)";

std::string Module(std::string_view text) { return absl::StrCat(kCombiners, ToAbsl(text)); }

// What the pass decided about a pair, in the order of the decisions.
std::vector<FusionDecision> Decisions(const std::string& hlo) {
  const std::unique_ptr<ir::Module> module = ParseForTest(hlo);
  const cost::DeviceDescription device = cost::TestCpu();
  PassContext context({}, &device);
  MultiOutputFusion pass;
  EXPECT_TRUE(pass.Run(*module, context).ok());
  return *context.fusion_decisions();
}

// The rule by which all pairs were refused; empty where it was profitability.
std::string RuleOfAll(const std::string& hlo) {
  const std::vector<FusionDecision> decisions = Decisions(hlo);
  EXPECT_FALSE(decisions.empty());
  for (const FusionDecision& decision : decisions) {
    EXPECT_FALSE(decision.fused);
    EXPECT_FALSE(decision.reason.empty());
    EXPECT_EQ(decision.rule, decisions[0].rule);
  }
  return decisions.empty() ? "none" : decisions[0].rule;
}

// Row sums and row sums of squares of one array: SIZE is the array's.
constexpr char kSiblings[] = R"(
sums {
  p = f32[SIZE] parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[ROWS] reduce(p, zero), dimensions={REDUCED}, to_apply=sum
}
squares {
  q = f32[SIZE] parameter(0)
  none = f32[] constant(0)
  qq = f32[SIZE] multiply(q, q)
  ROOT s = f32[ROWS] reduce(qq, none), dimensions={REDUCED}, to_apply=sum
}
ENTRY main {
  x = f32[SIZE] parameter(0)
  a = f32[ROWS] fusion(x), kind=kInput, calls=sums
  b = f32[ROWS] fusion(x), kind=kInput, calls=squares
  ROOT t = (f32[ROWS], f32[ROWS]) tuple(a, b)
})";

std::string Siblings(const char* size, const char* rows, const char* reduced) {
  return Module(
      absl::StrReplaceAll(kSiblings, {{"SIZE", size}, {"ROWS", rows}, {"REDUCED", reduced}}));
}

TEST(MultiOutputFusion, SiblingReductionsReadTheirInputOnce) {
  ExpectPass(Siblings("512,1024", "512", "1"), MultiOutputFusion(), R"(
    CHECK: fused_computation
    CHECK: parameter(0)
    CHECK-NOT: parameter(1)
    CHECK: ROOT {{.*}} = (f32[512], f32[512]) tuple(r, s)
    CHECK: ENTRY
    CHECK: [[F:[a-z.0-9]+]] = (f32[512], f32[512]) fusion(x), kind=kInput
    CHECK: get-tuple-element([[F]]), index=0
    CHECK: get-tuple-element([[F]]), index=1
    CHECK-NOT: fusion()");
}

TEST(MultiOutputFusion, EveryDecisionHasItsTimes) {
  const std::vector<FusionDecision> decisions = Decisions(Siblings("512,1024", "512", "1"));
  ASSERT_EQ(decisions.size(), 1);
  EXPECT_EQ(decisions[0].pass, "multi-output-fusion");
  EXPECT_EQ(decisions[0].producer, "a");
  EXPECT_EQ(decisions[0].consumer, "b");
  EXPECT_TRUE(decisions[0].fused);
  EXPECT_GT(decisions[0].time_unfused, decisions[0].time_fused);
  EXPECT_EQ(decisions[0].priority, decisions[0].time_unfused - decisions[0].time_fused);
}

TEST(MultiOutputFusion, OpenSizesFuseLikeFixedOnes) {
  ExpectPass(Siblings("rows<=512,1024", "rows<=512", "1"), MultiOutputFusion(), R"(
    CHECK: fusion(x), kind=kInput
    CHECK-NOT: fusion()");
}

// When the second loop comes, the column has left every cache.
TEST(MultiOutputFusion, LongColumnsAreReadTwiceAnyhow) {
  ExpectPass(Siblings("64,4096", "4096", "0"), MultiOutputFusion(),
             "CHECK: fusion(x), kind=kInput");
  EXPECT_EQ(RuleOfAll(Siblings("65536,4096", "4096", "0")), "");
}

// The maxima of rows are stored, and used for the rest of the softmax while the row is at hand.
constexpr char kSoftmax[] = R"(
maxima {
  p = f32[512,1024] parameter(0)
  low = f32[] constant(-inf)
  ROOT m = f32[512] reduce(p, low), dimensions={1}, to_apply=max
}
shifted {
  q = f32[512,1024] parameter(0)
  n = f32[512] parameter(1)
  nb = f32[512,1024] broadcast(n), dimensions={0}
  d = f32[512,1024] subtract(q, nb)
  ROOT e = f32[512,1024] exponential(d)
}
ENTRY main {
  x = f32[512,1024] parameter(0)
  a = f32[512] fusion(x), kind=kInput, calls=maxima
  b = f32[512,1024] fusion(x, a), kind=kLoop, calls=shifted
  ROOT t = (f32[512,1024], f32[512]) tuple(b, a)
})";

TEST(MultiOutputFusion, RowsMeetTheirReduction) {
  ExpectPass(Module(kSoftmax), MultiOutputFusion(), R"(
    CHECK: fused_computation
    CHECK: broadcast(m), dimensions={0}
    CHECK: ROOT {{.*}} = (f32[512], f32[512,1024]) tuple(m, e)
    CHECK: ENTRY
    CHECK: fusion(x), kind=kInput
    CHECK-NOT: fusion()");
}

TEST(MultiOutputFusion, WhatNobodyElseReadsIsNotStored) {
  std::string text = Module(kSoftmax);
  const size_t root = text.find("ROOT t");
  text.replace(root, text.find('\n', root) - root, "ROOT t = f32[512,1024] copy(b)");
  ExpectPass(text, MultiOutputFusion(), R"(
    CHECK: fused_computation
    CHECK: ROOT e = f32[512,1024] exponential(
    CHECK: = f32[512,1024] fusion(x), kind=kInput)");
}

TEST(MultiOutputFusion, ShortOrFewRowsKeepTheirKernels) {
  const auto sized = [](const char* rows, const char* row) {
    return absl::StrReplaceAll(ToAbsl(Module(kSoftmax)), {{"512", rows}, {"1024", row}});
  };
  EXPECT_EQ(RuleOfAll(sized("65536", "8")), "short-rows");
  EXPECT_EQ(RuleOfAll(sized("4", "65536")), "few-rows");
}

// n is stored for c, and used for g where it is made.
constexpr char kProducer[] = R"(
gradient {
  p = f32[4096,256] parameter(0)
  q = f32[4096,256] parameter(1)
  s = f32[4096,256] multiply(p, q)
  ROOT n = f32[4096,256] tanh(s)
}
update {
  w = f32[4096,256] parameter(0)
  g = f32[4096,256] parameter(1)
  ROOT u = f32[4096,256] subtract(w, g)
}
ENTRY main {
  x = f32[4096,256] parameter(0)
  y = f32[4096,256] parameter(1)
  z = f32[4096,256] parameter(2)
  a = f32[4096,256] fusion(x, y), kind=kLoop, calls=gradient
  b = f32[4096,256] fusion(z, a), kind=kLoop, calls=update
  c = f32[4096,4096] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  ROOT t = (f32[4096,256], f32[4096,4096]) tuple(b, c)
})";

TEST(MultiOutputFusion, AProducerThatOthersReadIsUsedFromRegisters) {
  std::string text = absl::StrReplaceAll(ToAbsl(Module(kProducer)), {{"4096", "640"}});
  ExpectPass(text, MultiOutputFusion(), R"(
    CHECK: fused_computation
    CHECK: subtract([[W:[a-z.0-9]+]], n)
    CHECK: ROOT {{.*}} tuple(n, u)
    CHECK: ENTRY
    CHECK: [[F:[a-z.0-9]+]] = (f32[640,256], f32[640,256]) fusion(x, y, z), kind=kLoop
    CHECK: dot()");
}

TEST(MultiOutputFusion, ATransposedReaderKeepsItsKernel) {
  EXPECT_EQ(RuleOfAll(Module(R"(
negative { p = f32[512,512] parameter(0) ROOT n = f32[512,512] negate(p) }
turned {
  q = f32[512,512] parameter(0)
  t = f32[512,512] transpose(q), dimensions={1,0}
  ROOT s = f32[512,512] abs(t)
}
ENTRY main {
  x = f32[512,512] parameter(0)
  a = f32[512,512] fusion(x), kind=kLoop, calls=negative
  b = f32[512,512] fusion(a), kind=kLoop, calls=turned
  ROOT t = (f32[512,512], f32[512,512]) tuple(a, b)
})")),
            "not-at-the-element");
}

// b waits for c, which waits for a: one kernel of a and b would wait for itself.
TEST(MultiOutputFusion, NoKernelWaitsForItself) {
  const std::vector<FusionDecision> decisions = Decisions(Module(R"(
negative { p = f32[1024,512] parameter(0) ROOT n = f32[1024,512] negate(p) }
joined {
  q = f32[1024,512] parameter(0)
  s = f32[1024,512] parameter(1)
  ROOT j = f32[1024,512] add(q, s)
}
ENTRY main {
  x = f32[1024,512] parameter(0)
  a = f32[1024,512] fusion(x), kind=kLoop, calls=negative
  c = f32[1024,512] custom-call(a), custom_call_target="foreign"
  b = f32[1024,512] fusion(x, c), kind=kLoop, calls=joined
  ROOT t = (f32[1024,512], f32[1024,512]) tuple(a, b)
})"));
  ASSERT_EQ(decisions.size(), 1);
  EXPECT_EQ(decisions[0].rule, "cycle");
}

TEST(MultiOutputFusion, LoopsOfOtherShapesKeepTheirKernels) {
  EXPECT_EQ(RuleOfAll(Module(R"(
negative { p = f32[1024,512] parameter(0) ROOT n = f32[1024,512] negate(p) }
columns {
  q = f32[1024,512] parameter(0)
  zero = f32[] constant(0)
  ROOT s = f32[512] reduce(q, zero), dimensions={0}, to_apply=sum
}
ENTRY main {
  x = f32[1024,512] parameter(0)
  a = f32[1024,512] fusion(x), kind=kLoop, calls=negative
  b = f32[512] fusion(x), kind=kInput, calls=columns
  ROOT t = (f32[1024,512], f32[512]) tuple(a, b)
})")),
            "outputs-of-several-shapes");
}

TEST(MultiOutputFusion, KernelsWithNothingInCommonStayApart) {
  ExpectUnchanged(Module(R"(
negative { p = f32[1024] parameter(0) ROOT n = f32[1024] negate(p) }
absolute { p = f32[1024] parameter(0) ROOT n = f32[1024] abs(p) }
ENTRY main {
  x = f32[1024] parameter(0)
  y = f32[1024] parameter(1)
  a = f32[1024] fusion(x), kind=kLoop, calls=negative
  b = f32[1024] fusion(y), kind=kLoop, calls=absolute
  ROOT t = (f32[1024], f32[1024]) tuple(a, b)
})"),
                  MultiOutputFusion());
}

// `n` readers of one array, each with a result.
std::string ManyReaders(int n) {
  std::string text = Module("");
  for (int i = 0; i < n; ++i) {
    absl::StrAppend(&text, "body", i, " {\n p", i, " = f32[16777216] parameter(0)\n w", i,
                    " = f32[] constant(", i, ")\n b", i, " = f32[16777216] broadcast(w", i,
                    "), dimensions={}\n ROOT r", i, " = f32[16777216] add(p", i, ", b", i,
                    ")\n}\n");
  }
  absl::StrAppend(&text, "ENTRY main {\n  x = f32[16777216] parameter(0)\n");
  std::string shapes, values;
  for (int i = 0; i < n; ++i) {
    absl::StrAppend(&text, "  v", i, " = f32[16777216] fusion(x), kind=kLoop, calls=body", i, "\n");
    absl::StrAppend(&shapes, i > 0 ? ", " : "", "f32[16777216]");
    absl::StrAppend(&values, i > 0 ? ", " : "", "v", i);
  }
  absl::StrAppend(&text, "  ROOT t = (", shapes, ") tuple(", values, ")\n}\n");
  return text;
}

TEST(MultiOutputFusion, AKernelStreamsThroughFewArrays) {
  const std::unique_ptr<ir::Module> module = ParseForTest(ManyReaders(40));
  const cost::DeviceDescription device = cost::TestCpu();
  PassContext context({}, &device);
  MultiOutputFusion pass;
  EXPECT_TRUE(*pass.Run(*module, context));
  int kernels = 0;
  for (const ir::Instruction* op : module->entry()->Instructions()) {
    if (op->opcode() != ir::Opcode::kFusion) continue;
    ++kernels;
    EXPECT_LE(op->shape().is_tuple() ? op->shape().tuple_size() : 1, 15);
  }
  EXPECT_EQ(kernels, 3);
  EXPECT_FALSE(*pass.Run(*module, context)) << "the second run finds nothing";
}

TEST(MultiOutputFusion, WorkGrowsWithTheProgramOnly) {
  const auto steps = [](int n) {
    const std::unique_ptr<ir::Module> module = ParseForTest(ManyReaders(n));
    const cost::DeviceDescription device = cost::TestCpu();
    PassContext context({}, &device);
    MultiOutputFusion pass;
    EXPECT_TRUE(pass.Run(*module, context).ok());
    return pass.steps();
  };
  const int64_t once = steps(400), twice = steps(800);
  EXPECT_GT(once, 0);
  EXPECT_LT(twice, once * 23 / 10);
}

TEST(MultiOutputFusion, WorkOnALongChainIsLinear) {
  const auto steps = [](int64_t n) {
    const std::unique_ptr<ir::Module> module = ChainForTest(n);
    const cost::DeviceDescription device = cost::TestCpu();
    PassContext context({}, &device);
    EXPECT_TRUE(PriorityFusion().Run(*module, context).ok());
    MultiOutputFusion pass;
    EXPECT_TRUE(pass.Run(*module, context).ok());
    return pass.steps();
  };
  EXPECT_LT(steps(100'000), 23 * std::max<int64_t>(steps(50'000), 100) / 10);
}

}  // namespace
}  // namespace swage::passes
