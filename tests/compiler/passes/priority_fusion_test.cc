#include "compiler/passes/priority_fusion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/cost/device_description.h"
#include "tests/compiler/passes/pass_test.h"
#include "tests/compiler/softmax_text.h"

namespace swage::passes {
namespace {

const char kChain[] = R"(
HloModule m
ENTRY main {
  x = f32[1024,1024] parameter(0)
  y = f32[1024,1024] parameter(1)
  a = f32[1024,1024] add(x, y)
  b = f32[1024,1024] negate(a)
  c = f32[1024,1024] multiply(b, x)
  ROOT r = f32[1024,1024] abs(c)
})";

const std::string kSoftmax =
    absl::StrCat("HloModule m\n", kSoftmaxCombiners, "ENTRY main {", SoftmaxBody(64, 512), "}");

struct Fused {
  std::unique_ptr<ir::Module> module;
  std::vector<FusionDecision> decisions;
  int64_t fusions = 0;
};

Fused Fuse(std::string_view hlo) {
  Fused result;
  result.module = ParseForTest(hlo);
  const cost::DeviceDescription device = cost::TestCpu();
  PassContext context({}, &device);
  PriorityFusion pass;
  EXPECT_TRUE(pass.Run(*result.module, context).ok());
  result.decisions = *context.fusion_decisions();
  for (const ir::Instruction* instruction : result.module->entry()->Instructions()) {
    if (instruction->opcode() == ir::Opcode::kFusion) ++result.fusions;
  }
  return result;
}

FusionDecision About(const Fused& fused, std::string_view producer) {
  for (const FusionDecision& decision : fused.decisions) {
    if (decision.producer == producer) return decision;
  }
  ADD_FAILURE() << "no decision about " << producer;
  return {};
}

TEST(PriorityFusionTest, AChainBecomesOneKernel) {
  ExpectPass(kChain, PriorityFusion(), R"(
    CHECK: fused_computation
    CHECK: ROOT [[R:[a-z.0-9]+]] = f32[1024,1024] abs
    CHECK: ENTRY
    CHECK: ROOT [[F:[a-z.0-9]+]] = f32[1024,1024] fusion(x, y), kind=kLoop, calls=fused_computation
    CHECK-NOT: fusion)");
}

TEST(PriorityFusionTest, EveryDecisionHasItsTimes) {
  const FusionDecision a = About(Fuse(kChain), "a");
  EXPECT_TRUE(a.fused);
  EXPECT_GT(a.time_unfused, a.time_fused);
  EXPECT_EQ(a.priority, a.time_unfused - a.time_fused);
}

TEST(PriorityFusionTest, TheRootIsNeverAProducer) {
  const FusionDecision root = About(Fuse(kChain), "r");
  EXPECT_FALSE(root.fused);
  EXPECT_EQ(root.rule, "producer-is-root");
}

TEST(PriorityFusionTest, ASoftmaxIsOneKernel) {
  const Fused fused = Fuse(kSoftmax);
  EXPECT_EQ(fused.fusions, 1);
  for (const char* value : {"m", "e", "t"}) EXPECT_TRUE(About(fused, value).fused) << value;
}

TEST(PriorityFusionTest, ATileTakesPrologueAndEpilogueIn) {
  std::string text = kSoftmax;
  const auto replace = [&](std::string_view from, std::string_view to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("x = f32[64,512] parameter(0)", R"(y = bf16[64,512] parameter(0)
  x = f32[64,512] convert(y))");
  replace("ROOT r = f32[64,512] divide(e, tb)", R"(d = f32[64,512] divide(e, tb)
  ROOT r = bf16[64,512] convert(d))");
  EXPECT_EQ(Fuse(text).fusions, 1);
}

// Each reduces what the other does not have: there is no row for both.
TEST(PriorityFusionTest, OtherReductionsKeepKernelsOfTheirOwn) {
  const Fused fused = Fuse(R"(
HloModule m
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY main {
  x = f32[64,512] parameter(0)
  zero = f32[] constant(0)
  c = f32[512] reduce(x, zero), dimensions={0}, to_apply=sum
  cb = f32[64,512] broadcast(c), dimensions={1}
  s = f32[64,512] subtract(x, cb)
  ROOT t = f32[64] reduce(s, zero), dimensions={1}, to_apply=sum
})");
  EXPECT_THAT(About(fused, "c").rule, testing::AnyOf("emitter-downgrade", "reduce-reduce"));
  EXPECT_FALSE(About(fused, "c").reason.empty());
}

TEST(PriorityFusionTest, AnEpilogueFollowsItsDot) {
  ExpectPass(R"(
HloModule m
ENTRY main {
  a = f32[64,32] parameter(0)
  b = f32[32,64] parameter(1)
  c = f32[] constant(8)
  d = f32[64,64] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  w = f32[64,64] broadcast(c), dimensions={}
  ROOT r = f32[64,64] divide(d, w)
})",
             PriorityFusion(), R"(
    CHECK: fused_computation
    CHECK: dot(
    CHECK: ROOT [[R:[a-z.0-9]+]] = f32[64,64] divide(
    CHECK: fusion(a, b), kind=kOutput)");
}

TEST(PriorityFusionTest, AProducerOfADotStaysStored) {
  const Fused fused = Fuse(R"(
HloModule m
ENTRY main {
  a = f32[64,32] parameter(0)
  b = f32[32,64] parameter(1)
  n = f32[64,32] negate(a)
  ROOT d = f32[64,64] dot(n, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})");
  EXPECT_EQ(About(fused, "n").rule, "dot-prologue");
}

TEST(PriorityFusionTest, AProducerIsRepeatedInAllItsConsumersOrInNone) {
  const Fused fused = Fuse(R"(
HloModule m
ENTRY main {
  x = f32[1000] parameter(0)
  n = f32[1000] negate(x)
  a = f32[1000] abs(n)
  b = f32[1000] sign(n)
  ROOT r = (f32[1000], f32[1000]) tuple(a, b)
})");
  EXPECT_TRUE(About(fused, "n").fused);
  EXPECT_EQ(fused.fusions, 2);
}

TEST(PriorityFusionTest, LongChainsAreCutAtTheInstructionLimit) {
  std::unique_ptr<ir::Module> module = ChainForTest(2000);
  const cost::DeviceDescription device = cost::TestCpu();
  PassContext context({}, &device);
  PriorityFusion pass;
  ASSERT_TRUE(*pass.Run(*module, context));
  for (const ir::Computation* computation : module->Computations()) {
    // The limit counts ops; their constants and parameters come on top.
    EXPECT_LE(computation->instruction_count(), 3 * 512);
  }
  EXPECT_TRUE(std::any_of(context.fusion_decisions()->begin(), context.fusion_decisions()->end(),
                          [](const FusionDecision& decision) {
                            return decision.rule == "too-many-instructions" ||
                                   decision.rule == "too-much-code";
                          }));
}

TEST(PriorityFusionTest, CombinersAreNotFused) {
  ExpectUnchanged(R"(
HloModule m
odd { a = f32[] parameter(0) b = f32[] parameter(1) s = f32[] add(a, b) n = f32[] abs(s) ROOT r = f32[] negate(n) }
ENTRY main {
  x = f32[64,512] parameter(0)
  zero = f32[] constant(0)
  ROOT m = f32[64] reduce(x, zero), dimensions={1}, to_apply=odd
})",
                  PriorityFusion());
}

TEST(PriorityFusionTest, EqualModulesFuseAlike) {
  EXPECT_EQ(Fuse(kSoftmax).module->ToString(), Fuse(kSoftmax).module->ToString());
}

}  // namespace
}  // namespace swage::passes
