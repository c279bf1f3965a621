#include "compiler/passes/physical_padding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "compiler/passes/padding/fill.h"
#include "compiler/passes/padding/rule_table.h"
#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

using ::testing::HasSubstr;

CompilerOptions Forced(PaddingMasks masks = PaddingMasks::kNeeded,
                       PaddingFill fill = PaddingFill::kNan) {
  CompilerOptions options;
  options.padding = Padding::kForced;
  options.padding_fill = fill;
  options.padding_masks = masks;
  return options;
}

constexpr char kSum[] = R"(HloModule m
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[n<=64,8] parameter(0)
  e = f32[n,8] exponential(x)
  k = f32[] constant(0)
  ROOT r = f32[8] reduce(e, k), dimensions={0}, to_apply=sum
})";

Status ErrorOf(std::string_view hlo) {
  const std::unique_ptr<ir::Module> module = ParseForTest(hlo);
  PassContext context(Forced());
  return PhysicalPadding().Run(*module, context).status();
}

TEST(PhysicalPadding, DoesNothingUnlessItIsAskedFor) { ExpectUnchanged(kSum, PhysicalPadding()); }

TEST(PhysicalPadding, LeavesProgramsOfFixedSizesAlone) {
  ExpectUnchanged(R"(HloModule m
ENTRY e {
  x = f32[64,8] parameter(0)
  ROOT r = f32[64,8] exponential(x)
})",
                  PhysicalPadding(), Forced());
}

TEST(PhysicalPadding, PadsArgumentsAndCutsResults) {
  ExpectPass(R"(HloModule m
ENTRY e {
  x = f32[n<=64,8] parameter(0)
  ROOT r = f32[n,8] exponential(x)
})",
             PhysicalPadding(), R"(
    CHECK: [[X:[a-z.0-9]+]] = f32[n<=64,8] parameter(0)
    CHECK: [[V:[a-z.0-9]+]] = f32[] constant(nan)
    CHECK: [[P:[a-z.0-9]+]] = f32[64,8] pad([[X]], [[V]])
    CHECK: [[E:[a-z.0-9]+]] = f32[64,8] exponential([[P]])
    CHECK: ROOT {{.*}} = f32[n,8] slice([[E]]), slice={[0:n], [0:8]})",
             Forced());
}

TEST(PhysicalPadding, MasksWhatAReductionWouldSee) {
  ExpectPass(kSum, PhysicalPadding(), R"(
    CHECK: [[E:[a-z.0-9]+]] = f32[64,8] exponential(
    CHECK: f32[] constant(-0)
    CHECK: iota(
    CHECK: get-dimension-size(
    CHECK: pred[64] compare({{.*}}), direction=LT
    CHECK: [[M:[a-z.0-9]+]] = f32[64,8] select({{.*}}, [[E]],
    CHECK: ROOT {{.*}} = f32[8] reduce([[M]],)",
             Forced());
}

TEST(PhysicalPadding, DoesNotMaskWhatNoReductionSees) {
  ExpectPass(R"(HloModule m
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[n<=64,8] parameter(0)
  k = f32[] constant(0)
  ROOT r = f32[n] reduce(x, k), dimensions={1}, to_apply=sum
})",
             PhysicalPadding(), R"(
    CHECK-NOT: select
    CHECK: ROOT {{.*}} = f32[n] slice()",
             Forced());
}

// relu(0) is 0, and 0 in the padding does for a sum that begins at 0.
constexpr char kRelu[] = R"(HloModule m
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[n<=64,8] parameter(0)
  z = f32[] constant(0)
  zeros = f32[n,8] broadcast(z), dimensions={}
  y = f32[n,8] maximum(x, zeros)
  ROOT r = f32[8] reduce(y, z), dimensions={0}, to_apply=sum
})";

TEST(PhysicalPadding, SkipsMasksOverWhatIsThereAlready) {
  ExpectPass(kRelu, PhysicalPadding(), "CHECK-NOT: select",
             Forced(PaddingMasks::kNeeded, PaddingFill::kZero));
}

TEST(PhysicalPadding, MakesAllMasksWhenToldTo) {
  ExpectPass(kRelu, PhysicalPadding(), "CHECK: select(",
             Forced(PaddingMasks::kAll, PaddingFill::kZero));
}

TEST(PhysicalPadding, MasksWhereTheFillIsNotTheIdentity) {
  ExpectPass(kRelu, PhysicalPadding(), "CHECK: select(",
             Forced(PaddingMasks::kNeeded, PaddingFill::kLarge));
}

TEST(PhysicalPadding, ZerosDoNotDoForASumThatBeginsAtMinusZero) {
  ExpectPass(R"(HloModule m
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[n<=64] parameter(0)
  z = f32[] constant(-0)
  ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=sum
})",
             PhysicalPadding(), "CHECK: select(",
             Forced(PaddingMasks::kNeeded, PaddingFill::kZero));
}

TEST(PhysicalPadding, MasksBothSidesOfADot) {
  ExpectPass(R"(HloModule m
ENTRY e {
  x = f32[8,n<=64] parameter(0)
  y = f32[n,5] parameter(1)
  ROOT r = f32[8,5] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})",
             PhysicalPadding(), R"(
    CHECK: [[X:[a-z.0-9]+]] = f32[8,64] select(
    CHECK: [[Y:[a-z.0-9]+]] = f32[64,5] select(
    CHECK: ROOT {{.*}} = f32[8,5] dot([[X]], [[Y]]))",
             Forced());
}

TEST(PhysicalPadding, KeepsADotThatContractsNoPadding) {
  ExpectPass(R"(HloModule m
ENTRY e {
  x = f32[n<=64,8] parameter(0)
  y = f32[8,5] parameter(1)
  ROOT r = f32[n,5] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})",
             PhysicalPadding(), R"(
    CHECK-NOT: select
    CHECK: f32[64,5] dot()",
             Forced());
}

TEST(PhysicalPadding, RepacksAReshapeThatMovesLanes) {
  ExpectPass(R"(HloModule m
ENTRY e {
  x = f32[2,n<=64] parameter(0)
  e = f32[2,n] exponential(x)
  r = f32[2*n] reshape(e)
  ROOT s = f32[2*n] negate(r)
})",
             PhysicalPadding(), R"(
    CHECK: [[E:[a-z.0-9]+]] = f32[2,64] exponential(
    CHECK: [[S:[a-z.0-9]+]] = f32[2,n] slice([[E]])
    CHECK: [[R:[a-z.0-9]+]] = f32[2*n] reshape([[S]])
    CHECK: [[P:[a-z.0-9]+]] = f32[128] pad([[R]],
    CHECK: f32[128] negate([[P]]))",
             Forced());
}

TEST(PhysicalPadding, DoesNotRepackAReshapeThatMovesNone) {
  ExpectPass(R"(HloModule m
ENTRY e {
  x = f32[n<=64,2] parameter(0)
  r = f32[2*n] reshape(x)
  ROOT s = f32[2*n] negate(r)
})",
             PhysicalPadding(), R"(
    CHECK: [[P:[a-z.0-9]+]] = f32[64,2] pad(
    CHECK: [[R:[a-z.0-9]+]] = f32[128] reshape([[P]])
    CHECK: f32[128] negate([[R]]))",
             Forced());
}

TEST(PhysicalPadding, LeavesDenseWhatOnlyRepackedOpsUse) {
  ExpectUnchanged(R"(HloModule m
ENTRY e {
  x = f32[n<=64] parameter(0)
  ROOT r = f32[n] reverse(x), dimensions={0}
})",
                  PhysicalPadding(), Forced());
}

TEST(PhysicalPadding, PassesOverPaddedLanesOfAnyCombiner) {
  ExpectPass(R"(HloModule m
last { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] subtract(b, a) }
ENTRY e {
  x = s32[n<=9] parameter(0)
  k = s32[] constant(0)
  ROOT r = s32[] reduce(x, k), dimensions={0}, to_apply=last
})",
             PhysicalPadding(), R"(
    CHECK: last.valid
    CHECK: (s32[], pred[]) reduce(
    CHECK: ROOT {{.*}} = s32[] get-tuple-element({{.*}}), index=0)",
             Forced());
}

TEST(PhysicalPadding, SizesAreThoseOfTheCall) {
  ExpectPass(R"(HloModule m
ENTRY e {
  x = f32[n<=64] parameter(0)
  e = f32[n] exponential(x)
  s = s32[] get-dimension-size(e), dimensions={0}
  ROOT r = (f32[n], s32[]) tuple(e, s)
})",
             PhysicalPadding(), R"(
    CHECK: [[X:[a-z.0-9]+]] = f32[n<=64] parameter(0)
    CHECK: s32[] get-dimension-size([[X]]), dimensions={0})",
             Forced());
}

TEST(PhysicalPadding, AnOpWithoutARuleIsNamedWithItsArgument) {
  const Status status = ErrorOf(R"(HloModule m
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
ENTRY e {
  k = f32[3] parameter(0)
  x = f32[3,n<=64] parameter(1)
  ROOT sorted = f32[3,n] sort(x), dimensions={1}, to_apply=less
})");
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(
      std::string(status.message()),
      HasSubstr("[padding] sort (sorted) has no padding rule, got sizes from argument 1 (x), "
                "whose dimension 1 is n"));
}

TEST(PhysicalPadding, AnOpWithoutARuleOverFixedSizesIsNoProblem) {
  const std::unique_ptr<ir::Module> module = ParseForTest(R"(HloModule m
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
ENTRY e {
  x = f32[n<=64] parameter(0)
  k = f32[3] parameter(1)
  y = f32[n] negate(x)
  sorted = f32[3] sort(k), dimensions={0}, to_apply=less
  ROOT r = (f32[n], f32[3]) tuple(y, sorted)
})");
  PassContext context(Forced());
  const auto changed = PhysicalPadding().Run(*module, context);
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_TRUE(*changed);
}

TEST(PhysicalPadding, ASizeWithoutABoundIsNamed) {
  const Status status = ErrorOf(R"(HloModule m
ENTRY e {
  x = f32[n] parameter(0)
  ROOT r = f32[n] exponential(x)
})");
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), HasSubstr("without an upper bound"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("argument 0 (x)"));
}

TEST(PhysicalPadding, ArraysThatWouldBeTooLargeAreNamed) {
  const Status status = ErrorOf(R"(HloModule m
ENTRY e {
  x = f32[n<=100000] parameter(0)
  b = f32[n,n] broadcast(x), dimensions={0}
  ROOT r = f32[n,n] exponential(b)
})");
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("b would be f32[100000,100000], at most 2147483647 elements are padded"));
}

TEST(PaddingRules, TheDocumentedTableIsThatOfTheOpTable) {
  std::ifstream file("docs/buckets.md");
  ASSERT_TRUE(file) << "tests run in the repository root";
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("<!-- padding rules: begin -->\n" + padding::RuleTable() +
                                    "<!-- padding rules: end -->"))
      << "put what `swage passes --padding-rules` prints between the marks";
}

TEST(PaddingFill, IdentitiesAreNeutral) {
  using ir::DType;
  using ir::Opcode;
  EXPECT_EQ(padding::IdentityOf(Opcode::kAdd, DType::kF32)->GetBits(0), 0x80000000u);
  EXPECT_EQ(padding::IdentityOf(Opcode::kMaximum, DType::kS8)->GetInt(0), -128);
  EXPECT_EQ(padding::IdentityOf(Opcode::kMinimum, DType::kS4)->GetInt(0), 7);
  EXPECT_EQ(padding::IdentityOf(Opcode::kMaximum, DType::kS4)->GetInt(0), -8);
  EXPECT_EQ(padding::IdentityOf(Opcode::kMinimum, DType::kU64)->GetBits(0), ~uint64_t{0});
  EXPECT_EQ(padding::IdentityOf(Opcode::kMaximum, DType::kF8E4M3FN)->GetDouble(0), -448);
  EXPECT_EQ(padding::IdentityOf(Opcode::kAnd, DType::kPred)->GetBits(0), 1u);
  EXPECT_EQ(padding::IdentityOf(Opcode::kAnd, DType::kS4)->GetInt(0), -1);
  EXPECT_EQ(padding::IdentityOf(Opcode::kMinimum, DType::kPred)->GetBits(0), 1u);
  EXPECT_FALSE(padding::IdentityOf(Opcode::kSubtract, DType::kF32).has_value());
}

}  // namespace
}  // namespace swage::passes
