#include "compiler/passes/copy_insertion.h"

#include <gtest/gtest.h>

#include "compiler/analysis/buffer_assignment.h"
#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

TEST(CopyInsertion, FreshOutputsNeedNone) {
  ExpectUnchanged(R"(
HloModule m
ENTRY main {
  a = f32[4] parameter(0)
  n = f32[4] negate(a)
  e = f32[4] exponential(a)
  ROOT t = (f32[4], f32[4]) tuple(n, e)
})",
                  CopyInsertion());
}

TEST(CopyInsertion, ABitcastOfAFreshValueNeedsNone) {
  ExpectUnchanged(R"(
HloModule m
ENTRY main {
  a = f32[4] parameter(0)
  n = f32[4] negate(a)
  ROOT b = f32[2,2] bitcast(n)
})",
                  CopyInsertion());
}

TEST(CopyInsertion, AParameterThatIsAnOutputIsCopied) {
  ExpectPass(R"(
HloModule m
ENTRY main {
  ROOT a = f32[4] parameter(0)
})",
             CopyInsertion(), "CHECK: ROOT {{.*}} = f32[4] copy(a)");
}

TEST(CopyInsertion, ABitcastOfAParameterIsCopied) {
  ExpectPass(R"(
HloModule m
ENTRY main {
  a = f32[4] parameter(0)
  ROOT b = f32[2,2] bitcast(a)
})",
             CopyInsertion(), "CHECK: ROOT {{.*}} = f32[2,2] copy(b)");
}

TEST(CopyInsertion, AConstantIsCopied) {
  ExpectPass(R"(
HloModule m
ENTRY main {
  c = f32[] constant(2)
  ROOT t = (f32[]) tuple(c)
})",
             CopyInsertion(), "CHECK: copy(c)");
}

TEST(CopyInsertion, AValueThatIsThreeOutputsIsCopiedTwice) {
  ExpectPass(R"(
HloModule m
ENTRY main {
  a = f32[4] parameter(0)
  n = f32[4] negate(a)
  b = f32[2,2] bitcast(n)
  u = (f32[2,2], f32[4]) tuple(b, n)
  ROOT t = (f32[4], (f32[2,2], f32[4])) tuple(n, u)
})",
             CopyInsertion(), R"(
CHECK: copy(
CHECK: copy(
CHECK-NOT: copy()");
}

TEST(CopyInsertion, LeavesOfAParameterTupleAreCopied) {
  ExpectPass(R"(
HloModule m
ENTRY main {
  ROOT p = (f32[4], (s32[], f32[2])) parameter(0)
})",
             CopyInsertion(), R"(
CHECK-DAG: f32[4] copy(
CHECK-DAG: s32[] copy(
CHECK-DAG: f32[2] copy(
CHECK: ROOT {{.*}} = (f32[4], (s32[], f32[2])) tuple()");
}

TEST(CopyInsertion, OutputsOfCalledComputationsAreCopied) {
  ExpectPass(R"(
HloModule m
f {
  p = f32[4] parameter(0)
  q = f32[4] parameter(1)
  ROOT t = (f32[4], f32[4]) tuple(q, p)
}
ENTRY main {
  a = f32[4] parameter(0)
  b = f32[4] negate(a)
  ROOT c = (f32[4], f32[4]) call(a, b), to_apply=f
})",
             CopyInsertion(), R"(
CHECK-DAG: copy(q)
CHECK-DAG: copy(p)
CHECK: ROOT c = (f32[4], f32[4]) call(a, b))");
}

TEST(CopyInsertion, CombinersStayAsTheyAre) {
  ExpectUnchanged(R"(
HloModule m
first { x = f32[] parameter(0)
  ROOT y = f32[] parameter(1) }
ENTRY main {
  a = f32[4] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[] reduce(a, z), dimensions={0}, to_apply=first
})",
                  CopyInsertion());
}

TEST(CopyInsertion, BuffersCanBeAssignedAfterwards) {
  auto module = ParseForTest(R"(
HloModule m
ENTRY main {
  a = f32[4] parameter(0)
  c = f32[2] constant({1, 2})
  n = f32[4] negate(a)
  b = f32[2,2] bitcast(n)
  ROOT t = (f32[4], f32[2], f32[2], f32[2,2], f32[4]) tuple(a, c, c, b, n)
})");
  EXPECT_FALSE(analysis::AssignBuffers(*module->entry()).ok());
  CopyInsertion pass;
  EXPECT_TRUE(RunForTest(*module, pass));
  EXPECT_TRUE(analysis::AssignBuffers(*module->entry()).ok());
  EXPECT_FALSE(RunForTest(*module, pass));
}

}  // namespace
}  // namespace swage::passes
