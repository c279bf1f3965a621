#include "compiler/analysis/same_operation.h"

#include <gtest/gtest.h>

#include "compiler/ir/parser.h"

namespace swage::analysis {
namespace {

class SameOperationTest : public ::testing::Test {
 protected:
  void Parse(std::string_view body) {
    module_ = *ir::ParseHlo("HloModule m\nENTRY main {\n" + std::string(body) + "\n}");
    for (const ir::Instruction* instruction : module_->entry()->Instructions()) {
      if (instruction->name() == "a") a_ = instruction;
      if (instruction->name() == "b") b_ = instruction;
    }
  }

  bool Same() const {
    const bool same = SameOperation(*a_, *b_);
    if (same) {
      EXPECT_EQ(HashOperation(*a_), HashOperation(*b_));
    }
    return same;
  }

  std::unique_ptr<ir::Module> module_;
  const ir::Instruction* a_ = nullptr;
  const ir::Instruction* b_ = nullptr;
};

TEST_F(SameOperationTest, NamesDoNotCount) {
  Parse(R"(
  x = f32[4] parameter(0)
  a = f32[4] negate(x), metadata={op_name="one"}
  b = f32[4] negate(x), metadata={op_name="two"}
  ROOT r = f32[4] add(a, b))");
  EXPECT_TRUE(Same());
}

TEST_F(SameOperationTest, CommutativeOperandsMayBeSwapped) {
  Parse(R"(
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  a = f32[4] maximum(x, y)
  b = f32[4] maximum(y, x)
  ROOT r = f32[4] add(a, b))");
  EXPECT_TRUE(Same());
  Parse(R"(
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  a = f32[4] divide(x, y)
  b = f32[4] divide(y, x)
  ROOT r = f32[4] add(a, b))");
  EXPECT_FALSE(Same());
}

TEST_F(SameOperationTest, ConstantsCompareByBits) {
  Parse("  a = f32[] constant(0)\n  b = f32[] constant(-0)\n  ROOT r = f32[] add(a, b)");
  EXPECT_FALSE(Same());
  Parse("  a = f32[] constant(nan)\n  b = f32[] constant(nan)\n  ROOT r = f32[] add(a, b)");
  EXPECT_TRUE(Same());
}

TEST_F(SameOperationTest, AttributesCount) {
  Parse(R"(
  a = s32[4,4] iota(), iota_dimension=0
  b = s32[4,4] iota(), iota_dimension=1
  ROOT r = s32[4,4] add(a, b))");
  EXPECT_FALSE(Same());
}

TEST(SameComputation, ComparesStructureAndRoot) {
  const auto module = *ir::ParseHlo(R"(
HloModule m
one {
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  ROOT s = f32[] subtract(p, q)
}
two {
  u = f32[] parameter(0)
  v = f32[] parameter(1)
  ROOT w = f32[] subtract(u, v)
}
swapped {
  u = f32[] parameter(0)
  v = f32[] parameter(1)
  ROOT w = f32[] subtract(v, u)
}
ENTRY main {
  x = f32[4] parameter(0)
  a = f32[4] map(x, x), dimensions={0}, to_apply=one
  b = f32[4] map(a, x), dimensions={0}, to_apply=two
  ROOT c = f32[4] map(b, x), dimensions={0}, to_apply=swapped
})");
  const ir::Instruction* c = module->entry()->root();
  const ir::Computation& swapped = *c->to_apply();
  const ir::Computation& two = *c->operand(0)->to_apply();
  const ir::Computation& one = *c->operand(0)->operand(0)->to_apply();
  EXPECT_TRUE(SameComputation(one, two));
  EXPECT_EQ(HashComputation(one), HashComputation(two));
  EXPECT_FALSE(SameComputation(one, swapped));
}

}  // namespace
}  // namespace swage::analysis
