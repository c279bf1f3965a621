// What NVIDIA's assembler makes of the tiles of dots: nothing is spilled, and two blocks fit a
// multiprocessor.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "absl/strings/str_replace.h"
#include "tests/codegen/gpu/gpu_modules.h"
#include "tests/codegen/gpu/ptxas_batch.h"
#include "tests/emulated_cuda/ptxas.h"

namespace swage::gpu {
namespace {

struct Case {
  const char* name;
  const char* in;
  const char* out;
  bool transposed = false;
  bool has_epilogue = false;
};
constexpr Case kCases[] = {
    {"f32", "f32", "f32"},
    {"f32_transposed", "f32", "f32", true},
    {"f32_epilogue", "f32", "f32", false, true},
    {"bf16", "bf16", "f32"},
    {"bf16_to_bf16", "bf16", "bf16"},
    {"bf16_transposed", "bf16", "f32", true},
    {"bf16_epilogue", "bf16", "f32", false, true},
    {"f16", "f16", "f32"},
    {"f64", "f64", "f64"},
    {"s8_to_s32", "s8", "s32"},
};

std::string ModuleOf(const Case& dot) {
  std::string text = R"(
HloModule m
ENTRY e {
  x = IN[$X] parameter(0)
  y = IN[$Y] parameter(1)
  $ROOTd = OUT[300,500] dot(x, y), lhs_contracting_dims={$A}, rhs_contracting_dims={$B}
)";
  if (dot.has_epilogue) {
    text += R"(  bias = f32[500] parameter(2)
  b = f32[300,500] broadcast(bias), dimensions={1}
  a = f32[300,500] add(d, b)
  ROOT t = f32[300,500] tanh(a)
)";
  }
  return absl::StrReplaceAll(text, {{"IN", dot.in},
                                    {"OUT", dot.out},
                                    {"$X", dot.transposed ? "400,300" : "300,400"},
                                    {"$Y", dot.transposed ? "500,400" : "400,500"},
                                    {"$A", dot.transposed ? "0" : "1"},
                                    {"$B", dot.transposed ? "1" : "0"},
                                    {"$ROOT", dot.has_epilogue ? "" : "ROOT "}}) +
         "}\n";
}

class DotRegisters : public ::testing::TestWithParam<Case> {};

TEST_P(DotRegisters, FitTwoBlocksWithoutSpills) {
  if (emulated_cuda::PtxasPath().empty()) GTEST_SKIP() << "skipped: no ptxas";
  for (const auto& [card, arch] : {std::pair{"a100", "sm_80"}, std::pair{"h200", "sm_90"}}) {
    const StatusOr<Compiled> compiled = CompileText(ModuleOf(GetParam()), card);
    ASSERT_TRUE(compiled.ok()) << compiled.status().message();
    const GpuKernel* dot = nullptr;
    for (const GpuKernel& kernel : compiled->kernels) {
      if (kernel.sizes.launch.sharing == emit::Sharing::kTiles) dot = &kernel;
    }
    ASSERT_NE(dot, nullptr);
    const Assembled assembled = AssembleAll({dot->code->ptx}, arch)[0];
    EXPECT_EQ(assembled.error, "");
    EXPECT_EQ(assembled.spilled_bytes, 0);
    EXPECT_GT(assembled.registers, 0);
    EXPECT_LE(assembled.registers, 128);
    RecordProperty(std::string(arch) + "_registers", assembled.registers);
    std::printf("%s %s: %d registers, no spills\n", GetParam().name, arch, assembled.registers);
  }
}

INSTANTIATE_TEST_SUITE_P(Dots, DotRegisters, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace swage::gpu
