#include "compiler/passes/tuple_simplifier.h"

#include <gtest/gtest.h>

#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

TEST(TupleSimplifier, AnElementOfATupleIsTheOperand) {
  ExpectPass(R"(
HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  y = s32[] parameter(1)
  inner = (s32[], f32[4]) tuple(y, x)
  outer = ((s32[], f32[4]), f32[4]) tuple(inner, x)
  i = (s32[], f32[4]) get-tuple-element(outer), index=0
  e = f32[4] get-tuple-element(i), index=1
  ROOT r = f32[4] negate(e)
})",
             TupleSimplifier(), R"(
    CHECK-NOT: get-tuple-element
    CHECK: negate(x))");
}

TEST(TupleSimplifier, ATupleOfAllElementsIsTheTuple) {
  ExpectPass(R"(
HloModule m
ENTRY main {
  t = (f32[4], s32[]) parameter(0)
  a = f32[4] get-tuple-element(t), index=0
  b = s32[] get-tuple-element(t), index=1
  ROOT r = (f32[4], s32[]) tuple(a, b)
})",
             TupleSimplifier(), "CHECK: ROOT t = (f32[4], s32[]) parameter(0)");
}

TEST(TupleSimplifier, OtherTuplesStay) {
  ExpectUnchanged(R"(
HloModule m
ENTRY main {
  t = (f32[4], f32[4], s32[]) parameter(0)
  a = f32[4] get-tuple-element(t), index=0
  b = f32[4] get-tuple-element(t), index=1
  part = (f32[4], f32[4]) tuple(a, b)
  swapped = (f32[4], f32[4]) tuple(b, a)
  nothing = () tuple()
  ROOT r = ((f32[4], f32[4]), (f32[4], f32[4]), ()) tuple(part, swapped, nothing)
})",
                  TupleSimplifier());
}

TEST(TupleSimplifier, NestedTuplesUnwindInOneRun) {
  ExpectPass(R"(
HloModule m
ENTRY main {
  t = (f32[4], s32[]) parameter(0)
  a = f32[4] get-tuple-element(t), index=0
  b = s32[] get-tuple-element(t), index=1
  u = (f32[4], s32[]) tuple(a, b)
  c = f32[4] get-tuple-element(u), index=0
  d = s32[] get-tuple-element(u), index=1
  v = (f32[4], s32[]) tuple(c, d)
  e = f32[4] get-tuple-element(v), index=0
  ROOT r = f32[4] negate(e)
})",
             TupleSimplifier(), R"(
    CHECK-NOT: tuple(
    CHECK: e = f32[4] get-tuple-element(t), index=0
    CHECK-NEXT: negate(e))");
}

}  // namespace
}  // namespace swage::passes
