// What NVIDIA's assembler makes of the tiles of dots: nothing is spilled, and two blocks fit a
// multiprocessor.
#include <gtest/gtest.h>

#include <cstdio>
#include <regex>
#include <string>

#include "tests/codegen/gpu/gpu_modules.h"
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

void Replace(std::string* text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text->find(from, at)) != std::string::npos; at += to.size()) {
    text->replace(at, from.size(), to);
  }
}

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
  Replace(&text, "IN", dot.in);
  Replace(&text, "OUT", dot.out);
  Replace(&text, "$X", dot.transposed ? "400,300" : "300,400");
  Replace(&text, "$Y", dot.transposed ? "500,400" : "400,500");
  Replace(&text, "$A", dot.transposed ? "0" : "1");
  Replace(&text, "$B", dot.transposed ? "1" : "0");
  Replace(&text, "$ROOT", dot.has_epilogue ? "" : "ROOT ");
  return text + "}\n";
}

class DotRegisters : public ::testing::TestWithParam<Case> {};

TEST_P(DotRegisters, FitTwoBlocksWithoutSpills) {
  if (emulated_cuda::PtxasPath().empty()) GTEST_SKIP() << "no ptxas";
  for (const auto& [card, arch] : {std::pair{"a100", "sm_80"}, std::pair{"h200", "sm_90"}}) {
    const StatusOr<Compiled> compiled = CompileText(ModuleOf(GetParam()), card);
    ASSERT_TRUE(compiled.ok()) << compiled.status().message();
    const GpuKernel* dot = nullptr;
    for (const GpuKernel& kernel : compiled->kernels) {
      if (kernel.sizes.launch.sharing == emit::Sharing::kTiles) dot = &kernel;
    }
    ASSERT_NE(dot, nullptr);
    const std::string report = emulated_cuda::PtxasReport(dot->code->ptx, arch);
    EXPECT_NE(report.find("0 bytes spill stores, 0 bytes spill loads"), std::string::npos)
        << report;
    std::smatch match;
    ASSERT_TRUE(std::regex_search(report, match, std::regex("Used ([0-9]+) registers"))) << report;
    const int registers = std::stoi(match[1]);
    EXPECT_LE(registers, 128) << report;
    RecordProperty(std::string(arch) + "_registers", registers);
    std::printf("%s %s: %d registers, no spills\n", GetParam().name, arch, registers);
  }
}

INSTANTIATE_TEST_SUITE_P(Dots, DotRegisters, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace swage::gpu
