// What the PTX of each schedule looks like.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/substitute.h"
#include "tests/codegen/gpu/gpu_modules.h"

namespace swage::gpu {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// The PTX of a module of one kernel.
std::string PtxOf(std::string_view hlo, const std::string& card = "a100") {
  const StatusOr<Compiled> compiled = CompileText(hlo, card);
  EXPECT_TRUE(compiled.ok()) << compiled.status().message();
  if (!compiled.ok()) return "";
  EXPECT_EQ(compiled->kernels.size(), 1u);
  return compiled->kernels[0].code->ptx;
}

// `parts` in this order, each behind the one before.
void ExpectInOrder(const std::string& text, const std::vector<std::string>& parts) {
  size_t at = 0;
  for (const std::string& part : parts) {
    const size_t found = text.find(part, at);
    ASSERT_NE(found, std::string::npos) << "no '" << part << "' behind the one before in\n" << text;
    at = found + part.size();
  }
}

constexpr char kMultiplyAdd[] = R"(
HloModule m
ENTRY main {
  x = f32[100000] parameter(0)
  y = f32[100000] parameter(1)
  m = f32[100000] multiply(x, y)
  ROOT r = f32[100000] add(m, x)
})";

TEST(Ptx, AThreadOfALoopTakesVectors) {
  ExpectInOrder(PtxOf(kMultiplyAdd), {".entry swage_kernel", "%ctaid.x", "%ntid.x", "%tid.x",
                                      "ld.global.v4.f32", "ld.global.v4.f32", "mul.rn.f32",
                                      "st.global.v4.f32", "ld.global.f32", "st.global.f32"});
}

TEST(Ptx, NothingIsContracted) {
  EXPECT_THAT(PtxOf(kMultiplyAdd),
              AllOf(HasSubstr("mul.rn.f32"), HasSubstr("add.rn.f32"), Not(HasSubstr("fma"))));
}

TEST(Ptx, DivisionsAndRootsAreRoundedAndDenormalsKept) {
  const std::string ptx = PtxOf(R"(
HloModule m
ENTRY main {
  x = f32[1000] parameter(0)
  y = f32[1000] parameter(1)
  d = f32[1000] divide(x, y)
  ROOT s = f32[1000] sqrt(d)
})");
  EXPECT_THAT(ptx, AllOf(HasSubstr("div.rn.f32"), HasSubstr("sqrt.rn.f32"), Not(HasSubstr("ftz")),
                         Not(HasSubstr("approx"))));
}

TEST(Ptx, TheTargetFollowsTheCard) {
  EXPECT_THAT(PtxOf(kMultiplyAdd, "a100"), HasSubstr(".target sm_80"));
  EXPECT_THAT(PtxOf(kMultiplyAdd, "l4"), HasSubstr(".target sm_80"));
  EXPECT_THAT(PtxOf(kMultiplyAdd, "h200"), HasSubstr(".target sm_90"));
  EXPECT_THAT(PtxOf(kMultiplyAdd, "b200"), HasSubstr(".target sm_90"));
}

// x summed over one of its two dimensions.
std::string SumText(const char* x, const char* sum, int dimension) {
  return absl::Substitute(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY main {
  x = $0 parameter(0)
  zero = f32[] constant(0)
  ROOT s = $1 reduce(x, zero), dimensions={$2}, to_apply=add
})",
                          x, sum, dimension);
}

TEST(Ptx, RowsAreReducedByShuffles) {
  ExpectInOrder(PtxOf(SumText("f32[64,100]", "f32[64]", 1)),
                {".shared", "shfl.sync.down.b32", "16", "shfl.sync.down.b32", "8",
                 "shfl.sync.idx.b32", "bar.sync"});
}

TEST(Ptx, ColumnsAreReducedSideBySideAndMeetInSharedMemory) {
  ExpectInOrder(PtxOf(SumText("f32[100,6400]", "f32[6400]", 0)),
                {".shared", "ld.global.f32", "ld.global.f32", "ld.global.f32", "ld.global.f32",
                 "st.shared.f32", "bar.sync", "ld.shared.f32"});
}

TEST(Ptx, ATransposeWritesItsNeighboursTogether) {
  const std::string ptx = PtxOf(R"(
HloModule m
ENTRY main {
  x = f32[64,100] parameter(0)
  t = f32[100,64] transpose(x), dimensions={1,0}
  ROOT n = f32[100,64] negate(t)
})");
  EXPECT_THAT(ptx,
              AllOf(HasSubstr("ld.global.f32"), HasSubstr("st.global.f32"), Not(HasSubstr("v4"))));
}

TEST(Ptx, WhatIsNotReadIsNotLoaded) {
  // Concatenated rows: each thread loads from the one operand that holds its elements.
  const std::string ptx = PtxOf(R"(
HloModule m
ENTRY main {
  x = f32[10,64] parameter(0)
  y = f32[20,64] parameter(1)
  c = f32[30,64] concatenate(x, y), dimensions={0}
  ROOT n = f32[30,64] negate(c)
})");
  EXPECT_THAT(ptx, AllOf(HasSubstr("bra"), HasSubstr("ld.global"), Not(HasSubstr("local"))));
}

TEST(Ptx, ADotSumsWithFusedMultiplyAdds) {
  EXPECT_THAT(PtxOf(R"(
HloModule m
ENTRY main {
  x = f32[8,16] parameter(0)
  y = f32[16,24] parameter(1)
  ROOT d = f32[8,24] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})"),
              AllOf(HasSubstr("fma.rn.f32"), HasSubstr("ld.global.v4.f32")));
}

TEST(Ptx, ArraysOfNumbersAreGlobalConstants) {
  const auto module = ir::ParseHlo(R"(
HloModule m
f {
  x = f32[3] parameter(0)
  c = f32[3] constant({1, 5, 2})
  ROOT r = f32[3] add(x, c)
}
ENTRY main {
  x = f32[3] parameter(0)
  ROOT r = f32[3] fusion(x), kind=kLoop, calls=f
})");
  ASSERT_TRUE(module.ok()) << module.status().message();
  const StatusOr<GpuKernel> kernel =
      CompileKernel(*(*module)->entry()->root(), *GpuTarget::For(*cost::GpuNamed("a100")), {});
  ASSERT_TRUE(kernel.ok()) << kernel.status().message();
  EXPECT_THAT(kernel->code->ptx, HasSubstr(".global .align 64 .b8 "));
}

}  // namespace
}  // namespace swage::gpu
