// Programs that differ in where they read and write share their kernels, and compute the same bits
// as the evaluator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "codegen/cpu/compile.h"
#include "codegen/run_on_literals.h"
#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/parser.h"
#include "compiler/passes/evaluation_check.h"

namespace swage::cpu {
namespace {

using ir::Literal;

// Compiles and compares; the kernels that LLVM generated.
int64_t LlvmRuns(const std::string& entry) {
  const auto module = ir::ParseHlo(absl::StrCat("HloModule m\nENTRY main {\n", entry, "}\n"));
  EXPECT_TRUE(module.ok()) << module.status();
  const auto arguments = passes::RandomArguments(**module, passes::InputKind::kSpecial);
  EXPECT_TRUE(arguments.ok()) << arguments.status();
  const auto want = evaluator::Evaluate(**module, *arguments);
  EXPECT_TRUE(want.ok()) << want.status();
  const auto executable = Compile((*module)->Clone(), {});
  EXPECT_TRUE(executable.ok()) << executable.status();
  auto got = codegen::RunOnLiterals(**executable, *arguments);
  EXPECT_TRUE(got.ok()) << got.status();
  Literal result = want->is_tuple() ? Literal::Tuple(*std::move(got)) : (*std::move(got))[0];
  const auto difference = passes::FirstDifference(*want, result, /*has_dots=*/false);
  EXPECT_FALSE(difference.has_value()) << *difference << "\n" << entry;
  return (*executable)->report().llvm_runs;
}

// `text` of a place gives a program; the first one is compiled before.
void ExpectSharedKernels(std::string (*text)(int), const std::vector<int>& places) {
  codegen::KernelCache::Get().Clear();
  EXPECT_GT(LlvmRuns(text(places[0])), 0);
  for (const int place : places) EXPECT_EQ(LlvmRuns(text(place)), 0) << place;
}

std::string Slice(int at) {
  return absl::StrCat(R"(
  x = f32[40,37] parameter(0)
  y = f32[2,37] parameter(1)
  s = f32[2,37] slice(x), slice={[)",
                      at, ":", at + 2, R"(], [0:37]}
  ROOT r = f32[2,37] add(s, y)
)");
}

std::string SliceOfTheLanes(int at) {
  return absl::StrCat(R"(
  x = f32[5,80] parameter(0)
  s = f32[5,33] slice(x), slice={[0:5], [)",
                      at, ":", at + 33, R"(]}
  t = f32[5,33] slice(x), slice={[0:5], [)",
                      at + 3, ":", at + 36, R"(]}
  ROOT r = f32[5,33] subtract(s, t)
)");
}

std::string EveryThird(int at) {
  return absl::StrCat(R"(
  x = f32[90] parameter(0)
  s = f32[20] slice(x), slice={[)",
                      at, ":", at + 58, R"(:3]}
  ROOT r = f32[20] negate(s)
)");
}

std::string Pad(int low) {
  return absl::StrCat(R"(
  x = f32[3,37] parameter(0)
  y = f32[40,37] parameter(1)
  z = f32[] parameter(2)
  p = f32[40,37] pad(x, z), padding=)",
                      low, "_", 37 - low, R"(x0_0
  ROOT r = f32[40,37] add(p, y)
)");
}

std::string Update(int at) {
  return absl::StrCat(R"(
  x = f32[40,37] parameter(0)
  y = f32[2,37] parameter(1)
  n = f32[2,37] negate(y)
  at = s32[] constant()",
                      at, R"()
  zero = s32[] constant(0)
  ROOT r = f32[40,37] dynamic-update-slice(x, n, at, zero)
)");
}

std::string TwoUpdates(int at) {
  return absl::StrCat(R"(
  x = f32[40,37] parameter(0)
  y = f32[2,5] parameter(1)
  a = s8[] constant()",
                      at, R"()
  b = s8[] constant()",
                      at - 3, R"()
  u = f32[40,37] dynamic-update-slice(x, y, a, b)
  n = f32[2,5] negate(y)
  ROOT r = f32[40,37] dynamic-update-slice(u, n, b, a)
)");
}

TEST(Windows, SlicesShareAKernel) {
  ExpectSharedKernels(Slice, {1, 2, 7, 17, 38});
  ExpectSharedKernels(SliceOfTheLanes, {1, 2, 16, 31, 43});
  ExpectSharedKernels(EveryThird, {1, 2, 5, 31});
}

TEST(Windows, PadsShareAKernel) { ExpectSharedKernels(Pad, {1, 2, 7, 36}); }

// Also where the start is clamped.
TEST(Windows, UpdatesShareAKernel) {
  ExpectSharedKernels(Update, {1, 7, 38, 39, 1000, -1, -2147483647});
  ExpectSharedKernels(TwoUpdates, {1, 2, 20, 38, 127, -100});
}

}  // namespace
}  // namespace swage::cpu
