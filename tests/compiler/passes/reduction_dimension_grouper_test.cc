#include "compiler/passes/reduction_dimension_grouper.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/compiler/passes/pass_test.h"
#include "tests/compiler/passes/reduce_module.h"

namespace swage::passes {
namespace {

TEST(ReductionDimensionGrouper, NeighboursBecomeOne) {
  ExpectPass(ReduceModule(R"(
  x = f32[3,5,7] parameter(0)
  v = f32[] constant(-inf)
  ROOT r = f32[3] reduce(x, v), dimensions={1,2}, to_apply=max)"),
             ReductionDimensionGrouper(), R"(
    CHECK: [[X:[a-z.0-9-]+]] = f32[3,35] reshape(x)
    CHECK-NEXT: ROOT {{.*}} = f32[3] reduce([[X]], v), dimensions={1})");
}

TEST(ReductionDimensionGrouper, GroupsApartStayApart) {
  ExpectPass(ReduceModule(R"(
  x = f32[2,3,4,5,6] parameter(0)
  v = f32[] constant(-inf)
  ROOT r = f32[4] reduce(x, v), dimensions={0,1,3,4}, to_apply=max)"),
             ReductionDimensionGrouper(), R"(
    CHECK: [[X:[a-z.0-9-]+]] = f32[6,4,30] reshape(x)
    CHECK-NEXT: ROOT {{.*}} = f32[4] reduce([[X]], v), dimensions={0,2})");
}

TEST(ReductionDimensionGrouper, OpenSizesAreMultiplied) {
  ExpectPass(ReduceModule(R"(
  x = f32[3,n<=9,7] parameter(0)
  v = f32[] constant(-inf)
  ROOT r = f32[3] reduce(x, v), dimensions={1,2}, to_apply=max)"),
             ReductionDimensionGrouper(), "CHECK: f32[3,7*n] reshape(x)");
}

TEST(ReductionDimensionGrouper, TheDimensionsOfASumAreItsTree) {
  ExpectUnchanged(ReduceModule(R"(
  x = f32[3,5,7] parameter(0)
  v = f32[] constant(0)
  ROOT r = f32[3] reduce(x, v), dimensions={1,2}, to_apply=add)"),
                  ReductionDimensionGrouper());
}

TEST(ReductionDimensionGrouper, RowsAndColumnsStayAsTheyAre) {
  ExpectUnchanged(ReduceModule(R"(
  x = f32[3,5,7] parameter(0)
  v = f32[] constant(-inf)
  ROOT r = f32[3,5] reduce(x, v), dimensions={2}, to_apply=max)"),
                  ReductionDimensionGrouper());
}

}  // namespace
}  // namespace swage::passes
