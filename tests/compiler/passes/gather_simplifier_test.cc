#include "compiler/passes/gather_simplifier.h"

#include <gtest/gtest.h>

#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

// What JAX makes of x[i]. Special inputs have starts far out of range on both sides.
TEST(GatherSimplifier, OneWindowIsADynamicSlice) {
  ExpectPass(R"(HloModule m
ENTRY e {
  x = f32[9,n<=5] parameter(0)
  i = s32[1] parameter(1)
  ROOT r = f32[n] gather(x, i), offset_dims={0}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=0, slice_sizes={1,n}
})",
             GatherSimplifier(), R"(
    CHECK: = f32[1,n] dynamic-slice(x,
    CHECK-NEXT: ROOT {{.*}} = f32[n] reshape()");
}

TEST(GatherSimplifier, StartsMayBePermuted) {
  ExpectPass(R"(HloModule m
ENTRY e {
  x = f32[9,7,5] parameter(0)
  i = s8[1,2] parameter(1)
  ROOT r = f32[3,1,2] gather(x, i), offset_dims={0,2}, collapsed_slice_dims={1}, start_index_map={2,0}, index_vector_dim=1, slice_sizes={3,1,2}
})",
             GatherSimplifier(), R"(
    CHECK: = f32[3,1,2] dynamic-slice(x,
    CHECK-NOT: gather)");
}

TEST(GatherSimplifier, AnIndexWithoutAVectorDim) {
  ExpectPass(R"(HloModule m
ENTRY e {
  x = f32[9] parameter(0)
  i = u8[1] parameter(1)
  ROOT r = f32[1,4] gather(x, i), offset_dims={1}, collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=1, slice_sizes={4}
})",
             GatherSimplifier(), R"(
    CHECK: = f32[4] dynamic-slice(x,
    CHECK-NEXT: ROOT {{.*}} = f32[1,4] reshape()");
}

TEST(GatherSimplifier, WindowsOfEverythingAreABroadcast) {
  ExpectPass(R"(HloModule m
ENTRY e {
  x = f32[1,5] parameter(0)
  i = s32[7,1] parameter(1)
  ROOT r = f32[7,5] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,5}
})",
             GatherSimplifier(), R"(
    CHECK: = f32[5] reshape(x)
    CHECK-NEXT: ROOT {{.*}} = f32[7,5] broadcast({{.*}}), dimensions={1})");
}

TEST(GatherSimplifier, KeepsGathersOfManyWindows) {
  ExpectUnchanged(R"(HloModule m
ENTRY e {
  x = f32[9,5] parameter(0)
  i = s32[n<=7,1] parameter(1)
  ROOT r = f32[n,5] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,5}
})",
                  GatherSimplifier());
}

}  // namespace
}  // namespace swage::passes
