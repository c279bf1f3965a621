#include "compiler/passes/horizontal_fusion.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "compiler/cost/device_description.h"
#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

// An optimizer's step for `n` parameters of this shape: each in a kernel of its own.
std::string Updates(int n, std::string_view shape) {
  std::string text = "HloModule m\n", entry = "ENTRY main {\n", shapes, values;
  const auto type = ToAbsl(shape);
  for (int i = 0; i < n; ++i) {
    absl::StrAppend(&text, "step", i, " {\n  w", i, " = ", type, " parameter(0)\n  g", i, " = ",
                    type, " parameter(1)\n  ROOT u", i, " = ", type, " subtract(w", i, ", g", i,
                    ")\n}\n");
    absl::StrAppend(&entry, "  x", i, " = ", type, " parameter(", 2 * i, ")\n  d", i, " = ", type,
                    " parameter(", 2 * i + 1, ")\n  v", i, " = ", type, " fusion(x", i, ", d", i,
                    "), kind=kLoop, calls=step", i, "\n");
    absl::StrAppend(&shapes, i > 0 ? ", " : "", type);
    absl::StrAppend(&values, i > 0 ? ", " : "", "v", i);
  }
  absl::StrAppend(&text, entry, "  ROOT t = (", shapes, ") tuple(", values, ")\n}\n");
  return text;
}

TEST(HorizontalFusion, SmallLoopsStartTogether) {
  ExpectPass(Updates(3, "f32[64]"), HorizontalFusion(), R"(
    CHECK: fused_computation
    CHECK: ROOT {{.*}} tuple(u0, u1, u2)
    CHECK: ENTRY
    CHECK: = (f32[64], f32[64], f32[64]) fusion(x0, d0, x1, d1, x2, d2), kind=kLoop
    CHECK-NOT: fusion()");
}

TEST(HorizontalFusion, LoopsOfOpenSizesStartTogetherWhereTheyAreEqual) {
  ExpectPass(Updates(2, "f32[n<=64]"), HorizontalFusion(), "CHECK: fusion(x0, d0, x1, d1)");
}

constexpr char kPairOfResults[] = R"(
HloModule m
both {
  a = u8[] parameter(0)
  b = u8[] parameter(2)
  v = pred[] parameter(1)
  w = pred[] parameter(3)
  s = u8[] add(a, b)
  t = pred[] and(v, w)
  ROOT r = (u8[], pred[]) tuple(s, t)
}
sum { a = u8[] parameter(0) b = u8[] parameter(1) ROOT c = u8[] add(a, b) }
pair {
  x = u8[7,5] parameter(0)
  y = pred[5] parameter(1)
  yb = pred[7,5] broadcast(y), dimensions={1}
  zero = u8[] constant(0)
  yes = pred[] constant(true)
  ROOT r = (u8[5], pred[5]) reduce(x, yb, zero, yes), dimensions={0}, to_apply=both
}
one {
  x = u8[7,5] parameter(0)
  zero = u8[] constant(0)
  ROOT r = u8[5] reduce(x, zero), dimensions={0}, to_apply=sum
}
ENTRY main {
  x = u8[7,5] parameter(0)
  y = pred[5] parameter(1)
  z = u8[7,5] parameter(2)
  p = (u8[5], pred[5]) fusion(x, y), kind=kInput, calls=pair
  first = u8[5] get-tuple-element(p), index=0
  s = u8[5] fusion(z), kind=kInput, calls=one
  ROOT t = (u8[5], u8[5]) tuple(first, s)
})";

TEST(HorizontalFusion, ResultsThatNobodyWantsAreGone) {
  ExpectPass(kPairOfResults, HorizontalFusion(), R"(
    CHECK: fused_computation
    CHECK: get-tuple-element({{.*}}), index=0
    CHECK-NOT: index=1
    CHECK: ROOT {{.*}} tuple(
    CHECK: ENTRY)");
}

TEST(HorizontalFusion, LargeKernelsStartAlone) {
  ExpectUnchanged(Updates(3, "f32[1048576]"), HorizontalFusion());
}

TEST(HorizontalFusion, AKernelThatWaitsForAnotherStartsAfterIt) {
  ExpectUnchanged(R"(
HloModule m
first { p = f32[64] parameter(0) ROOT n = f32[64] negate(p) }
second { p = f32[64] parameter(0) ROOT n = f32[64] abs(p) }
ENTRY main {
  x = f32[64] parameter(0)
  a = f32[64] fusion(x), kind=kLoop, calls=first
  c = f32[64] custom-call(a), custom_call_target="foreign"
  ROOT b = f32[64] fusion(c), kind=kLoop, calls=second
})",
                  HorizontalFusion());
}

TEST(HorizontalFusion, OtherShapesStartApart) {
  ExpectUnchanged(R"(
HloModule m
first { p = f32[64] parameter(0) ROOT n = f32[64] negate(p) }
second { p = f32[65] parameter(0) ROOT n = f32[65] abs(p) }
ENTRY main {
  x = f32[64] parameter(0)
  y = f32[65] parameter(1)
  a = f32[64] fusion(x), kind=kLoop, calls=first
  b = f32[65] fusion(y), kind=kLoop, calls=second
  ROOT t = (f32[64], f32[65]) tuple(a, b)
})",
                  HorizontalFusion());
}

TEST(HorizontalFusion, AKernelHasBoundedBuffersAndCode) {
  const std::unique_ptr<ir::Module> module = ParseForTest(Updates(100, "f32[64]"));
  HorizontalFusion pass;
  EXPECT_TRUE(RunForTest(*module, pass));
  for (const ir::Instruction* op : module->entry()->Instructions()) {
    if (op->opcode() != ir::Opcode::kFusion) continue;
    EXPECT_LE(op->operand_count() + (op->shape().is_tuple() ? op->shape().tuple_size() : 1), 96);
  }
  EXPECT_FALSE(RunForTest(*module, pass)) << "the second run finds nothing";
}

TEST(HorizontalFusion, WorkGrowsWithTheProgramOnly) {
  const auto steps = [](int n) {
    const std::unique_ptr<ir::Module> module = ParseForTest(Updates(n, "f32[64]"));
    const cost::DeviceDescription device = cost::TestCpu();
    PassContext context({}, &device);
    HorizontalFusion pass;
    EXPECT_TRUE(pass.Run(*module, context).ok());
    return pass.steps();
  };
  const int64_t once = steps(500);
  EXPECT_GT(once, 0);
  EXPECT_LT(steps(1000), once * 23 / 10);
}

}  // namespace
}  // namespace swage::passes
