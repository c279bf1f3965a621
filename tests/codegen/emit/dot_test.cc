// Dots: register tiles, epilogues, every layout of the sides, and dots inside loops.
#include <gtest/gtest.h>

#include <string>

#include "compiler/ir/parser.h"
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

TEST(DotSchedule, EveryDtype) {
  // Small floats round once more than f32; bf16 pairs flush denormals.
  const std::pair<const char*, double> dtypes[] = {
      {"f64", 1e-13}, {"f16", 2e-3}, {"bf16", 2e-2}, {"f8e5m2", 0.3}, {"s32", 0}, {"s8", 0},
      {"u16", 0},     {"s64", 0},    {"pred", 0},    {"s4", 0},       {"u4", 0}};
  const int sizes[][3] = {{3, 5, 7}, {15, 33, 65}, {31, 65, 258}};
  for (const auto& [dtype, tolerance] : dtypes) {
    for (const auto& [m, n, k] : sizes) {
      EXPECT_KERNEL(WithSizes(Dot(dtype), {{"$M", m}, {"$N", n}, {"$K", k}}), tolerance);
    }
  }
}

// A dot of these sides; $M, $N, $K are 15, 37, 70.
std::string DotOf(const std::string& lhs, const std::string& rhs, const std::string& out,
                  const std::string& attributes, const std::string& in_dtype = "f32",
                  const std::string& out_dtype = "f32") {
  const std::string text =
      "HloModule m\nENTRY e {\n  x = " + in_dtype + lhs + " parameter(0)\n  y = " + in_dtype + rhs +
      " parameter(1)\n  ROOT d = " + out_dtype + out + " dot(x, y), " + attributes + "\n}\n";
  return WithSizes(text, {{"$M", 15}, {"$N", 37}, {"$K", 70}});
}

TEST(DotSchedule, EveryLayoutOfTheSides) {
  for (const char* dtype : {"f32", "bf16"}) {
    EXPECT_KERNEL(DotOf("[$M,$K]", "[$N,$K]", "[$M,$N]",
                        "lhs_contracting_dims={1}, rhs_contracting_dims={1}", dtype),
                  kF32Tolerance);
    EXPECT_KERNEL(DotOf("[$K,$M]", "[$K,$N]", "[$M,$N]",
                        "lhs_contracting_dims={0}, rhs_contracting_dims={0}", dtype),
                  kF32Tolerance);
    EXPECT_KERNEL(DotOf("[$K,$M]", "[$N,$K]", "[$M,$N]",
                        "lhs_contracting_dims={0}, rhs_contracting_dims={1}", dtype),
                  kF32Tolerance);
    EXPECT_KERNEL(DotOf("[3,$M,$K]", "[3,$K,$N]", "[3,$M,$N]",
                        "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
                        "rhs_contracting_dims={1}",
                        dtype),
                  kF32Tolerance);
    // The batch is the last dimension of one side.
    EXPECT_KERNEL(DotOf("[$M,$K,3]", "[3,$K,$N]", "[3,$M,$N]",
                        "lhs_batch_dims={2}, rhs_batch_dims={0}, lhs_contracting_dims={1}, "
                        "rhs_contracting_dims={1}",
                        dtype),
                  kF32Tolerance);
    // Two contracting dims and two free ones.
    EXPECT_KERNEL(DotOf("[5,$M,2,$K]", "[$K,5,$N]", "[$M,2,$N]",
                        "lhs_contracting_dims={0,3}, rhs_contracting_dims={1,0}", dtype),
                  kF32Tolerance);
  }
}

TEST(DotSchedule, VectorsAndOuterProducts) {
  EXPECT_KERNEL(
      DotOf("[$M,$K]", "[$K]", "[$M]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
      kF32Tolerance);
  EXPECT_KERNEL(
      DotOf("[$K]", "[$K,$N]", "[$N]", "lhs_contracting_dims={0}, rhs_contracting_dims={0}"),
      kF32Tolerance);
  EXPECT_KERNEL(DotOf("[$K]", "[$K]", "[]", "lhs_contracting_dims={0}, rhs_contracting_dims={0}"),
                kF32Tolerance);
  EXPECT_KERNEL(
      DotOf("[$M]", "[$N]", "[$M,$N]", "lhs_contracting_dims={}, rhs_contracting_dims={}"));
}

TEST(DotSchedule, OneRow) {
  for (const char* dtype : {"f32", "bf16", "s32"}) {
    const double tolerance = std::string(dtype) == "s32" ? 0 : kF32Tolerance;
    for (int n : {5, 256, 300, 700}) {
      const std::string out = std::string(dtype) == "s32" ? "s32" : "f32";
      const std::string N = std::to_string(n);
      EXPECT_KERNEL(DotOf("[1,$K]", "[$K," + N + "]", "[1," + N + "]",
                          "lhs_contracting_dims={1}, rhs_contracting_dims={0}", dtype, out),
                    tolerance);
      EXPECT_KERNEL(DotOf("[1,$K]", "[" + N + ",$K]", "[1," + N + "]",
                          "lhs_contracting_dims={1}, rhs_contracting_dims={1}", dtype, out),
                    tolerance);
    }
  }
}

TEST(DotSchedule, WideRightSidesArePacked) {
  EXPECT_KERNEL(WithSizes(Dot("f32"), {{"$M", 61}, {"$N", 600}, {"$K", 300}}), kF32Tolerance);
}

TEST(DotSchedule, AccumulatesInTheTypeOfTheResult) {
  EXPECT_KERNEL(DotOf("[$M,$K]", "[$K,$N]", "[$M,$N]",
                      "lhs_contracting_dims={1}, rhs_contracting_dims={0}", "s8", "s32"));
  EXPECT_KERNEL(DotOf("[$M,$K]", "[$K,$N]", "[$M,$N]",
                      "lhs_contracting_dims={1}, rhs_contracting_dims={0}", "u4", "s32"));
  EXPECT_KERNEL(DotOf("[$M,$K]", "[$K,$N]", "[$M,$N]",
                      "lhs_contracting_dims={1}, rhs_contracting_dims={0}", "f16", "f32"),
                kF32Tolerance);
}

TEST(DotSchedule, FusesWhatComesBeforeAndAfter) {
  for (int m : {1, 15, 70}) {
    EXPECT_KERNEL(WithSizes(R"(
HloModule m
ENTRY e {
  x = f32[$M,40] parameter(0)
  y = f32[50,40] parameter(1)
  bias = f32[50] parameter(2)
  nx = f32[$M,40] negate(x)
  ty = f32[40,50] transpose(y), dimensions={1,0}
  d = f32[$M,50] dot(nx, ty), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b = f32[$M,50] broadcast(bias), dimensions={1}
  s = f32[$M,50] add(d, b)
  zero = f32[] constant(0)
  zeros = f32[$M,50] broadcast(zero), dimensions={}
  r = f32[$M,50] maximum(s, zeros)
  h = bf16[$M,50] convert(r)
  ROOT t = (f32[$M,50], bf16[$M,50]) tuple(s, h)
})",
                            {{"$M", m}}),
                  1e-2);
  }
}

TEST(DotSchedule, ReshapesAndTransposesOfTheResult) {
  const std::string text = R"(
HloModule m
ENTRY e {
  x = f32[3,15,40] parameter(0)
  y = f32[3,40,37] parameter(1)
  d = f32[3,15,37] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
  n = f32[3,15,37] negate(d)
  ROOT r = $ROOT
})";
  for (const char* root : {"f32[1,3,15,37] reshape(n)", "f32[45,37] reshape(n)",
                           "f32[3,555] reshape(n)", "f32[15,3,37] transpose(n), dimensions={1,0,2}",
                           "f32[37,15,3] transpose(n), dimensions={2,1,0}"}) {
    const std::string hlo = Substitute(text, "$ROOT", root);
    EXPECT_KERNEL(hlo, kF32Tolerance);
    auto module = ir::ParseHlo(hlo);
    ASSERT_TRUE(module.ok());
    auto kernel = CompiledKernel::Compile(*(*module)->entry(), {TargetsHere()[0]});
    ASSERT_TRUE(kernel.ok()) << kernel.status().message();
    EXPECT_EQ(kernel->schedule(), Schedule::kDot) << root;
  }
}

TEST(DotValue, InsideLoopsAndReductions) {
  EXPECT_KERNEL(R"(
HloModule m
ENTRY e {
  x = f32[9,33] parameter(0)
  y = f32[33,20] parameter(1)
  d = f32[9,20] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[9,20] reverse(d), dimensions={1}
  ROOT r = f32[9,20] add(t, d)
})",
                kF32Tolerance);
  EXPECT_KERNEL(R"(
HloModule m
f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[9,33] parameter(0)
  y = f32[33,20] parameter(1)
  zero = f32[] constant(0)
  d = f32[9,20] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT s = f32[9] reduce(d, zero), dimensions={1}, to_apply=f
})",
                kF32Tolerance);
}

}  // namespace
}  // namespace swage::emit
