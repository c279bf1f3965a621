#include "compiler/passes/dot_decomposer.h"

#include <gtest/gtest.h>

#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

TEST(DotDecomposer, MergesRowsAndColumns) {
  ExpectPass(R"(HloModule m
ENTRY e {
  x = f32[2,8,6] parameter(0)
  w = f32[6,3,5] parameter(1)
  ROOT r = f32[2,8,3,5] dot(x, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}
})",
             DotDecomposer(), R"(
    CHECK-DAG: [[X:[a-z.0-9-]+]] = f32[16,6] reshape(x)
    CHECK-DAG: [[W:[a-z.0-9-]+]] = f32[6,15] reshape(w)
    CHECK: [[D:[a-z.0-9-]+]] = f32[16,15] dot([[X]], [[W]]), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    CHECK-NEXT: ROOT {{.*}} = f32[2,8,3,5] reshape([[D]]))");
}

TEST(DotDecomposer, MergesBatchAndContractingDims) {
  ExpectPass(R"(HloModule m
ENTRY e {
  x = f32[2,3,4,5,6] parameter(0)
  w = f32[2,3,5,6,7] parameter(1)
  ROOT r = f32[2,3,4,7] dot(x, w), lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, lhs_contracting_dims={4,3}, rhs_contracting_dims={3,2}
})",
             DotDecomposer(), R"(
    CHECK-DAG: [[X:[a-z.0-9-]+]] = f32[6,4,30] reshape(x)
    CHECK-DAG: [[W:[a-z.0-9-]+]] = f32[6,30,7] reshape(w)
    CHECK: f32[6,4,7] dot([[X]], [[W]]), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1})");
}

TEST(DotDecomposer, DropsUnits) {
  ExpectPass(R"(HloModule m
ENTRY e {
  x = f32[1,n<=9,1,6] parameter(0)
  w = f32[6,1] parameter(1)
  ROOT r = f32[1,n,1,1] dot(x, w), lhs_contracting_dims={3}, rhs_contracting_dims={0}
})",
             DotDecomposer(), R"(
    CHECK-DAG: [[X:[a-z.0-9-]+]] = f32[n,6] reshape(x)
    CHECK-DAG: [[W:[a-z.0-9-]+]] = f32[6] reshape(w)
    CHECK: f32[n] dot([[X]], [[W]]), lhs_contracting_dims={1}, rhs_contracting_dims={0})");
}

TEST(DotDecomposer, MergesSymbols) {
  ExpectPass(R"(HloModule m
ENTRY e {
  x = f32[b<=4,s<=9,6] parameter(0)
  w = f32[6,5] parameter(1)
  ROOT r = f32[b,s,5] dot(x, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}
})",
             DotDecomposer(), R"(
    CHECK: = f32[b*s,6] reshape(x)
    CHECK: = f32[b*s,5] dot(
    CHECK-NEXT: ROOT {{.*}} = f32[b,s,5] reshape()");
}

// Heads that lie apart are read in place.
TEST(DotDecomposer, MovesNoData) {
  ExpectUnchanged(R"(HloModule m
ENTRY e {
  q = f32[2,10,3,4] parameter(0)
  k = f32[2,12,3,4] parameter(1)
  ROOT r = f32[2,3,10,12] dot(q, k), lhs_batch_dims={0,2}, rhs_batch_dims={0,2}, lhs_contracting_dims={3}, rhs_contracting_dims={3}
})",
                  DotDecomposer());
  ExpectUnchanged(R"(HloModule m
ENTRY e {
  q = f32[4,10] parameter(0)
  k = f32[12,4] parameter(1)
  ROOT r = f32[10,12] dot(q, k), lhs_contracting_dims={0}, rhs_contracting_dims={1}
})",
                  DotDecomposer());
}

}  // namespace
}  // namespace swage::passes
