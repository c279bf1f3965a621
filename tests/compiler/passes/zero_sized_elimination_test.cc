#include "compiler/passes/zero_sized_elimination.h"

#include <gtest/gtest.h>

#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

TEST(ZeroSizedElimination, AnEmptyArrayBecomesAConstant) {
  ExpectPass(R"(
HloModule m
ENTRY main {
  x = f32[0,4] parameter(0)
  y = f32[2,4] parameter(1)
  a = f32[0,4] exponential(x)
  ROOT r = f32[2,4] concatenate(a, y), dimensions={0}
})",
             ZeroSizedElimination(), R"(
    CHECK-NOT: exponential
    CHECK: [[C:[a-z.0-9]+]] = f32[0,4] constant(
    CHECK: concatenate([[C]], y))");
}

TEST(ZeroSizedElimination, TheRootMayBeEmpty) {
  ExpectPass(R"(
HloModule m
ENTRY main {
  x = s32[3,0] parameter(0)
  ROOT r = s32[3,0] negate(x)
})",
             ZeroSizedElimination(), "CHECK: ROOT {{.*}} = s32[3,0] constant(");
}

TEST(ZeroSizedElimination, AnEmptyArrayWithASymbolBecomesABroadcast) {
  ExpectPass(R"(
HloModule m
ENTRY main {
  x = f32[seq<=512,0] parameter(0)
  ROOT r = f32[seq,0] negate(x)
})",
             ZeroSizedElimination(), "CHECK: broadcast(");
}

TEST(ZeroSizedElimination, LeavesWhatIsCanonicalOrHasElements) {
  ExpectUnchanged(R"(
HloModule m
ENTRY main {
  x = f32[0,4] parameter(0)
  c = f32[0,4] constant({})
  y = f32[seq<=8,4] parameter(1)
  n = f32[seq,4] negate(y)
  z = f32[] constant(0)
  e = f32[seq,0] broadcast(z), dimensions={}
  s = f32[0,4] custom-call(x), custom_call_target="print"
  ROOT r = (f32[0,4], f32[seq,4], f32[seq,0]) tuple(c, n, e)
})",
                  ZeroSizedElimination());
}

}  // namespace
}  // namespace swage::passes
