#include "compiler/passes/optimization_barrier_expander.h"

#include <gtest/gtest.h>

#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

TEST(OptimizationBarrierExpander, ABarrierBecomesItsOperand) {
  ExpectPass(R"(
HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  y = s32[] parameter(1)
  t = (f32[4], s32[]) tuple(x, y)
  b = (f32[4], s32[]) opt-barrier(t)
  e = f32[4] get-tuple-element(b), index=0
  ROOT r = f32[4] opt-barrier(e)
})",
             OptimizationBarrierExpander(), R"(
    CHECK-NOT: opt-barrier
    CHECK: ROOT e = f32[4] get-tuple-element(t), index=0)");
}

TEST(OptimizationBarrierExpander, LeavesOtherModules) {
  ExpectUnchanged("HloModule m\nENTRY main {\n  ROOT x = f32[4] parameter(0)\n}",
                  OptimizationBarrierExpander());
}

}  // namespace
}  // namespace swage::passes
