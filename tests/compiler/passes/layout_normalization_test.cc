#include "compiler/passes/layout_normalization.h"

#include <gtest/gtest.h>

#include "tests/compiler/passes/late_pass_test.h"

namespace swage::passes {
namespace {

TEST(LayoutNormalization, AColumnMajorOperandIsTransposed) {
  ExpectLatePass(R"(
HloModule m
ENTRY main {
  a = f32[2,3]{0,1} parameter(0)
  c = f32[2,3]{1,0} copy(a)
  ROOT n = f32[2,3]{1,0} negate(c)
})",
                 LayoutNormalization(), R"(
CHECK: [[B:[a-z.0-9]+]] = f32[3,2]{1,0} bitcast(a)
CHECK: [[T:[a-z.0-9]+]] = f32[2,3]{1,0} transpose([[B]]), dimensions={1,0}
CHECK: negate([[T]]))");
}

TEST(LayoutNormalization, AColumnMajorResultIsTransposed) {
  ExpectLatePass(R"(
HloModule m
ENTRY main {
  a = f32[2,3]{1,0} parameter(0)
  n = f32[2,3]{1,0} negate(a)
  ROOT c = f32[2,3]{0,1} copy(n)
})",
                 LayoutNormalization(), R"(
CHECK: [[T:[a-z.0-9]+]] = f32[3,2]{1,0} transpose(n), dimensions={1,0}
CHECK: ROOT {{.*}} = f32[2,3]{0,1} bitcast([[T]]))");
}

TEST(LayoutNormalization, AnyLayoutToAnyOther) {
  ExpectLatePass(R"(
HloModule m
ENTRY main {
  a = f32[2,3,4]{0,2,1} parameter(0)
  ROOT c = f32[2,3,4]{1,0,2} copy(a)
})",
                 LayoutNormalization(), R"(
CHECK: f32[3,4,2]{2,1,0} bitcast(a)
CHECK: f32[4,2,3]{2,1,0} transpose({{.*}}), dimensions={1,2,0}
CHECK: ROOT {{.*}} = f32[2,3,4]{1,0,2} bitcast()");
}

TEST(LayoutNormalization, CopiesThatKeepTheLayoutStay) {
  ExpectLateUnchanged(R"(
HloModule m
ENTRY main {
  a = f32[2,3]{1,0} parameter(0)
  ROOT c = f32[2,3]{1,0} copy(a)
})",
                      LayoutNormalization());
}

}  // namespace
}  // namespace swage::passes
