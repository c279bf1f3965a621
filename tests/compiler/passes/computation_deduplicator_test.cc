#include "compiler/passes/computation_deduplicator.h"

#include <gtest/gtest.h>

#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

TEST(ComputationDeduplicator, EqualCombinersBecomeOne) {
  ExpectPass(R"(
HloModule m
add.1 {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
add.2 {
  u = f32[] parameter(0)
  v = f32[] parameter(1)
  ROOT w = f32[] add(u, v)
}
ENTRY main {
  x = f32[4,8] parameter(0)
  zero = f32[] constant(0)
  a = f32[4] reduce(x, zero), dimensions={1}, to_apply=add.1
  b = f32[8] reduce(x, zero), dimensions={0}, to_apply=add.2
  ROOT r = (f32[4], f32[8]) tuple(a, b)
})",
             ComputationDeduplicator(), R"(
    CHECK-NOT: add.2
    CHECK: add.1 {
    CHECK: to_apply=add.1
    CHECK: to_apply=add.1)");
}

TEST(ComputationDeduplicator, CalleesMergeBeforeCallers) {
  ExpectPass(R"(
HloModule m
leaf.1 {
  p = f32[4] parameter(0)
  ROOT n = f32[4] negate(p)
}
leaf.2 {
  p = f32[4] parameter(0)
  ROOT n = f32[4] negate(p)
}
outer.1 {
  p = f32[4] parameter(0)
  ROOT c = f32[4] call(p), to_apply=leaf.1
}
outer.2 {
  p = f32[4] parameter(0)
  ROOT c = f32[4] call(p), to_apply=leaf.2
}
ENTRY main {
  x = f32[4] parameter(0)
  a = f32[4] call(x), to_apply=outer.1
  b = f32[4] call(a), to_apply=outer.2
  ROOT r = f32[4] abs(b)
})",
             ComputationDeduplicator(), R"(
    CHECK-NOT: leaf.2
    CHECK-NOT: outer.2
    CHECK: call(x), to_apply=outer.1
    CHECK: to_apply=outer.1)");
}

TEST(ComputationDeduplicator, DifferentOnesStay) {
  ExpectUnchanged(R"(
HloModule m
left {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] subtract(a, b)
}
right {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] subtract(b, a)
}
ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  a = f32[4] map(x, y), dimensions={0}, to_apply=left
  ROOT b = f32[4] map(a, y), dimensions={0}, to_apply=right
})",
                  ComputationDeduplicator());
}

TEST(ComputationDeduplicator, FusionsKeepTheirBodies) {
  ExpectUnchanged(R"(
HloModule m
fused.1 {
  p = f32[4] parameter(0)
  ROOT n = f32[4] negate(p)
}
fused.2 {
  p = f32[4] parameter(0)
  ROOT n = f32[4] negate(p)
}
ENTRY main {
  x = f32[4] parameter(0)
  a = f32[4] fusion(x), kind=kLoop, calls=fused.1
  ROOT b = f32[4] fusion(a), kind=kLoop, calls=fused.2
})",
                  ComputationDeduplicator());
}

}  // namespace
}  // namespace swage::passes
