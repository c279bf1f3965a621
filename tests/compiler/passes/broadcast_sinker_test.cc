#include "compiler/passes/broadcast_sinker.h"

#include <gtest/gtest.h>

#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

TEST(BroadcastSinker, ComputesBeforeTheBroadcast) {
  ExpectPass(R"(HloModule m
ENTRY e {
  x = f32[40] parameter(0)
  y = f32[40] parameter(1)
  a = f32[7,40] broadcast(x), dimensions={1}
  b = f32[7,40] broadcast(y), dimensions={1}
  s = f32[7,40] add(a, b)
  ROOT r = f32[7,40] exponential(s)
})",
             BroadcastSinker(), R"(
    CHECK: [[X:[a-z.0-9]+]] = f32[40] parameter(0)
    CHECK-NEXT: [[Y:[a-z.0-9]+]] = f32[40] parameter(1)
    CHECK-NEXT: [[S:[a-z.0-9]+]] = f32[40] add([[X]], [[Y]])
    CHECK-NEXT: [[E:[a-z.0-9]+]] = f32[40] exponential([[S]])
    CHECK-NEXT: ROOT {{.*}} = f32[7,40] broadcast([[E]]), dimensions={1})");
}

TEST(BroadcastSinker, ScalarsFitAnyBroadcast) {
  ExpectPass(R"(HloModule m
ENTRY e {
  x = s32[n<=9] parameter(0)
  low = s32[] constant(-2)
  c = s32[] constant(3)
  a = s32[7,n] broadcast(x), dimensions={1}
  b = s32[7,n] broadcast(c), dimensions={}
  q = pred[7,n] compare(b, a), direction=LT
  s = s32[7,n] select(q, a, b)
  ROOT r = s32[7,n] clamp(low, s, c)
})",
             BroadcastSinker(), R"(
    CHECK-NOT: s32[7,n]
    CHECK: compare(
    CHECK: s32[n] select(
    CHECK: s32[n] clamp(
    CHECK-NEXT: ROOT {{.*}} = s32[7,n] broadcast()");
}

TEST(BroadcastSinker, OnlyScalarsBecomeAScalar) {
  ExpectPass(R"(HloModule m
ENTRY e {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  a = f32[7,40] broadcast(x), dimensions={}
  b = f32[7,40] broadcast(y), dimensions={}
  ROOT r = f32[7,40] power(a, b)
})",
             BroadcastSinker(), R"(
    CHECK: = f32[] power(
    CHECK-NEXT: ROOT {{.*}} = f32[7,40] broadcast()");
}

TEST(BroadcastSinker, KeepsOpsOverDifferentBroadcasts) {
  ExpectUnchanged(R"(HloModule m
ENTRY e {
  x = f32[7] parameter(0)
  y = f32[7] parameter(1)
  z = f32[7,7] parameter(2)
  a = f32[7,7] broadcast(x), dimensions={0}
  b = f32[7,7] broadcast(y), dimensions={1}
  s = f32[7,7] add(a, b)
  t = f32[7,7] multiply(s, z)
  ROOT r = f32[7,7] multiply(t, a)
})",
                  BroadcastSinker());
}

}  // namespace
}  // namespace swage::passes
