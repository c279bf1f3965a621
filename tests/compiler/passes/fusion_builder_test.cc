#include "compiler/passes/fusion_builder.h"

#include <gtest/gtest.h>

#include "compiler/ir/verifier.h"
#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

using ir::Instruction;
using ir::Opcode;

Instruction* Named(const ir::Module& module, std::string_view name) {
  for (Instruction* instruction : module.entry()->Instructions()) {
    if (instruction->name() == name) return instruction;
  }
  ADD_FAILURE() << "no instruction " << name;
  return nullptr;
}

constexpr char kShared[] = R"(
HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  two = f32[] constant(2)
  b = f32[4] broadcast(two), dimensions={}
  a = f32[4] multiply(x, b)
  c = f32[4] negate(a)
  d = f32[4] abs(a)
  ROOT t = (f32[4], f32[4]) tuple(c, d)
})";

TEST(Fuse, WhatNothingElseReadsMovesWithItsName) {
  const auto module = ParseForTest(R"(
HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  two = f32[] constant(2)
  b = f32[4] broadcast(two), dimensions={}
  a = f32[4] multiply(x, b)
  ROOT r = f32[4] negate(a)
})");
  Instruction* a = Named(*module, "a");
  Instruction* r = Named(*module, "r");
  const auto fusion = Fuse({Named(*module, "b"), a, r});
  ASSERT_TRUE(fusion.ok()) << fusion.status();
  EXPECT_TRUE((*fusion)->IsRoot());
  EXPECT_EQ(r->parent(), (*fusion)->fused_computation());
  EXPECT_EQ(r->name(), "r");
  EXPECT_TRUE(r->IsRoot());
  EXPECT_EQ((*fusion)->fused_computation()->instruction_count(), 5);  // and the number
  EXPECT_EQ(module->entry()->instruction_count(), 2);
  EXPECT_TRUE(ir::Verify(*module).ok()) << ir::Verify(*module);
}

TEST(Fuse, WhatOthersReadIsCopiedAndTheLastFusionTakesIt) {
  const auto module = ParseForTest(kShared);
  Instruction *a = Named(*module, "a"), *b = Named(*module, "b");
  Instruction *c = Named(*module, "c"), *d = Named(*module, "d");
  const auto first = Fuse({b, a, c});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(a->parent(), module->entry());
  EXPECT_EQ(b->parent(), module->entry());
  EXPECT_EQ((*first)->fused_computation()->instruction_count(), 5);
  ASSERT_TRUE(ir::Verify(*module).ok()) << ir::Verify(*module);
  const auto second = Fuse({b, a, d});
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(a->parent(), (*second)->fused_computation());
  EXPECT_EQ(b->parent(), (*second)->fused_computation());
  EXPECT_EQ(module->entry()->instruction_count(), 4);  // x, two fusions, t
  EXPECT_TRUE(ir::Verify(*module).ok()) << ir::Verify(*module);
}

TEST(Fuse, AValueThatIsReadTwiceIsOneOperand) {
  const auto module = ParseForTest(R"(
HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  s = f32[] parameter(1)
  a = f32[4] multiply(x, x)
  b = f32[4] broadcast(s), dimensions={}
  ROOT r = f32[4] add(a, b)
})");
  const auto fusion = Fuse({Named(*module, "b"), Named(*module, "a"), Named(*module, "r")});
  ASSERT_TRUE(fusion.ok()) << fusion.status();
  EXPECT_EQ((*fusion)->operand_count(), 2);
  EXPECT_EQ((*fusion)->operand(0)->name(), "s");
  EXPECT_TRUE(ir::Verify(*module).ok()) << ir::Verify(*module);
}

TEST(Fuse, ControlEdgesBecomeTheFusions) {
  const auto module = ParseForTest(R"(
HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  before = f32[4] abs(x)
  r = f32[4] negate(x), control-predecessors={before}
  after = f32[4] sine(x), control-predecessors={r}
  ROOT t = (f32[4], f32[4], f32[4]) tuple(before, r, after)
})");
  Instruction* r = Named(*module, "r");
  const auto fusion = Fuse({r});
  ASSERT_TRUE(fusion.ok()) << fusion.status();
  ASSERT_EQ((*fusion)->control_predecessors().size(), 1u);
  EXPECT_EQ((*fusion)->control_predecessors()[0]->name(), "before");
  ASSERT_EQ((*fusion)->control_successors().size(), 1u);
  EXPECT_EQ((*fusion)->control_successors()[0]->name(), "after");
  EXPECT_TRUE(r->control_predecessors().empty());
  EXPECT_TRUE(ir::Verify(*module).ok()) << ir::Verify(*module);
}

}  // namespace
}  // namespace swage::passes
