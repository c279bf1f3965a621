#include "compiler/passes/layout_assignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/ir/verifier.h"
#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

TEST(LayoutAssignment, EveryArrayBecomesRowMajor) {
  ExpectPass(R"(
HloModule m
add { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y) }
f { p = (f32[2,3], s32[4]) parameter(0)
  ROOT g = f32[2,3] get-tuple-element(p), index=0 }
ENTRY main {
  a = f32[2,3] parameter(0)
  i = s32[4] iota(), iota_dimension=0
  t = (f32[2,3], s32[4]) tuple(a, i)
  c = f32[2,3] call(t), to_apply=f
  z = f32[] constant(0)
  ROOT r = f32[2] reduce(c, z), dimensions={1}, to_apply=add
})",
             LayoutAssignment(), R"(
CHECK: p = (f32[2,3]{1,0}, s32[4]{0}) parameter(0)
CHECK: a = f32[2,3]{1,0} parameter(0)
CHECK: t = (f32[2,3]{1,0}, s32[4]{0}) tuple
CHECK: z = f32[] constant(0)
CHECK: r = f32[2]{0} reduce)");
}

TEST(LayoutAssignment, AParameterInAnotherLayoutIsCopied) {
  ExpectPass(R"(
HloModule m, entry_computation_layout={(f32[2,3]{0,1}, f32[2,3])->f32[2,3]{1,0}}
ENTRY main {
  a = f32[2,3] parameter(0)
  b = f32[2,3] parameter(1)
  ROOT s = f32[2,3] add(a, b)
})",
             LayoutAssignment(), R"(
CHECK: entry_computation_layout={(f32[2,3]{0,1}, f32[2,3]{1,0})->f32[2,3]{1,0}}
CHECK: [[A:[a-z.0-9]+]] = f32[2,3]{0,1} parameter(0)
CHECK: [[C:[a-z.0-9]+]] = f32[2,3]{1,0} copy([[A]])
CHECK: add([[C]], b))");
}

TEST(LayoutAssignment, AResultInAnotherLayoutIsCopied) {
  ExpectPass(R"(
HloModule m, entry_computation_layout={(f32[2,3]{1,0})->f32[2,3]{0,1}}
ENTRY main {
  a = f32[2,3] parameter(0)
  ROOT s = f32[2,3] negate(a)
})",
             LayoutAssignment(), R"(
CHECK: s = f32[2,3]{1,0} negate
CHECK: ROOT {{.*}} = f32[2,3]{0,1} copy(s))");
}

TEST(LayoutAssignment, LeavesOfTuplesAreCopied) {
  ExpectPass(R"(
HloModule m, entry_computation_layout={((f32[2,3]{0,1}, f32[4]{0}))->(f32[4]{0}, (f32[2,3]{0,1}, f32[4]{0}))}
ENTRY main {
  p = (f32[2,3], f32[4]) parameter(0)
  b = f32[4] get-tuple-element(p), index=1
  ROOT t = (f32[4], (f32[2,3], f32[4])) tuple(b, p)
})",
             LayoutAssignment(), R"(
CHECK: p = (f32[2,3]{0,1}, f32[4]{0}) parameter(0)
CHECK: [[E:[a-z.0-9-]+]] = f32[2,3]{0,1} get-tuple-element(p), index=0
CHECK: [[R:[a-z.0-9]+]] = f32[2,3]{1,0} copy([[E]])
CHECK: f32[2,3]{0,1} copy([[R]])
CHECK: ROOT {{.*}} = (f32[4]{0}, (f32[2,3]{0,1}, f32[4]{0})) tuple()");
}

TEST(LayoutAssignment, AParameterThatIsTheResultKeepsTheEntrysLayouts) {
  ExpectPass(R"(
HloModule m, entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]{1,0}}
ENTRY main {
  ROOT a = f32[2,3] parameter(0)
})",
             LayoutAssignment(), R"(
CHECK: a = f32[2,3]{0,1} parameter(0)
CHECK: ROOT {{.*}} = f32[2,3]{1,0} copy(a))");
}

TEST(LayoutAssignment, TheModuleIsInThePhaseAfterLayouts) {
  auto module = ParseForTest("HloModule m\nENTRY main {\n ROOT a = f32[4] parameter(0)\n}\n");
  LayoutAssignment pass;
  PassContext context;
  EXPECT_TRUE(pass.Run(*module, context).value());
  EXPECT_TRUE(module->has_layouts());
  EXPECT_TRUE(ir::Verify(*module, {.layouts = ir::LayoutPhase::kAfter}).ok());
  EXPECT_FALSE(pass.Run(*module, context).value());
}

TEST(LayoutAssignment, LayoutsThatAreThereBeforeAreOurError) {
  auto module = ParseForTest("HloModule m\nENTRY main {\n ROOT a = f32[4]{0} parameter(0)\n}\n");
  LayoutAssignment pass;
  PassContext context;
  const auto changed = pass.Run(*module, context);
  EXPECT_EQ(changed.status().code(), absl::StatusCode::kInternal);
}

TEST(LayoutAssignment, TilesAreUnimplemented) {
  auto module = ParseForTest(R"(
HloModule m, entry_computation_layout={(f32[8,128]{1,0:T(8,128)})->f32[8,128]{1,0}}
ENTRY main {
  a = f32[8,128] parameter(0)
  ROOT n = f32[8,128] negate(a)
})");
  LayoutAssignment pass;
  PassContext context;
  const auto changed = pass.Run(*module, context);
  EXPECT_EQ(changed.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(changed.status().message()), testing::HasSubstr("T(8,128)"));
}

}  // namespace
}  // namespace swage::passes
