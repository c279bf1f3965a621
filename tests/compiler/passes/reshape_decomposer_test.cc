#include "compiler/passes/reshape_decomposer.h"

#include <gtest/gtest.h>

#include "tests/compiler/passes/late_pass_test.h"
#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

TEST(ReshapeDecomposer, AReshapeBecomesABitcast) {
  ExpectLatePass(R"(
HloModule m
ENTRY main {
  a = f32[2,6]{1,0} parameter(0)
  r = f32[3,4]{1,0} reshape(a)
  ROOT n = f32[3,4]{1,0} negate(r)
})",
                 ReshapeDecomposer(), R"(
CHECK: [[B:[a-z.0-9]+]] = f32[3,4]{1,0} bitcast(a)
CHECK: negate([[B]]))");
}

TEST(ReshapeDecomposer, AReshapeOfSymbolicDimsToo) {
  ExpectLatePass(R"(
HloModule m
ENTRY main {
  a = f32[n<=8,6]{1,0} parameter(0)
  r = f32[n,2,3]{2,1,0} reshape(a)
  ROOT e = f32[n,2,3]{2,1,0} negate(r)
})",
                 ReshapeDecomposer(), "CHECK: bitcast(a)");
}

TEST(ReshapeDecomposer, ATransposeThatMovesOnlyExtentsOfOne) {
  ExpectLatePass(R"(
HloModule m
ENTRY main {
  a = f32[1,5,1,7]{3,2,1,0} parameter(0)
  ROOT t = f32[5,1,7,1]{3,2,1,0} transpose(a), dimensions={1,0,3,2}
})",
                 ReshapeDecomposer(), "CHECK: ROOT {{.*}} = f32[5,1,7,1]{3,2,1,0} bitcast(a)");
}

TEST(ReshapeDecomposer, ATransposeThatMovesBytesStays) {
  ExpectLateUnchanged(R"(
HloModule m
ENTRY main {
  a = f32[1,5,7]{2,1,0} parameter(0)
  ROOT t = f32[7,1,5]{2,1,0} transpose(a), dimensions={2,0,1}
})",
                      ReshapeDecomposer());
}

TEST(ReshapeDecomposer, ChainsBecomeOneBitcastOrNone) {
  ExpectLatePass(R"(
HloModule m
ENTRY main {
  a = f32[2,6]{1,0} parameter(0)
  b = f32[12]{0} bitcast(a)
  c = f32[3,4]{1,0} reshape(b)
  d = f32[4,3]{1,0} bitcast(c)
  e = f32[2,6]{1,0} reshape(d)
  f = f32[2,6]{1,0} negate(e)
  g = f32[4,3]{1,0} negate(d)
  ROOT t = (f32[2,6]{1,0}, f32[4,3]{1,0}) tuple(f, g)
})",
                 ReshapeDecomposer(), R"(
CHECK-NOT: reshape
CHECK: f = f32[2,6]{1,0} negate(a)
CHECK: [[B:[a-z.0-9]+]] = f32[4,3]{1,0} bitcast(a)
CHECK-NOT: bitcast
CHECK: negate([[B]]))");
}

TEST(ReshapeDecomposer, WaitsForLayouts) {
  ExpectUnchanged(R"(
HloModule m
ENTRY main {
  a = f32[2,6] parameter(0)
  ROOT r = f32[3,4] reshape(a)
})",
                  ReshapeDecomposer());
}

TEST(ReshapeDecomposer, ALongChainIsLinear) {
  auto module = ParseLate("HloModule m\nENTRY main {\n ROOT a = f32[2,6]{1,0} parameter(0)\n}\n");
  ir::Computation* entry = module->entry();
  ir::Instruction* value = entry->root();
  const ir::Shape flat = ir::Shape::Array(ir::DType::kF32, {12}, ir::Layout::RowMajor(1));
  const ir::Shape square = value->shape();
  for (int i = 0; i < 100'000; ++i) {
    value = entry->Add(ir::Opcode::kReshape, i % 2 == 0 ? flat : square, {value});
  }
  entry->set_root(entry->Add(ir::Opcode::kNegate, square, {value}));
  ReshapeDecomposer pass;
  PassContext context;
  EXPECT_TRUE(pass.Run(*module, context).value());
  EXPECT_EQ(entry->instruction_count(), 2);
}

}  // namespace
}  // namespace swage::passes
