#include "compiler/passes/transpose_folding.h"

#include <gtest/gtest.h>

#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

TEST(TransposeFolding, FoldsBothOperands) {
  ExpectPass(R"(HloModule m
ENTRY e {
  x = f32[8,m<=9] parameter(0)
  y = f32[5,8] parameter(1)
  a = f32[m,8] transpose(x), dimensions={1,0}
  b = f32[8,5] transpose(y), dimensions={1,0}
  ROOT r = f32[m,5] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})",
             TransposeFolding(), R"(
    CHECK-NOT: transpose
    CHECK: dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={1})");
}

TEST(TransposeFolding, FoldsTheHeadsOfAttention) {
  ExpectPass(R"(HloModule m
ENTRY e {
  q = f32[2,10,3,4] parameter(0)
  k = f32[2,12,3,4] parameter(1)
  a = f32[2,3,10,4] transpose(q), dimensions={0,2,1,3}
  b = f32[2,3,4,12] transpose(k), dimensions={0,2,3,1}
  ROOT r = f32[2,3,10,12] dot(a, b), lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_contracting_dims={2}
})",
             TransposeFolding(), R"(
    CHECK-NOT: transpose
    CHECK: dot(q, k), lhs_batch_dims={0,2}, lhs_contracting_dims={3}, rhs_batch_dims={0,2}, rhs_contracting_dims={3})");
}

TEST(TransposeFolding, SwapsOperandsUnderATranspose) {
  ExpectPass(R"(HloModule m
ENTRY e {
  x = f32[2,4,8] parameter(0)
  y = f32[2,8,5] parameter(1)
  d = f32[2,4,5] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
  ROOT r = f32[2,5,4] transpose(d), dimensions={0,2,1}
})",
             TransposeFolding(), R"(
    CHECK-NOT: transpose
    CHECK: ROOT {{.*}} = f32[2,5,4] dot(y, x))");
}

TEST(TransposeFolding, KeepsTransposesThatReorderTheResult) {
  ExpectUnchanged(R"(HloModule m
ENTRY e {
  x = f32[4,3,8] parameter(0)
  y = f32[8,5] parameter(1)
  a = f32[3,4,8] transpose(x), dimensions={1,0,2}
  d = f32[3,4,5] dot(a, y), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  ROOT r = f32[4,3,5] transpose(d), dimensions={1,0,2}
})",
                  TransposeFolding());
}

TEST(TransposeFolding, KeepsADotThatOthersUse) {
  ExpectUnchanged(R"(HloModule m
ENTRY e {
  x = f32[4,8] parameter(0)
  y = f32[8,5] parameter(1)
  d = f32[4,5] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[5,4] transpose(d), dimensions={1,0}
  ROOT r = (f32[4,5], f32[5,4]) tuple(d, t)
})",
                  TransposeFolding());
}

}  // namespace
}  // namespace swage::passes
