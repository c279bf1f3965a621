// Elementwise and data-moving ops through the loop schedule.
#include <gtest/gtest.h>

#include <string>

#include "tests/codegen/emit/kernel_runner.h"
#include "tests/codegen/emit/kernel_texts.h"

namespace swage::emit {
namespace {

TEST(LoopSchedule, AddsArraysOfEverySize) {
  for (int n : kSizes) {
    EXPECT_KERNEL(WithSizes(R"(
HloModule m
ENTRY e {
  x = f32[$N] parameter(0)
  y = f32[$N] parameter(1)
  ROOT z = f32[$N] add(x, y)
})",
                            {{"$N", n}}));
  }
}

TEST(LoopSchedule, BroadcastsARowAndAScalar) {
  for (int n : kSizes) {
    EXPECT_KERNEL(WithSizes(R"(
HloModule m
ENTRY e {
  x = f32[5,$N] parameter(0)
  bias = f32[$N] parameter(1)
  s = f32[] parameter(2)
  b = f32[5,$N] broadcast(bias), dimensions={1}
  t = f32[5,$N] broadcast(s), dimensions={}
  a = f32[5,$N] add(x, b)
  m = f32[5,$N] multiply(a, t)
  ROOT e = f32[5,$N] exponential(m)
})",
                            {{"$N", n}}));
  }
}

}  // namespace
}  // namespace swage::emit
