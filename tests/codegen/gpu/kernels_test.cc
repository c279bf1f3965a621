#include "codegen/gpu/kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/codegen/gpu/gpu_modules.h"

namespace swage::gpu {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Softmax(int n) {
  return absl::StrReplaceAll(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] maximum(a, b) }
ENTRY e {
  x = f32[64,$N] parameter(0)
  lowest = f32[] constant(-inf)
  zero = f32[] constant(0)
  m = f32[64] reduce(x, lowest), dimensions={1}, to_apply=max
  mb = f32[64,$N] broadcast(m), dimensions={0}
  d = f32[64,$N] subtract(x, mb)
  e = f32[64,$N] exponential(d)
  s = f32[64] reduce(e, zero), dimensions={1}, to_apply=add
  sb = f32[64,$N] broadcast(s), dimensions={0}
  ROOT r = f32[64,$N] divide(e, sb)
})",
                             {{"$N", std::to_string(n)}});
}

TEST(GpuKernels, OnePtxServesAllSizes) {
  const StatusOr<Compiled> first = CompileText(Softmax(31), "h200");
  ASSERT_TRUE(first.ok()) << first.status().message();
  for (int n : {32, 33}) {
    const StatusOr<Compiled> other = CompileText(Softmax(n), "h200");
    ASSERT_TRUE(other.ok()) << other.status().message();
    ASSERT_EQ(other->kernels.size(), first->kernels.size());
    for (size_t i = 0; i < first->kernels.size(); ++i) {
      EXPECT_EQ(other->kernels[i].key, first->kernels[i].key);
      EXPECT_EQ(other->kernels[i].code->ptx, first->kernels[i].code->ptx);
      EXPECT_NE(other->kernels[i].sizes.dims, first->kernels[i].sizes.dims);
    }
  }
}

TEST(GpuKernels, OnePtxServesAllSizesOfADot) {
  const auto dot = [](int m, int n, int k) {
    const std::string M = std::to_string(m), N = std::to_string(n), K = std::to_string(k);
    const StatusOr<Compiled> compiled = CompileText(
        "HloModule m\nENTRY e {\n  x = f32[" + M + "," + K + "] parameter(0)\n  y = f32[" + K +
            "," + N + "] parameter(1)\n  ROOT d = f32[" + M + "," + N +
            "] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n",
        "h200");
    EXPECT_TRUE(compiled.ok()) << compiled.status().message();
    return compiled.ok() ? compiled->kernels[0] : GpuKernel{};
  };
  const GpuKernel first = dot(5, 7, 3);
  for (const auto& [m, n, k] : {std::tuple{64, 64, 64}, std::tuple{2048, 4096, 1000}}) {
    const GpuKernel other = dot(m, n, k);
    EXPECT_EQ(other.key, first.key);
    EXPECT_EQ(other.code->ptx, first.code->ptx);
  }
}

TEST(GpuKernels, LongEpiloguesOfDotsFitAKernel) {
  for (int ops : {5, 20, 60}) {
    std::string text = R"(
HloModule m
ENTRY e {
  x = f32[512,768] parameter(0)
  y = f32[768,1024] parameter(1)
  v0 = f32[512,1024] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
)";
    for (int i = 0; i < ops; ++i) {
      text += absl::StrCat(i + 1 == ops ? "  ROOT v" : "  v", i + 1, " = f32[512,1024] ",
                           i % 2 == 0 ? "sine" : "tanh", "(v", i, ")\n");
    }
    const StatusOr<Compiled> compiled = CompileText(text + "}\n", "h200");
    EXPECT_TRUE(compiled.ok()) << ops << ": " << compiled.status().message();
  }
}

TEST(GpuKernels, TheKeyNamesTheArchitectureAndNoCard) {
  const auto key = [](const char* card) {
    const StatusOr<Compiled> compiled = CompileText(Softmax(31), card);
    EXPECT_TRUE(compiled.ok()) << compiled.status().message();
    return compiled.ok() ? compiled->kernels[0].key : "";
  };
  EXPECT_EQ(key("h100"), key("h200"));
  EXPECT_EQ(key("h100"), key("b200"));
  EXPECT_EQ(key("a100"), key("l4"));
  EXPECT_NE(key("a100"), key("h100"));
  EXPECT_THAT(key("h100"), HasSubstr("sm_90"));
  EXPECT_THAT(key("h100"), Not(HasSubstr("h100")));
}

TEST(GpuKernels, FusionsOfOneKeyShareTheirCode) {
  const StatusOr<Compiled> compiled = CompileText(R"(
HloModule m
ENTRY e {
  x = f32[10] parameter(0)
  y = f32[20] parameter(1)
  a = f32[10] negate(x)
  b = f32[20] negate(y)
  ROOT t = (f32[10], f32[20]) tuple(a, b)
})",
                                                  "h200");
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  ASSERT_EQ(compiled->kernels.size(), 2u);
  EXPECT_EQ(compiled->kernels[0].code, compiled->kernels[1].code);
}

TEST(GpuKernels, OpenSizesAreExpressionsOfTheSymbols) {
  const StatusOr<Compiled> compiled = CompileText(R"(
HloModule m
ENTRY e {
  x = f32[n<=512,64] parameter(0)
  ROOT a = f32[n<=512,64] exponential(x)
})",
                                                  "h200");
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  ASSERT_EQ(compiled->kernels.size(), 1u);
  ir::SymbolBinding sizes;
  const ir::Dim n = compiled->module->entry()->parameter(0)->shape().dim(0);
  ASSERT_TRUE(sizes.Bind(n, 100).ok());
  const StatusOr<Launch> launch = LaunchFor(compiled->kernels[0].sizes.launch, sizes);
  ASSERT_TRUE(launch.ok()) << launch.status().message();
  EXPECT_EQ(launch->blocks, (100 * 64 / 4 + 255) / 256);
}

TEST(GpuKernels, WhatHasNoKernelIsNamed) {
  const StatusOr<Compiled> compiled = CompileText(R"(
HloModule m
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), direction=LT }
ENTRY e {
  x = f32[10] parameter(0)
  ROOT s = f32[10] sort(x), dimensions={0}, to_apply=less
})",
                                                  "h200");
  EXPECT_EQ(compiled.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(ToStd(compiled.status().message())), HasSubstr("sort"));
}

TEST(GpuTargets, AreRefusedBeforeLlvmWouldEndTheProcess) {
  EXPECT_EQ(GpuTarget::For(cost::TestCpu()).status().code(), absl::StatusCode::kInvalidArgument);
  cost::DeviceDescription old = *cost::GpuNamed("a100");
  old.gpu.compute_capability = 75;
  EXPECT_EQ(GpuTarget::For(old).status().code(), absl::StatusCode::kInvalidArgument);
  old.gpu.compute_capability = 120;
  const StatusOr<GpuTarget> next = GpuTarget::For(old);
  ASSERT_TRUE(next.ok());
  EXPECT_EQ(next->sm(), "sm_90");
}

}  // namespace
}  // namespace swage::gpu
