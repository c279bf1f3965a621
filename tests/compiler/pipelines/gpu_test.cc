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
  options.disable_passes = {"reduction-splitter"};
  EXPECT_TRUE(CheckGpuFilters(options).ok());
  EXPECT_FALSE(CheckCpuFilters(options).ok());
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

// A value of `ops` transcendental functions, of 64 million elements, wanted by two results:
// computed twice, or stored and read again.
std::string TwoUsers(int ops) {
  std::string text = "HloModule m\nENTRY e {\n  v0 = f32[8192,8192] parameter(0)\n";
  for (int i = 0; i < ops; ++i) {
    text += absl::StrCat("  v", i + 1, " = f32[8192,8192] ", i % 2 == 0 ? "tanh" : "exponential",
                         "(v", i, ")\n");
  }
  return text + absl::StrCat("  a = f32[8192,8192] add(v", ops,
                             ", v0)\n  b = f32[8192,8192] multiply(v", ops, ", v0)\n",
                             "  ROOT r = (f32[8192,8192], f32[8192,8192]) tuple(a, b)\n}\n");
}

// Whether the value is computed in both.
bool IsComputedTwice(int ops, const char* card) {
  const std::string value = absl::StrCat(" v", ops, " ");
  return (" " + Fused(TwoUsers(ops).c_str(), *cost::GpuNamed(card))).find(value) !=
         std::string::npos;
}

TEST(GpuPipeline, WhereMemoryIsSlowValuesAreComputedTwice) {
  // Operations in the time of a byte: 50 on an L4, 5 on an A100 or B200.
  EXPECT_TRUE(IsComputedTwice(6, "l4"));
  EXPECT_FALSE(IsComputedTwice(6, "a100"));
  EXPECT_FALSE(IsComputedTwice(6, "b200"));
}

TEST(GpuPipeline, AnH100ComputesTwiceWhatAnA100Stores) {
  EXPECT_TRUE(IsComputedTwice(2, "h100"));
  EXPECT_FALSE(IsComputedTwice(2, "a100"));
}

}  // namespace
}  // namespace swage::pipelines
