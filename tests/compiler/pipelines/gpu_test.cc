#include "compiler/pipelines/gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "compiler/cost/device_description.h"
#include "compiler/ir/parser.h"
#include "compiler/passes/registry.h"
#include "compiler/pipelines/cpu.h"

namespace swage::pipelines {
namespace {

using passes::AllPasses;
using passes::PassContext;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(GpuPipeline, HoldsOnlyRegisteredPasses) {
  const std::unique_ptr<passes::Pipeline> pipeline = GpuPipeline({});
  for (const passes::PassPlace& place : passes::PlacesOf(*pipeline)) {
    if (place.pass->IsPipeline()) continue;
    const bool known = std::any_of(AllPasses().begin(), AllPasses().end(),
                                   [&](const passes::PassInfo& i) { return i.name == place.name; });
    EXPECT_TRUE(known) << place.name;
  }
}

TEST(GpuPipeline, APassOfTheCpuIsAnErrorWithTheNearestNames) {
  CompilerOptions options;
  options.disable_passes = {"transpose-folding"};
  EXPECT_TRUE(CheckCpuFilters(options).ok());
  const Status status = CheckGpuFilters(options);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(ToStd(status.message())),
              AllOf(HasSubstr("another target"), HasSubstr("transpose-dimension-grouper")));
  options.disable_passes = {"gpu"};
  EXPECT_FALSE(CheckCpuFilters(options).ok());
}

// The names of the values that priority fusion computes inside their users.
std::string Fused(const char* hlo, const cost::DeviceDescription& device) {
  auto module = ir::ParseHlo(hlo);
  EXPECT_TRUE(module.ok()) << module.status().message();
  PassContext context({}, &device);
  const Status status = device.is_gpu() ? RunGpuPipeline(module->get(), context)
                                        : RunCpuPipeline(module->get(), context);
  EXPECT_TRUE(status.ok()) << status.message();
  std::string fused;
  for (const passes::FusionDecision& decision : *context.fusion_decisions()) {
    if (decision.fused) fused += decision.producer + " ";
  }
  return fused;
}

// A chain of transcendental functions over 64 million elements, whose last value two results want:
// each value may be computed for both of them, or once, stored and read again.
std::string TwoUsers() {
  std::string text = "HloModule m\nENTRY e {\n  v0 = f32[8192,8192] parameter(0)\n";
  for (int i = 0; i < 6; ++i) {
    text += absl::StrCat("  v", i + 1, " = f32[8192,8192] ", i % 2 == 0 ? "tanh" : "exponential",
                         "(v", i, ")\n");
  }
  return text +
         "  a = f32[8192,8192] add(v6, v0)\n  b = f32[8192,8192] multiply(v6, v0)\n"
         "  ROOT r = (f32[8192,8192], f32[8192,8192]) tuple(a, b)\n}\n";
}

// Whether no value of the chain is stored.
bool StoresNothing(const char* card) {
  const std::string fused = " " + Fused(TwoUsers().c_str(), *cost::GpuNamed(card));
  for (int i = 1; i <= 6; ++i) {
    if (fused.find(absl::StrCat(" v", i, " ")) == std::string::npos) return false;
  }
  return true;
}

TEST(GpuPipeline, WhereMemoryIsSlowValuesAreComputedTwice) {
  // Operations in the time of a byte: 50 on an L4, 10 on an H100, 5 on an A100 or B200.
  EXPECT_TRUE(StoresNothing("l4"));
  EXPECT_TRUE(StoresNothing("h100"));
  EXPECT_FALSE(StoresNothing("a100"));
  EXPECT_FALSE(StoresNothing("b200"));
}

TEST(GpuPipeline, ALargeDotIsStoredWhereALibraryComputesIt) {
  constexpr char kText[] = R"(HloModule m
ENTRY e {
  a = f32[512,512] parameter(0)
  d = f32[512,512] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = f32[512,512] tanh(d)
})";
  cost::DeviceDescription card = *cost::GpuNamed("h100");
  EXPECT_EQ(Fused(kText, card), "d ");
  card.gpu.matmul_library = true;
  EXPECT_EQ(Fused(kText, card), "");
}

}  // namespace
}  // namespace swage::pipelines
