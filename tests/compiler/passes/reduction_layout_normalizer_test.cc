#include "compiler/passes/reduction_layout_normalizer.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/compiler/passes/pass_test.h"
#include "tests/compiler/passes/reduce_module.h"

namespace swage::passes {
namespace {

TEST(ReductionLayoutNormalizer, AMaximumReadsAnyOrder) {
  ExpectPass(ReduceModule(R"(
  x = f32[300,500] parameter(0)
  t = f32[500,300] transpose(x), dimensions={1,0}
  v = f32[] constant(-inf)
  ROOT r = f32[300] reduce(t, v), dimensions={0}, to_apply=max)"),
             ReductionLayoutNormalizer(), R"(
    CHECK-NOT: transpose
    CHECK: ROOT {{.*}} = f32[300] reduce(x, v), dimensions={1})");
}

TEST(ReductionLayoutNormalizer, TheResultIsPermutedInstead) {
  ExpectPass(ReduceModule(R"(
  x = f32[3,4,500] parameter(0)
  t = f32[4,3,500] transpose(x), dimensions={1,0,2}
  v = f32[] constant(0)
  ROOT r = f32[4,3] reduce(t, v), dimensions={2}, to_apply=add)"),
             ReductionLayoutNormalizer(), R"(
    CHECK: [[R:[a-z.0-9-]+]] = f32[3,4] reduce(x, v), dimensions={2}
    CHECK-NEXT: ROOT {{.*}} = f32[4,3] transpose([[R]]), dimensions={1,0})");
}

// 500 minor elements are another tree than 500 others, and so is another order of dimensions.
TEST(ReductionLayoutNormalizer, KeepsTheTreeOfASum) {
  for (std::string_view body : {R"(
  x = f32[300,500] parameter(0)
  t = f32[500,300] transpose(x), dimensions={1,0}
  v = f32[] constant(0)
  ROOT r = f32[300] reduce(t, v), dimensions={0}, to_apply=add)",
                                R"(
  x = f32[30,20,5] parameter(0)
  t = f32[20,30,5] transpose(x), dimensions={1,0,2}
  v = f32[] constant(0)
  ROOT r = f32[5] reduce(t, v), dimensions={0,1}, to_apply=add)"}) {
    ExpectUnchanged(ReduceModule(body), ReductionLayoutNormalizer());
  }
}

TEST(ReductionLayoutNormalizer, AShortSumHasOneTree) {
  ExpectPass(ReduceModule(R"(
  x = f32[300,8] parameter(0)
  t = f32[8,300] transpose(x), dimensions={1,0}
  v = f32[] constant(0)
  ROOT r = f32[300] reduce(t, v), dimensions={0}, to_apply=add)"),
             ReductionLayoutNormalizer(), "CHECK: reduce(x, v), dimensions={1}");
}

TEST(ReductionLayoutNormalizer, OpenSizes) {
  ExpectPass(ReduceModule(R"(
  x = f32[n<=300,m<=500] parameter(0)
  t = f32[m,n] transpose(x), dimensions={1,0}
  v = f32[] constant(-inf)
  ROOT r = f32[n] reduce(t, v), dimensions={0}, to_apply=max)"),
             ReductionLayoutNormalizer(), "CHECK: reduce(x, v), dimensions={1}");
}

}  // namespace
}  // namespace swage::passes
