#include "compiler/pipelines/gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

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

// exp, of n x n elements, is wanted by two results: computed twice, or stored and read again.
constexpr char kTwoUsers[] = R"(
HloModule m
ENTRY e {
  x = f32[$N,$N] parameter(0)
  y = f32[$N,$N] parameter(1)
  t = f32[$N,$N] tanh(x)
  u = f32[$N,$N] exponential(t)
  a = f32[$N,$N] add(u, y)
  m = f32[$N,$N] transpose(a), dimensions={1,0}
  b = f32[$N,$N] subtract(u, y)
  ROOT r = (f32[$N,$N], f32[$N,$N]) tuple(m, b)
})";

std::string TwoUsers(int n) {
  std::string text = kTwoUsers;
  for (size_t at = 0; (at = text.find("$N", at)) != std::string::npos;) {
    text.replace(at, 2, std::to_string(n));
  }
  return text;
}

TEST(GpuPipeline, WhatIsFusedFollowsFromTheCard) {
  // A launch of a GPU takes longer than computing small values twice; a CPU has none to save.
  const cost::DeviceDescription cpu = cost::TestCpu();
  const cost::DeviceDescription h200 = *cost::GpuNamed("h200");
  const cost::DeviceDescription l4 = *cost::GpuNamed("l4");
  EXPECT_NE(Fused(TwoUsers(512).c_str(), cpu), Fused(TwoUsers(512).c_str(), h200));
  (void)l4;
}

}  // namespace
}  // namespace swage::pipelines
