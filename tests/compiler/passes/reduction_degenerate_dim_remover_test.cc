#include "compiler/passes/reduction_degenerate_dim_remover.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/compiler/passes/pass_test.h"
#include "tests/compiler/passes/reduce_module.h"

namespace swage::passes {
namespace {

TEST(ReductionDegenerateDimRemover, RemovesUnits) {
  ExpectPass(ReduceModule(R"(
  x = f32[1,5,1,700] parameter(0)
  v = f32[] constant(0)
  ROOT r = f32[1,5] reduce(x, v), dimensions={2,3}, to_apply=add)"),
             ReductionDegenerateDimRemover(), R"(
    CHECK: [[X:[a-z.0-9-]+]] = f32[5,700] reshape(x)
    CHECK: [[R:[a-z.0-9-]+]] = f32[5] reduce([[X]], v), dimensions={1}
    CHECK-NEXT: ROOT {{.*}} = f32[1,5] reshape([[R]]))");
}

// The sum of 700 non-minor elements is another tree than of 700 minor ones.
TEST(ReductionDegenerateDimRemover, KeepsTheTree) {
  ExpectUnchanged(ReduceModule(R"(
  x = f32[5,700,1] parameter(0)
  v = f32[] constant(0)
  ROOT r = f32[5,1] reduce(x, v), dimensions={1}, to_apply=add)"),
                  ReductionDegenerateDimRemover());
  ExpectUnchanged(ReduceModule(R"(
  x = f32[5,n<=9,1] parameter(0)
  v = f32[] constant(0)
  ROOT r = f32[5,1] reduce(x, v), dimensions={1}, to_apply=add)"),
                  ReductionDegenerateDimRemover());
}

TEST(ReductionDegenerateDimRemover, RemovesTheMinorUnitWhereTheTreeIsTheSame) {
  for (std::string_view body : {"x = f32[5,8,1] parameter(0)\n v = f32[] constant(0)\n"
                                "ROOT r = f32[5,1] reduce(x, v), dimensions={1}, to_apply=add",
                                "x = f32[5,700,1] parameter(0)\n v = f32[] constant(-inf)\n"
                                "ROOT r = f32[5] reduce(x, v), dimensions={1,2}, to_apply=max",
                                "x = f32[700,5,1] parameter(0)\n v = f32[] constant(0)\n"
                                "ROOT r = f32[5,1] reduce(x, v), dimensions={0}, to_apply=add"}) {
    ExpectPass(ReduceModule(body), ReductionDegenerateDimRemover(), "CHECK: reshape(x)");
  }
}

}  // namespace
}  // namespace swage::passes
