#include "compiler/passes/reshape_mover.h"

#include <gtest/gtest.h>

#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

TEST(ReshapeMover, SinksReshapesOfOneShape) {
  ExpectPass(R"(HloModule m
ENTRY e {
  x = f32[4,10] parameter(0)
  y = f32[4,10] parameter(1)
  c = f32[] constant(2)
  a = f32[40] reshape(x)
  b = f32[40] reshape(y)
  f = f32[40] broadcast(c), dimensions={}
  s = f32[40] add(a, b)
  ROOT r = f32[40] multiply(s, f)
})",
             ReshapeMover(), R"(
    CHECK: [[X:[a-z.0-9]+]] = f32[4,10] parameter(0)
    CHECK: f32[4,10] add([[X]],
    CHECK: [[M:[a-z.0-9]+]] = f32[4,10] multiply(
    CHECK-NEXT: ROOT {{.*}} = f32[40] reshape([[M]]))");
}

TEST(ReshapeMover, SinksTransposesOfOnePermutation) {
  ExpectPass(R"(HloModule m
ENTRY e {
  x = f32[4,n<=9] parameter(0)
  y = f32[4,n] parameter(1)
  a = f32[n,4] transpose(x), dimensions={1,0}
  b = f32[n,4] transpose(y), dimensions={1,0}
  ROOT r = pred[n,4] compare(a, b), direction=LT
})",
             ReshapeMover(), R"(
    CHECK: [[C:[a-z.0-9]+]] = pred[4,n] compare(
    CHECK-NEXT: ROOT {{.*}} = pred[n,4] transpose([[C]]), dimensions={1,0})");
}

TEST(ReshapeMover, KeepsRearrangementsThatDifferOrAreShared) {
  ExpectUnchanged(R"(HloModule m
ENTRY e {
  x = f32[4,4] parameter(0)
  y = f32[16] parameter(1)
  a = f32[4,4] transpose(x), dimensions={1,0}
  b = f32[4,4] reshape(y)
  s = f32[4,4] add(a, b)
  z = f32[2,8] parameter(2)
  c = f32[16] reshape(z)
  n = f32[16] negate(c)
  ROOT r = (f32[4,4], f32[16], f32[16]) tuple(s, n, c)
})",
                  ReshapeMover());
}

}  // namespace
}  // namespace swage::passes
