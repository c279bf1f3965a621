#include "compiler/passes/slice_mover.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

std::string Module(std::string_view body) {
  return "HloModule m\n"
         "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] add(a, b)\n}\n"
         "ENTRY e {\n" +
         std::string(body) + "\n}\n";
}

TEST(SliceMover, OnlyTheLastRowOfADotIsComputed) {
  ExpectPass(Module(R"(
  x = f32[64,16] parameter(0)
  w = f32[16,50] parameter(1)
  d = f32[64,50] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT s = f32[1,50] slice(d), slice={[63:64], [0:50]})"),
             SliceMover(), R"(
    CHECK: [[X:[a-z.0-9-]+]] = f32[1,16] slice(x), slice={[63:64], [0:16]}
    CHECK: ROOT {{.*}} = f32[1,50] dot([[X]], w))");
}

TEST(SliceMover, ARowAtRunTimeIsClampedAsBefore) {
  ExpectPass(Module(R"(
  x = f32[4,64,16] parameter(0)
  w = f32[4,16,50] parameter(1)
  i = s32[] parameter(2)
  zero = s32[] constant(0)
  d = f32[4,64,50] dot(x, w), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
  ROOT s = f32[1,3,50] dynamic-slice(d, i, i, zero), dynamic_slice_sizes={1,3,50})"),
             SliceMover(), R"(
    CHECK: f32[1,3,16] dynamic-slice(x, i, i, {{.*}})
    CHECK: f32[1,16,50] dynamic-slice(w, i, {{.*}}, zero)
    CHECK: ROOT {{.*}} = f32[1,3,50] dot()");
}

TEST(SliceMover, HalfADotIsNotWorthCopyingItsOperand) {
  ExpectUnchanged(Module(R"(
  x = f32[64,16] parameter(0)
  w = f32[16,50] parameter(1)
  d = f32[64,50] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT s = f32[32,50] slice(d), slice={[0:32], [0:50]})"),
                  SliceMover());
}

TEST(SliceMover, ReducesOnlyTheRowsThatAreWanted) {
  ExpectPass(Module(R"(
  x = f32[6,n<=40,7] parameter(0)
  v = f32[] constant(0)
  r = f32[6,7] reduce(x, v), dimensions={1}, to_apply=add
  ROOT s = f32[2,7] slice(r), slice={[0:4:2], [0:7]})"),
             SliceMover(), R"(
    CHECK: [[X:[a-z.0-9-]+]] = f32[2,n,7] slice(x), slice={[0:4:2], [0:n:1], [0:7:1]}
    CHECK: ROOT {{.*}} = f32[2,7] reduce([[X]], v), dimensions={1})");
}

TEST(SliceMover, PassesTransposesAndElementwiseOps) {
  ExpectPass(Module(R"(
  x = f32[5,8] parameter(0)
  low = f32[] constant(-1)
  high = f32[] constant(1)
  t = f32[8,5] transpose(x), dimensions={1,0}
  c = f32[8,5] clamp(low, t, high)
  ROOT s = f32[2,5] slice(c), slice={[3:5], [0:5]})"),
             SliceMover(), R"(
    CHECK: [[X:[a-z.0-9-]+]] = f32[5,2] slice(x), slice={[0:5], [3:5]}
    CHECK: [[T:[a-z.0-9-]+]] = f32[2,5] transpose([[X]])
    CHECK: ROOT {{.*}} = f32[2,5] clamp(low, [[T]], high))");
}

TEST(SliceMover, WhatOthersNeedWholeStaysWhole) {
  ExpectUnchanged(Module(R"(
  x = f32[8,5] parameter(0)
  e = f32[8,5] exponential(x)
  s = f32[2,5] slice(e), slice={[3:5], [0:5]}
  ROOT t = (f32[8,5], f32[2,5]) tuple(e, s))"),
                  SliceMover());
}

// x + f(x), again and again: the two paths meet in one slice.
TEST(SliceMover, FollowsResidualPathsInOneRun) {
  std::string body = "  v0 = f32[32,4] parameter(0)\n";
  for (int i = 0; i < 200; ++i) {
    absl::StrAppend(&body, "  f", i, " = f32[32,4] tanh(v", i, ")\n  v", i + 1,
                    " = f32[32,4] add(v", i, ", f", i, ")\n");
  }
  absl::StrAppend(&body, "  ROOT s = f32[1,4] slice(v200), slice={[31:32], [0:4]}");
  const std::unique_ptr<ir::Module> module = ParseForTest(Module(body));
  SliceMover pass;
  EXPECT_TRUE(RunForTest(*module, pass));
  int slices = 0;
  for (const ir::Instruction* op : module->entry()->Instructions()) {
    if (op->opcode() == ir::Opcode::kSlice) ++slices;
  }
  EXPECT_EQ(slices, 1);
  EXPECT_EQ(module->entry()->instruction_count(), 2 + 2 * 200);
  EXPECT_FALSE(RunForTest(*module, pass));
}

}  // namespace
}  // namespace swage::passes
