#include "compiler/passes/fusion_wrapper.h"

#include <gtest/gtest.h>

#include "tests/compiler/passes/late_pass_test.h"
#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

TEST(FusionWrapper, EveryKernelBecomesAFusion) {
  ExpectLatePass(R"(
HloModule m
add { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y) }
ENTRY main {
  a = f32[4,4]{1,0} parameter(0)
  n = f32[4,4]{1,0} negate(a)
  d = f32[4,4]{1,0} dot(n, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  z = f32[] constant(0)
  ROOT r = f32[4]{0} reduce(d, z), dimensions={1}, to_apply=add
})",
                 FusionWrapper(), R"(
CHECK-DAG: f32[4,4]{1,0} negate(
CHECK-DAG: f32[4,4]{1,0} dot(
CHECK-DAG: f32[4]{0} reduce(
CHECK: ENTRY
CHECK-NOT: constant
CHECK: f32[4,4]{1,0} fusion(a), kind=kLoop
CHECK: f32[4,4]{1,0} fusion({{.*}}), kind=kOutput
CHECK: ROOT {{.*}} = f32[4]{0} fusion({{.*}}), kind=kInput)");
}

TEST(FusionWrapper, WhatRunsNoKernelStays) {
  ExpectLateUnchanged(R"(
HloModule m
f { p = f32[4]{0} parameter(0)
  ROOT c = f32[4]{0} copy(p) }
ENTRY main {
  a = f32[4]{0} parameter(0)
  b = f32[2,2]{1,0} bitcast(a)
  c = f32[2]{0} constant({1, 2})
  d = f32[2,2]{1,0} copy(b)
  e = f32[4]{0} call(a), to_apply=f
  t = (f32[4]{0}, f32[2]{0}) tuple(e, c)
  g = f32[4]{0} get-tuple-element(t), index=0
  ROOT r = (f32[2,2]{1,0}, f32[4]{0}, f32[2]{0}) tuple(d, g, c)
})",
                      FusionWrapper());
}

TEST(FusionWrapper, CalledComputationsAreWrappedCombinersAreNot) {
  ExpectLatePass(R"(
HloModule m
max { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] maximum(x, y) }
f { p = f32[4]{0} parameter(0)
  ROOT n = f32[4]{0} negate(p) }
ENTRY main {
  a = f32[4]{0} parameter(0)
  e = f32[4]{0} call(a), to_apply=f
  z = f32[] constant(0)
  ROOT r = f32[] reduce(e, z), dimensions={0}, to_apply=max
})",
                 FusionWrapper(), R"(
CHECK: ROOT s = f32[] maximum
CHECK: ROOT {{.*}} = f32[4]{0} fusion(p)
CHECK: call(a))");
}

TEST(FusionWrapper, AReduceOfPairsKeepsItsTuple) {
  ExpectLatePass(R"(
HloModule m
both { a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  x = f32[] add(a, c)
  y = f32[] maximum(b, d)
  ROOT t = (f32[], f32[]) tuple(x, y) }
ENTRY main {
  a = f32[4]{0} parameter(0)
  z = f32[] constant(0)
  r = (f32[], f32[]) reduce(a, a, z, z), dimensions={0}, to_apply=both
  ROOT g = f32[] get-tuple-element(r), index=1
})",
                 FusionWrapper(), R"(
CHECK: [[F:[a-z.0-9_]+]] = (f32[], f32[]) fusion({{.*}}), kind=kInput
CHECK: get-tuple-element([[F]]), index=1)");
}

}  // namespace
}  // namespace swage::passes
