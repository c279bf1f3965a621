#include "compiler/passes/start_hoister.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/compiler/passes/late_pass_test.h"

namespace swage::passes {
namespace {

TEST(StartHoister, StartsOfUpdatesBecomeOperands) {
  ExpectLatePass(R"(
HloModule m
write { x = f32[9,4]{1,0} parameter(0)
  u = f32[1,4]{1,0} parameter(1)
  n = f32[1,4]{1,0} negate(u)
  row = s32[] constant(7)
  column = s32[] constant(0)
  ROOT d = f32[9,4]{1,0} dynamic-update-slice(x, n, row, column) }
ENTRY main {
  x = f32[9,4]{1,0} parameter(0)
  u = f32[1,4]{1,0} parameter(1)
  ROOT r = f32[9,4]{1,0} fusion(x, u), kind=kLoop, calls=write
})",
                 StartHoister(), R"(
CHECK-NOT: constant(7)
CHECK: [[P:[a-z.0-9_]+]] = s32[] parameter(2)
CHECK: dynamic-update-slice(x, n, [[P]], column)
CHECK: ENTRY
CHECK: [[C:[a-z.0-9_]+]] = s32[] constant(7)
CHECK: fusion({{.*}}, [[C]]), kind=kLoop)");
}

TEST(StartHoister, OtherStartsCountFromTheFirst) {
  ExpectLatePass(R"(
HloModule m
write { x = f32[9]{0} parameter(0)
  u = f32[2]{0} parameter(1)
  a = s32[] constant(5)
  b = s32[] constant(3)
  v = f32[9]{0} dynamic-update-slice(x, u, a)
  w = f32[9]{0} dynamic-update-slice(v, u, b)
  ROOT d = f32[9]{0} dynamic-update-slice(w, u, a) }
ENTRY main {
  x = f32[9]{0} parameter(0)
  u = f32[2]{0} parameter(1)
  ROOT r = f32[9]{0} fusion(x, u), kind=kLoop, calls=write
})",
                 StartHoister(), R"(
CHECK-DAG: [[P:[a-z.0-9_]+]] = s32[] parameter(2)
CHECK-DAG: v = f32[9]{0} dynamic-update-slice(x, u, [[P]])
CHECK-DAG: [[D:[a-z.0-9_]+]] = s32[] constant(-2)
CHECK-DAG: [[S:[a-z.0-9_]+]] = s32[] add([[P]], [[D]])
CHECK-DAG: w = f32[9]{0} dynamic-update-slice(v, u, [[S]])
CHECK-DAG: dynamic-update-slice(w, u, [[P]])
CHECK: ENTRY
CHECK: [[C:[a-z.0-9_]+]] = s32[] constant(5)
CHECK: fusion({{.*}}, [[C]]), kind=kLoop)");
}

// Every dimension has an operand, though their starts are equal here.
TEST(StartHoister, ANumberIsOneConstantForAllKernels) {
  ExpectLatePass(R"(
HloModule m
take { x = f32[9,9]{1,0} parameter(0)
  at = s32[] constant(3)
  ROOT d = f32[2,2]{1,0} dynamic-slice(x, at, at), dynamic_slice_sizes={2,2} }
write { x = f32[9,9]{1,0} parameter(0)
  u = f32[2,2]{1,0} parameter(1)
  at = s32[] constant(3)
  ROOT d = f32[9,9]{1,0} dynamic-update-slice(x, u, at, at) }
ENTRY main {
  x = f32[9,9]{1,0} parameter(0)
  t = f32[2,2]{1,0} fusion(x), kind=kLoop, calls=take
  ROOT r = f32[9,9]{1,0} fusion(x, t), kind=kLoop, calls=write
})",
                 StartHoister(), R"(
CHECK: [[P:[a-z.0-9_]+]] = s32[] parameter(1)
CHECK: [[Q:[a-z.0-9_]+]] = s32[] parameter(2)
CHECK: dynamic-slice(x, [[P]], [[Q]])
CHECK: [[R:[a-z.0-9_]+]] = s32[] parameter(2)
CHECK: [[S:[a-z.0-9_]+]] = s32[] parameter(3)
CHECK: dynamic-update-slice({{.*}}, u, [[R]], [[S]])
CHECK: ENTRY
CHECK: [[C:[a-z.0-9_]+]] = s32[] constant(3)
CHECK-NOT: constant(3)
CHECK: fusion({{.*}}, [[C]], [[C]]), kind=kLoop, calls=take
CHECK: fusion({{.*}}, t, [[C]], [[C]]), kind=kLoop, calls=write)");
}

TEST(StartHoister, AConstantThatIsReadOtherwiseStaysToo) {
  ExpectLatePass(R"(
HloModule m
write { x = s32[9]{0} parameter(0)
  at = s32[] constant(5)
  u = s32[1]{0} broadcast(at), dimensions={}
  ROOT d = s32[9]{0} dynamic-update-slice(x, u, at) }
ENTRY main {
  x = s32[9]{0} parameter(0)
  ROOT r = s32[9]{0} fusion(x), kind=kLoop, calls=write
})",
                 StartHoister(), R"(
CHECK: broadcast(at)
CHECK: [[P:[a-z.0-9_]+]] = s32[] parameter(1)
CHECK: dynamic-update-slice(x, u, [[P]]))");
}

TEST(StartHoister, ZerosRunTimeStartsAndFullKernelsAreLeftAlone) {
  ExpectLateUnchanged(R"(
HloModule m
write { x = f32[9]{0} parameter(0)
  u = f32[2]{0} parameter(1)
  i = s32[] parameter(2)
  z = s32[] constant(0)
  v = f32[9]{0} dynamic-update-slice(x, u, z)
  ROOT d = f32[9]{0} dynamic-update-slice(v, u, i) }
ENTRY main {
  x = f32[9]{0} parameter(0)
  u = f32[2]{0} parameter(1)
  i = s32[] parameter(2)
  ROOT r = f32[9]{0} fusion(x, u, i), kind=kLoop, calls=write
})",
                      StartHoister());
  std::string inside, outside, operands, sum = "p0";
  for (int i = 0; i < 95; ++i) {
    absl::StrAppend(&inside, "  p", i, " = f32[1]{0} parameter(", i, ")\n");
    absl::StrAppend(&outside, "  q", i, " = f32[1]{0} parameter(", i, ")\n");
    absl::StrAppend(&operands, i > 0 ? ", q" : "q", i);
    if (i == 0) continue;
    absl::StrAppend(&inside, "  s", i, " = f32[1]{0} add(", sum, ", p", i, ")\n");
    sum = absl::StrCat("s", i);
  }
  ExpectLateUnchanged(
      absl::StrCat("HloModule m\nf {\n", inside, "  z = f32[] constant(0)\n",
                   "  x = f32[4]{0} broadcast(z), dimensions={}\n  at = s32[] constant(2)\n",
                   "  ROOT r = f32[4]{0} dynamic-update-slice(x, ", sum, ", at)\n}\nENTRY e {\n",
                   outside, "  ROOT r = f32[4]{0} fusion(", operands, "), kind=kLoop, calls=f\n}"),
      StartHoister());
}

}  // namespace
}  // namespace swage::passes
