// Loops that read operands across their lanes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "codegen/emit/schedule.h"
#include "compiler/ir/parser.h"
#include "tests/codegen/emit/kernel_runner.h"
#include "tests/codegen/emit/kernel_texts.h"

namespace swage::emit {
namespace {

using testing::HasSubstr;
using testing::Not;

// Less and more than a tile, a block of rows and a block of lanes, with and without a rest.
constexpr std::pair<int, int> kShapes[] = {{2, 2},  {3, 70},   {16, 16},  {17, 33},  {64, 65},
                                           {70, 3}, {129, 15}, {2, 1030}, {150, 200}};

std::string PlanOf(std::string_view hlo, const EmitOptions& options = EmitOptions::For(64, true)) {
  auto module = ir::ParseHlo(hlo);
  if (!module.ok()) return std::string(module.status().message());
  const StatusOr<KernelPlan> plan = PlanKernel(*(*module)->entry(), options);
  return plan.ok() ? plan->ToString() : std::string(plan.status().message());
}

std::string Transposed(int rows, int columns, const std::string& dtype) {
  return WithSizes(Substitute(R"(
HloModule m
ENTRY e {
  x = $T[$R,$C] parameter(0)
  ROOT t = $T[$C,$R] transpose(x), dimensions={1,0}
})",
                              "$T", dtype),
                   {{"$R", rows}, {"$C", columns}});
}

TEST(TransposeSchedule, IsThatOfLoopsAcrossAnOperand) {
  EXPECT_THAT(PlanOf(Transposed(100, 200, "f32")), HasSubstr("transpose width=16"));
  EXPECT_THAT(PlanOf(Transposed(100, 200, "u8")), HasSubstr("transpose width=16"));
  EXPECT_THAT(PlanOf(Transposed(1, 200, "f32")), Not(HasSubstr("transpose")));
  EXPECT_THAT(PlanOf(Transposed(100, 200, "f32"), EmitOptions::For(32, false)),
              HasSubstr("transpose width=8"));
  // Vectors of small elements have no masks there.
  EXPECT_THAT(PlanOf(Transposed(100, 200, "u8"), EmitOptions::For(32, false)),
              Not(HasSubstr("transpose")));
}

TEST(TransposeSchedule, IsOneOfSquaresOnAGpu) {
  const auto plan = [](const std::string& hlo) { return PlanOf(hlo, EmitOptions::ForGpu()); };
  EXPECT_THAT(plan(Transposed(100, 200, "f32")), HasSubstr("transpose width=1"));
  EXPECT_THAT(plan(Transposed(100, 200, "f32")), HasSubstr("tasks=28 by=square"));
  EXPECT_THAT(plan(Transposed(100, 200, "u8")), HasSubstr("tasks=8 by=square"));
  EXPECT_THAT(plan(Transposed(1, 200, "f32")), Not(HasSubstr("square")));
}

// The threads of a warp touch few lines of memory on both sides.
TEST(TransposeSchedule, ReadsThroughSharedMemoryOnAGpu) {
  auto module = ir::ParseHlo(Transposed(100, 200, "f32"));
  ASSERT_TRUE(module.ok());
  CompileOptions options;
  options.emit = EmitOptions::ForGpu();
  options.keep_text = true;
  const auto kernel = CompiledKernel::Compile(*(*module)->entry(), options);
  ASSERT_TRUE(kernel.ok()) << kernel.status().message();
  EXPECT_THAT(kernel->assembly(), HasSubstr(".shared .align 16 .b8 shared[4224]"));  // 32 x 33
  EXPECT_THAT(kernel->assembly(), HasSubstr("ld.shared"));
}

TEST(TransposeSchedule, MovesMatricesOfEverySize) {
  for (const auto& [rows, columns] : kShapes) EXPECT_KERNEL(Transposed(rows, columns, "f32"));
}

TEST(TransposeSchedule, MovesEveryWidthOfElement) {
  for (const char* dtype : {"f64", "bf16", "f16", "u8", "s64", "u16", "pred", "s4", "f8e4m3fn"}) {
    for (const auto& [rows, columns] : {std::pair(17, 33), std::pair(67, 5), std::pair(40, 100)}) {
      EXPECT_KERNEL(Transposed(rows, columns, dtype));
    }
  }
}

TEST(TransposeSchedule, ComputesAlongWithMoving) {
  for (const auto& [rows, columns] : kShapes) {
    EXPECT_KERNEL(WithSizes(R"(
HloModule m
ENTRY e {
  x = f32[$R,$C] parameter(0)
  y = bf16[$R,$C] parameter(1)
  z = f32[$C,$R] parameter(2)
  w = f32[$C] parameter(3)
  v = f32[$R] parameter(4)
  xt = f32[$C,$R] transpose(x), dimensions={1,0}
  yt = bf16[$C,$R] transpose(y), dimensions={1,0}
  yf = f32[$C,$R] convert(yt)
  wb = f32[$C,$R] broadcast(w), dimensions={0}
  vb = f32[$C,$R] broadcast(v), dimensions={1}
  a = f32[$C,$R] add(xt, yf)
  b = f32[$C,$R] multiply(a, z)
  c = f32[$C,$R] subtract(b, wb)
  d = f32[$C,$R] maximum(c, vb)
  ROOT r = (f32[$C,$R], f32[$C,$R]) tuple(d, a)
})",
                            {{"$R", rows}, {"$C", columns}}));
  }
}

TEST(TransposeSchedule, KeepsOtherAxes) {
  for (const auto& [rows, columns] : {std::pair(3, 70), std::pair(17, 33), std::pair(64, 65)}) {
    for (const char* order : {"0,2,1", "2,1,0", "2,0,1", "1,2,0", "1,0,2"}) {
      const int extents[] = {rows, 3, columns};
      EXPECT_KERNEL(WithSizes(Substitute(R"(
HloModule m
ENTRY e {
  x = f32[$A,$B,$C] parameter(0)
  n = f32[$A,$B,$C] negate(x)
  ROOT t = f32[$D,$E,$F] transpose(n), dimensions={$O}
})",
                                         "$O", order),
                              {{"$A", extents[0]},
                               {"$B", extents[1]},
                               {"$C", extents[2]},
                               {"$D", extents[order[0] - '0']},
                               {"$E", extents[order[2] - '0']},
                               {"$F", extents[order[4] - '0']}}));
    }
  }
}

TEST(TransposeSchedule, PartsOfAnOperandAreReadAsFarAsTheyGo) {
  for (const auto& [rows, columns] : {std::pair(17, 33), std::pair(40, 100)}) {
    EXPECT_KERNEL(WithSizes(R"(
HloModule m
ENTRY e {
  x = f32[$R,$C] parameter(0)
  zero = f32[] constant(3)
  s = f32[$S,$C] slice(x), slice={[2:$R], [0:$C]}
  t = f32[$C,$S] transpose(s), dimensions={1,0}
  r = f32[$C,$S] reverse(t), dimensions={0}
  u = f32[$C,$S] reverse(t), dimensions={1}
  a = f32[$C,$S] add(r, u)
  p = f32[$C,$R] pad(t, zero), padding=0_0x1_1
  c = f32[$C,$S] slice(p), slice={[0:$C], [0:$S]}
  ROOT b = f32[$C,$S] subtract(a, c)
})",
                            {{"$R", rows}, {"$C", columns}, {"$S", rows - 2}}));
  }
}

TEST(TransposeSchedule, ASumWithTheTransposedSelfIsRight) {
  for (int n : {2, 15, 16, 33, 130}) {
    EXPECT_KERNEL(WithSizes(R"(
HloModule m
ENTRY e {
  x = f32[$N,$N] parameter(0)
  t = f32[$N,$N] transpose(x), dimensions={1,0}
  ROOT s = f32[$N,$N] subtract(x, t)
})",
                            {{"$N", n}}));
  }
}

}  // namespace
}  // namespace swage::emit
