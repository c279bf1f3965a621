#include "compiler/passes/map_inliner.h"

#include <gtest/gtest.h>

#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

TEST(MapInliner, TheBodyRunsOnWholeArrays) {
  ExpectPass(R"(
HloModule m
body {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  two = f32[] constant(2)
  s = f32[] multiply(a, two)
  less = pred[] compare(s, b), direction=LT
  ROOT r = f32[] select(less, s, b)
}
ENTRY main {
  x = f32[3,4] parameter(0)
  y = f32[3,4] parameter(1)
  ROOT m = f32[3,4] map(x, y), dimensions={0,1}, to_apply=body
})",
             MapInliner(), R"(
    CHECK: ENTRY
    CHECK: [[C:[a-z.0-9]+]] = f32[] constant(2)
    CHECK: [[W:[a-z.0-9]+]] = f32[3,4] broadcast([[C]]), dimensions={}
    CHECK: [[S:[a-z.0-9]+]] = f32[3,4] multiply(x, [[W]])
    CHECK: [[L:[a-z.0-9]+]] = pred[3,4] compare([[S]], y), direction=LT
    CHECK: ROOT {{.*}} = f32[3,4] select([[L]], [[S]], y)
    CHECK-NOT: map()");
}

TEST(MapInliner, AMapOfItsParameterIsTheOperand) {
  ExpectPass(R"(
HloModule m
body {
  a = f32[] parameter(0)
  ROOT b = f32[] parameter(1)
}
ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  m = f32[4] map(x, y), dimensions={0}, to_apply=body
  ROOT r = f32[4] negate(m)
})",
             MapInliner(), "CHECK: negate(y)");
}

TEST(MapInliner, TheBodyMayChangeTheDtype) {
  ExpectPass(R"(
HloModule m
body {
  a = f32[] parameter(0)
  ROOT c = s8[] convert(a)
}
ENTRY main {
  x = f32[n<=9] parameter(0)
  ROOT m = s8[n] map(x), dimensions={0}, to_apply=body
})",
             MapInliner(), "CHECK: ROOT {{.*}} = s8[n] convert(x)");
}

TEST(MapInliner, MapsInMapsAreInlined) {
  ExpectPass(R"(
HloModule m
inner {
  a = f32[] parameter(0)
  ROOT n = f32[] negate(a)
}
outer {
  a = f32[] parameter(0)
  n = f32[] map(a), dimensions={}, to_apply=inner
  ROOT e = f32[] exponential(n)
}
ENTRY main {
  x = f32[4] parameter(0)
  ROOT m = f32[4] map(x), dimensions={0}, to_apply=outer
})",
             MapInliner(), R"(
    CHECK: ENTRY
    CHECK: [[N:[a-z.0-9]+]] = f32[4] negate(x)
    CHECK: ROOT {{.*}} = f32[4] exponential([[N]]))");
}

TEST(MapInliner, ABodyThatIsNotElementwiseStays) {
  ExpectUnchanged(R"(
HloModule m
body {
  a = f32[] parameter(0)
  ROOT c = f32[] custom-call(a), custom_call_target="f"
}
ENTRY main {
  x = f32[4] parameter(0)
  ROOT m = f32[4] map(x), dimensions={0}, to_apply=body
})",
                  MapInliner());
}

}  // namespace
}  // namespace swage::passes
