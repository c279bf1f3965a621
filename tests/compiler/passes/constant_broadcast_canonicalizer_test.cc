#include "compiler/passes/constant_broadcast_canonicalizer.h"

#include <gtest/gtest.h>

#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

TEST(ConstantBroadcastCanonicalizer, EqualElementsAreABroadcast) {
  ExpectPass(R"(HloModule m
ENTRY e {
  ROOT c = f32[2,2] constant({ {-0.0, -0.0}, {-0.0, -0.0} })
})",
             ConstantBroadcastCanonicalizer(), R"(
    CHECK: [[C:[a-z.0-9-]+]] = f32[] constant(-0)
    CHECK-NEXT: ROOT {{.*}} = f32[2,2] broadcast([[C]]), dimensions={})");
}

TEST(ConstantBroadcastCanonicalizer, CountingElementsAreAnIota) {
  ExpectPass(R"(HloModule m
ENTRY e {
  a = s32[9] constant({0, 1, 2, 3, 4, 5, 6, 7, 8})
  b = f32[2,8] constant({ {0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7} })
  ROOT r = (s32[9], f32[2,8]) tuple(a, b)
})",
             ConstantBroadcastCanonicalizer(), R"(
    CHECK-DAG: s32[9] iota(), iota_dimension=0
    CHECK-DAG: f32[2,8] iota(), iota_dimension=1)");
}

TEST(ConstantBroadcastCanonicalizer, KeepsOtherConstants) {
  ExpectUnchanged(R"(HloModule m
ENTRY e {
  a = f32[2] constant({0.0, -0.0})
  b = f32[1,1] constant({ {3} })
  c = f32[0] constant({})
  d = f32[] constant(2)
  f = f32[8] constant({-0.0, 1, 2, 3, 4, 5, 6, 7})
  g = s32[8] constant({0, 1, 2, 3, 4, 5, 6, 8})
  ROOT r = (f32[2], f32[1,1], f32[0], f32[], f32[8], s32[8]) tuple(a, b, c, d, f, g)
})",
                  ConstantBroadcastCanonicalizer());
}

}  // namespace
}  // namespace swage::passes
