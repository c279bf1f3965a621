// Dots: register tiles, epilogues, every layout of the sides, and dots inside loops.
#include <gtest/gtest.h>

#include <string>

#include "tests/codegen/emit/kernel_runner.h"
#include "tests/codegen/emit/kernel_texts.h"

namespace swage::emit {
namespace {

constexpr double kF32Tolerance = 1e-5;

std::string Dot(const std::string& dtype) {
  return Substitute(R"(
HloModule m
ENTRY e {
  x = T[$M,$K] parameter(0)
  y = T[$K,$N] parameter(1)
  ROOT d = T[$M,$N] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})",
                    "T[", dtype + "[");
}

TEST(DotSchedule, F32OfEverySize) {
  const int sizes[][3] = {{1, 1, 1},   {1, 33, 7},    {4, 16, 0},  {14, 32, 64}, {15, 31, 257},
                          {31, 1, 64}, {33, 65, 513}, {57, 32, 7}, {113, 31, 1}};
  for (const auto& [m, n, k] : sizes) {
    EXPECT_KERNEL(WithSizes(Dot("f32"), {{"$M", m}, {"$N", n}, {"$K", k}}), kF32Tolerance);
  }
}

}  // namespace
}  // namespace swage::emit
