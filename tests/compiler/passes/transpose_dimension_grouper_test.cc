#include "compiler/passes/transpose_dimension_grouper.h"

#include <gtest/gtest.h>

#include "tests/compiler/passes/late_pass_test.h"

namespace swage::passes {
namespace {

TEST(TransposeDimensionGrouper, TwoGroupsBecomeAMatrix) {
  ExpectLatePass(R"(
HloModule m
ENTRY main {
  a = f32[2,3,4,5]{3,2,1,0} parameter(0)
  ROOT t = f32[4,5,2,3]{3,2,1,0} transpose(a), dimensions={2,3,0,1}
})",
                 TransposeDimensionGrouper(), R"(
CHECK: [[B:[a-z.0-9]+]] = f32[6,20]{1,0} bitcast(a)
CHECK: [[T:[a-z.0-9]+]] = f32[20,6]{1,0} transpose([[B]]), dimensions={1,0}
CHECK: ROOT {{.*}} = f32[4,5,2,3]{3,2,1,0} bitcast([[T]]))");
}

TEST(TransposeDimensionGrouper, ExtentsOfOneAreLeftOut) {
  ExpectLatePass(R"(
HloModule m
ENTRY main {
  a = f32[2,1,4,5]{3,2,1,0} parameter(0)
  ROOT t = f32[1,2,5,4]{3,2,1,0} transpose(a), dimensions={1,0,3,2}
})",
                 TransposeDimensionGrouper(), R"(
CHECK: f32[2,4,5]{2,1,0} bitcast(a)
CHECK: f32[2,5,4]{2,1,0} transpose({{.*}}), dimensions={0,2,1}
CHECK: ROOT {{.*}} = f32[1,2,5,4]{3,2,1,0} bitcast()");
}

TEST(TransposeDimensionGrouper, ThreeGroupsInAnyOrder) {
  ExpectLatePass(R"(
HloModule m
ENTRY main {
  a = s8[2,3,4,5,6]{4,3,2,1,0} parameter(0)
  ROOT t = s8[6,3,4,5,2]{4,3,2,1,0} transpose(a), dimensions={4,1,2,3,0}
})",
                 TransposeDimensionGrouper(), R"(
CHECK: s8[2,60,6]{2,1,0} bitcast(a)
CHECK: s8[6,60,2]{2,1,0} transpose({{.*}}), dimensions={2,1,0})");
}

TEST(TransposeDimensionGrouper, SymbolicDimsMultiply) {
  ExpectLatePass(R"(
HloModule m
ENTRY main {
  a = f32[n<=8,3,k<=9]{2,1,0} parameter(0)
  ROOT t = f32[k,n,3]{2,1,0} transpose(a), dimensions={2,0,1}
})",
                 TransposeDimensionGrouper(), "CHECK: transpose({{.*}}), dimensions={1,0}");
}

TEST(TransposeDimensionGrouper, WhatCannotBeGroupedStays) {
  ExpectLateUnchanged(R"(
HloModule m
ENTRY main {
  a = f32[2,3,4,5]{3,2,1,0} parameter(0)
  ROOT t = f32[2,4,3,5]{3,2,1,0} transpose(a), dimensions={0,2,1,3}
})",
                      TransposeDimensionGrouper());
}

TEST(TransposeDimensionGrouper, AnIdentityIsLeftToOthers) {
  ExpectLateUnchanged(R"(
HloModule m
ENTRY main {
  a = f32[2,3]{1,0} parameter(0)
  ROOT t = f32[2,3]{1,0} transpose(a), dimensions={0,1}
})",
                      TransposeDimensionGrouper());
}

}  // namespace
}  // namespace swage::passes
