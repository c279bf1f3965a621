#include "compiler/passes/kernel_figures.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "compiler/cost/device_description.h"
#include "tests/compiler/passes/pass_test.h"
#include "tests/compiler/softmax_text.h"

namespace swage::passes {
namespace {

KernelFigures Figures(const std::string& hlo, const cost::DeviceDescription& device) {
  const std::unique_ptr<ir::Module> module = ParseForTest(hlo);
  return FiguresOf(*module->entry()->root(), device);
}

cost::DeviceDescription Gpu() { return *cost::GpuNamed("h200"); }

TEST(KernelFiguresTest, WhatIsReducedPerRowIsReducedOncePerRow) {
  for (const cost::DeviceDescription& device : {cost::TestCpu(), Gpu()}) {
    const KernelFigures figures = Figures(SoftmaxFusion(256, 1024), device);
    // Three passes over a row: its largest element, the sum, the result.
    EXPECT_EQ(figures.reads[0].utilisation, 3) << device.name;
    const KernelFigures one = Figures(R"(
HloModule m
f {
  x = f32[256,1024] parameter(0)
  ROOT e = f32[256,1024] exponential(x)
}
ENTRY e {
  x = f32[256,1024] parameter(0)
  ROOT r = f32[256,1024] fusion(x), kind=kLoop, calls=f
})",
                                      device);
    EXPECT_LT(figures.cycles, 5 * one.cycles) << device.name;
  }
}

// The exponential of a value per row, spread over the row.
std::string SpreadOverRows(const std::string& dimension) {
  return absl::StrCat(R"(
HloModule m
f {
  x = f32[1024,1024] parameter(0)
  b = f32[1024] parameter(1)
  e = f32[1024] exponential(b)
  eb = f32[1024,1024] broadcast(e), dimensions={)",
                      dimension, R"(}
  ROOT r = f32[1024,1024] add(x, eb)
}
ENTRY e {
  x = f32[1024,1024] parameter(0)
  b = f32[1024] parameter(1)
  ROOT r = f32[1024,1024] fusion(x, b), kind=kLoop, calls=f
})");
}

TEST(KernelFiguresTest, AValuePerRowIsComputedOnceWhereTheRowIsOneTask) {
  const KernelFigures rows = Figures(SpreadOverRows("0"), cost::TestCpu());
  EXPECT_EQ(rows.reads[1].utilisation, 1);
  // A value per column is computed for every row.
  const KernelFigures columns = Figures(SpreadOverRows("1"), cost::TestCpu());
  EXPECT_EQ(columns.reads[1].utilisation, 1024);
  EXPECT_GT(columns.cycles, 10 * rows.cycles);
  // The threads of a GPU share nothing in a loop without reductions.
  EXPECT_EQ(Figures(SpreadOverRows("0"), Gpu()).reads[1].utilisation, 1024);
}

}  // namespace
}  // namespace swage::passes
