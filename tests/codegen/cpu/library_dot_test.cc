// Dots that oneDNN computes: every type, layout and size, packed weights, threads, failures.
#include "codegen/cpu/library_dot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <immintrin.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <limits>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/parallel_for.h"
#include "codegen/cpu/compile.h"
#include "codegen/cpu/cpu_executable.h"
#include "codegen/run_on_literals.h"
#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/bind_symbols.h"
#include "compiler/ir/parser.h"
#include "compiler/passes/evaluation_check.h"
#include "tests/codegen/map_store.h"

namespace swage::cpu {
namespace {

using codegen::Executable;
using ir::Literal;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::unique_ptr<ir::Module> Parse(std::string_view text) {
  StatusOr<std::unique_ptr<ir::Module>> module = ir::ParseHlo(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : nullptr;
}

CompileOptions All() {
  CompileOptions options;
  options.compiler.library_dots = cost::LibraryDots::kAlways;
  return options;
}

std::shared_ptr<Executable> CompileText(std::string_view text,
                                        const CompileOptions& options = All()) {
  auto executable = Compile(Parse(text), options);
  EXPECT_TRUE(executable.ok()) << executable.status();
  return executable.ok() ? *executable : nullptr;
}

// The dots of a program that the library computes.
std::vector<const LibraryDot*> LibraryDots(const Executable& executable) {
  std::vector<const LibraryDot*> dots;
  for (const Step& step : static_cast<const CpuExecutable&>(executable).program().steps) {
    if (step.library != nullptr) dots.push_back(step.library.get());
  }
  return dots;
}

std::string DotText(std::string_view a, std::string_view b, std::string_view c,
                    std::string_view how) {
  return absl::StrReplaceAll(
      "HloModule m\nENTRY e {\n  a = $a parameter(0)\n  b = $b parameter(1)\n"
      "  ROOT c = $c dot(a, b), $how\n}\n",
      {{"$how", ToAbsl(how)}, {"$a", ToAbsl(a)}, {"$b", ToAbsl(b)}, {"$c", ToAbsl(c)}});
}
constexpr char kPlain[] = "lhs_contracting_dims={1}, rhs_contracting_dims={0}";

void ExpectClose(Executable& executable, const ir::Module& module,
                 passes::InputKind kind = passes::InputKind::kOrdinary) {
  const auto arguments = passes::RandomArguments(module, kind);
  ASSERT_TRUE(arguments.ok()) << arguments.status();
  const auto want = evaluator::Evaluate(module, *arguments);
  ASSERT_TRUE(want.ok()) << want.status();
  const auto got = codegen::RunOnLiterals(executable, *arguments);
  ASSERT_TRUE(got.ok()) << got.status();
  const auto difference = passes::FirstDifference(*want, (*got)[0], /*tolerant=*/true);
  EXPECT_FALSE(difference.has_value()) << *difference;
}

bool HasBf16() { return cost::HostCpu().bf16_products; }

TEST(LibraryDotTest, EveryTypeAndLayoutAgreesWithTheEvaluator) {
  struct Case {
    const char *a, *b, *c, *how;
  };
  const char* const batched =
      "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}";
  for (const auto& [a, b, c, how] : {
           Case{"f32[70,64]", "f32[64,130]", "f32[70,130]", kPlain},
           Case{"f32[64,70]", "f32[64,130]", "f32[70,130]",
                "lhs_contracting_dims={0}, rhs_contracting_dims={0}"},
           Case{"f32[70,64]", "f32[130,64]", "f32[70,130]",
                "lhs_contracting_dims={1}, rhs_contracting_dims={1}"},
           Case{"f32[64,70]", "f32[130,64]", "f32[70,130]",
                "lhs_contracting_dims={0}, rhs_contracting_dims={1}"},
           Case{"f32[9,17,33]", "f32[9,33,5]", "f32[9,17,5]", batched},
           Case{"f32[1,7]", "f32[7,2]", "f32[1,2]", kPlain},
           Case{"f32[300,700]", "f32[700,600]", "f32[300,600]", kPlain},
           Case{"bf16[70,64]", "bf16[64,130]", "bf16[70,130]", kPlain},
           Case{"bf16[70,65]", "bf16[130,65]", "f32[70,130]",
                "lhs_contracting_dims={1}, rhs_contracting_dims={1}"},
           Case{"bf16[65,70]", "bf16[65,130]", "bf16[70,130]",
                "lhs_contracting_dims={0}, rhs_contracting_dims={0}"},
           Case{"bf16[3,17,33]", "bf16[3,33,5]", "f32[3,17,5]", batched},
       }) {
    const std::string text = DotText(a, b, c, how);
    SCOPED_TRACE(text);
    const auto executable = CompileText(text);
    ASSERT_NE(executable, nullptr);
    const bool bf16 = std::string_view(a).starts_with("bf16");
    EXPECT_EQ(LibraryDots(*executable).size(), !bf16 || HasBf16() ? 1u : 0u);
    ExpectClose(*executable, *Parse(text));
  }
}

TEST(LibraryDotTest, OtherTypesAreEmitted) {
  for (const char* type : {"f64", "f16", "s32", "u8"}) {
    const std::string text =
        absl::StrReplaceAll(DotText("$[64,64]", "$[64,64]", "$[64,64]", kPlain), {{"$", type}});
    const auto executable = CompileText(text);
    ASSERT_NE(executable, nullptr);
    EXPECT_TRUE(LibraryDots(*executable).empty()) << type;
  }
}

TEST(LibraryDotTest, OneOperandMayBeBothSides) {
  const std::string text =
      "HloModule m\nENTRY e {\n  a = f32[64,64] parameter(0)\n"
      "  ROOT c = f32[64,64] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";
  const auto executable = CompileText(text);
  EXPECT_EQ(LibraryDots(*executable).size(), 1u);
  ExpectClose(*executable, *Parse(text));
}

// What is emitted for a size that is computed at all.
codegen::DotProblem Problem(int64_t m, int64_t n, int64_t k) { return {.m = m, .n = n, .k = k}; }

TEST(LibraryDotTest, SumsOfNothingAreZeros) {
  const auto dot = LibraryDot::Create(Problem(3, 4, 0), nullptr);
  ASSERT_TRUE(dot.ok()) << dot.status();
  std::vector<float> c(12, kNaN);
  ASSERT_TRUE((*dot)->Run(nullptr, nullptr, c.data()).ok());
  EXPECT_THAT(c, testing::Each(0.0f));
}

TEST(LibraryDotTest, NoResultsAreNoWork) {
  for (const auto& problem : {Problem(0, 4, 5), Problem(4, 0, 5), Problem(0, 0, 0)}) {
    const auto dot = LibraryDot::Create(problem, nullptr);
    ASSERT_TRUE(dot.ok()) << dot.status();
    EXPECT_TRUE((*dot)->Run(nullptr, nullptr, nullptr).ok());
  }
}

TEST(LibraryDotTest, NanAndInfinityReachTheirSumsAndNoOther) {
  constexpr int64_t kM = 70, kN = 90, kK = 40;
  std::vector<float> a(kM * kK, 1), b(kK * kN, 1), c(kM * kN, kNaN);
  a[3 * kK + 5] = kNaN;
  a[4 * kK + 5] = kInfinity;
  a[5 * kK + 5] = kInfinity;
  a[5 * kK + 6] = -kInfinity;
  for (const void* weights :
       {static_cast<const void*>(nullptr), static_cast<const void*>(b.data())}) {
    const auto dot = LibraryDot::Create(Problem(kM, kN, kK), weights);
    ASSERT_TRUE(dot.ok()) << dot.status();
    ASSERT_TRUE((*dot)->Run(a.data(), b.data(), c.data()).ok());
    for (int64_t i = 0; i < kM; ++i) {
      for (int64_t j = 0; j < kN; ++j) {
        const float got = c[i * kN + j];
        if (i == 3 || i == 5) {
          EXPECT_TRUE(std::isnan(got)) << i << " " << j;
        } else {
          EXPECT_EQ(got, i == 4 ? kInfinity : kK) << i << " " << j;
        }
      }
    }
  }
}

TEST(LibraryDotTest, DenormalsAreKept) {
  constexpr float kTiny = std::numeric_limits<float>::denorm_min();
  std::vector<float> a(64 * 64, 0), b(64 * 64, 0), c(64 * 64, kNaN);
  for (int i = 0; i < 64; ++i) a[i * 64 + i] = 1;
  for (float& x : b) x = 3 * kTiny;
  const auto dot = LibraryDot::Create(Problem(64, 64, 64), nullptr);
  ASSERT_TRUE(dot.ok()) << dot.status();
  const unsigned mode = _mm_getcsr();
  _mm_setcsr(mode | 0x8040);  // flush-to-zero, as another library may have left it
  EXPECT_TRUE((*dot)->Run(a.data(), b.data(), c.data()).ok());
  const unsigned after = _mm_getcsr();
  _mm_setcsr(mode);
  EXPECT_EQ(after & 0x8040, 0x8040u);
  EXPECT_THAT(c, testing::Each(3 * kTiny));
}

TEST(LibraryDotTest, SidesMayLieAtAnyElement) {
  constexpr int64_t kM = 65, kN = 70, kK = 33;
  std::vector<float> a(kM * kK + 16, 1), b(kK * kN + 16, 2), c(kM * kN + 16);
  const auto dot = LibraryDot::Create(Problem(kM, kN, kK), nullptr);
  ASSERT_TRUE(dot.ok()) << dot.status();
  for (const int at : {1, 3, 7}) {
    std::fill(c.begin(), c.end(), -1.0f);
    ASSERT_TRUE((*dot)->Run(a.data() + at, b.data() + at + 1, c.data() + at).ok());
    EXPECT_EQ(c[at - 1], -1);
    EXPECT_EQ(c[at + kM * kN], -1);
    EXPECT_TRUE(
        std::all_of(c.begin() + at, c.begin() + at + kM * kN, [](float x) { return x == 2 * kK; }));
  }
}

TEST(LibraryDotTest, TheBitsDoNotDependOnTheThreads) {
  const std::string text = DotText("f32[500,700]", "f32[700,900]", "f32[500,900]", kPlain);
  const auto arguments = passes::RandomArguments(*Parse(text), passes::InputKind::kOrdinary);
  const auto executable = CompileText(text);
  ASSERT_EQ(LibraryDots(*executable).size(), 1u);
  const int threads = NumThreads();
  std::vector<Literal> first;
  for (const int count : {1, 2, 3}) {
    SetNumThreads(count);
    auto got = codegen::RunOnLiterals(*executable, *arguments);
    ASSERT_TRUE(got.ok()) << got.status();
    if (first.empty()) first = *got;
    EXPECT_EQ(first[0].Hash(), (*got)[0].Hash()) << count;
  }
  SetNumThreads(threads);
}

int64_t ThreadsOfProcess() {
  int64_t count = 0;
  for ([[maybe_unused]] const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    ++count;
  }
  return count;
}

TEST(LibraryDotTest, NoThreadsAreStartedForIt) {
  const int threads = NumThreads();
  SetNumThreads(1);
  std::vector<float> a(512 * 512, 1), b(512 * 512, 1), c(512 * 512);
  const int64_t before = ThreadsOfProcess();
  const auto dot = LibraryDot::Create(Problem(512, 512, 512), nullptr);
  ASSERT_TRUE(dot.ok()) << dot.status();
  ASSERT_TRUE((*dot)->Run(a.data(), b.data(), c.data()).ok());
  EXPECT_EQ(ThreadsOfProcess(), before);
  SetNumThreads(threads);
}

TEST(LibraryDotTest, SixteenCallersAgree) {
  const std::string text = DotText("f32[200,96]", "f32[96,300]", "f32[200,300]", kPlain);
  const auto arguments = passes::RandomArguments(*Parse(text), passes::InputKind::kOrdinary);
  const auto executable = CompileText(text);
  ASSERT_EQ(LibraryDots(*executable).size(), 1u);
  const Hash128 want = (*codegen::RunOnLiterals(*executable, *arguments))[0].Hash();
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 16; ++i) {
    callers.emplace_back([&] {
      for (int j = 0; j < 8; ++j) {
        const auto got = codegen::RunOnLiterals(*executable, *arguments);
        if (!got.ok() || !((*got)[0].Hash() == want)) ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

// A dot with constant weights, which are all different.
std::string WeightsText(const char* type, int rows, int columns) {
  std::string weights = "{";
  for (int i = 0; i < rows; ++i) {
    absl::StrAppend(&weights, i == 0 ? "{" : ", {");
    for (int j = 0; j < columns; ++j) {
      absl::StrAppend(&weights, j == 0 ? "" : ", ", (i * 7 + j * 3) % 32, ".5");
    }
    absl::StrAppend(&weights, "}");
  }
  return absl::StrReplaceAll(
      "HloModule m\nENTRY e {\n  a = $t[40,$r] parameter(0)\n  w = $t[$r,$c] constant($w)\n"
      "  ROOT c = $t[40,$c] dot(a, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n",
      {{"$t", type},
       {"$r", absl::StrCat(rows)},
       {"$c", absl::StrCat(columns)},
       {"$w", weights + "}"}});
}

TEST(LibraryDotTest, ConstantWeightsArePackedOnceAndCounted) {
  for (const char* type : {"f32", "bf16"}) {
    if (std::string_view(type) == "bf16" && !HasBf16()) continue;
    const std::string text = WeightsText(type, 33, 150);
    const auto executable = CompileText(text);
    ASSERT_NE(executable, nullptr);
    const auto dots = LibraryDots(*executable);
    ASSERT_EQ(dots.size(), 1u);
    EXPECT_TRUE(dots[0]->is_packed());
    EXPECT_GE(dots[0]->memory_bytes(), 33 * 150 * 2);
    EXPECT_GE(executable->memory_bytes(), dots[0]->memory_bytes());
    EXPECT_THAT(dots[0]->ToString(), testing::HasSubstr("packed weights"));
    ExpectClose(*executable, *Parse(text));
  }
}

TEST(LibraryDotTest, WeightsThatAreArgumentsAreNotPacked) {
  const auto executable = CompileText(DotText("f32[64,64]", "f32[64,64]", "f32[64,64]", kPlain));
  EXPECT_FALSE(LibraryDots(*executable)[0]->is_packed());
}

TEST(LibraryDotTest, TransposedWeightsOfABatchArePacked) {
  codegen::DotProblem problem = Problem(30, 600, 50);
  problem.batch = 3;
  problem.transpose_b = true;
  std::vector<float> a(3 * 30 * 50), b(3 * 600 * 50);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 13);
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 17);
  std::vector<float> plain(3 * 30 * 600), packed(3 * 30 * 600);
  const auto from_plain = LibraryDot::Create(problem, nullptr);
  const auto from_packed = LibraryDot::Create(problem, b.data());
  ASSERT_TRUE(from_plain.ok() && from_packed.ok());
  ASSERT_TRUE((*from_packed)->is_packed());
  ASSERT_TRUE((*from_plain)->Run(a.data(), b.data(), plain.data()).ok());
  ASSERT_TRUE((*from_packed)->Run(a.data(), nullptr, packed.data()).ok());
  EXPECT_EQ(plain, packed);  // whole numbers: every order gives the same sums
}

// Programs for the same weights, which come as an argument.
TEST(LibraryDotTest, UnchangingArgumentsArePackedOnceForAllPrograms) {
  constexpr int kK = 60, kN = 150;
  std::vector<float> b(kK * kN);
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 17);
  DerivedForms forms;
  const codegen::UnchangingInput weights = {.index = 1, .data = b.data(), .forms = &forms};
  for (const int rows : {40, 70}) {
    std::string text = DotText(absl::StrCat("f32[", rows, ",60]"), "f32[60,150]",
                               absl::StrCat("f32[", rows, ",150]"), kPlain);
    absl::StrReplaceAll(
        {{"parameter(1)", "parameter(1), frontend_attributes={swage_unchanging=\"true\"}"}}, &text);
    const auto executable = CompileText(text);
    ASSERT_EQ(LibraryDots(*executable).size(), 1u);
    EXPECT_FALSE(LibraryDots(*executable)[0]->is_packed());
    auto prepared = executable->PreparedFor({&weights, 1});
    ASSERT_TRUE(prepared.ok()) << prepared.status();
    EXPECT_NE(*prepared, executable);
    EXPECT_LT((*prepared)->memory_bytes(), kK * kN * 4);
    std::vector<float> a(rows * kK, 2), plain(rows * kN), packed(rows * kN);
    const void* inputs[] = {a.data(), b.data()};
    void* outputs[] = {plain.data()};
    ASSERT_TRUE(executable->Run(inputs, outputs).ok());
    outputs[0] = packed.data();
    ASSERT_TRUE((*prepared)->Run(inputs, outputs).ok());
    EXPECT_EQ(plain, packed);
  }
  EXPECT_EQ(forms.size(), 1u);
}

TEST(LibraryDotTest, AProgramWithNothingToPrepareStaysAsItIs) {
  const auto executable = CompileText(DotText("f32[64,64]", "f32[64,64]", "f32[64,64]", kPlain));
  std::vector<float> a(64 * 64);
  DerivedForms forms;
  const codegen::UnchangingInput left = {.index = 0, .data = a.data(), .forms = &forms};
  EXPECT_EQ(*executable->PreparedFor({&left, 1}), executable);
}

TEST(LibraryDotTest, WhatFollowsADotIsAKernelOfItsOwnWhereTheLibraryIsAsked) {
  const std::string text =
      "HloModule m\nENTRY e {\n  a = f32[64,64] parameter(0)\n  b = f32[64,64] parameter(1)\n"
      "  c = f32[64,64] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  ROOT d = f32[64,64] tanh(c)\n}\n";
  const auto library = CompileText(text);
  EXPECT_EQ(LibraryDots(*library).size(), 1u);
  ExpectClose(*library, *Parse(text));
  // Small ones are fused.
  const auto fused = CompileText(text, {});
  EXPECT_TRUE(LibraryDots(*fused).empty());
  EXPECT_EQ(static_cast<const CpuExecutable&>(*fused).program().steps.size(), 1u);
}

TEST(LibraryDotTest, MayBeSwitchedOff) {
  const std::string text = DotText("f32[64,64]", "f32[64,64]", "f32[64,64]", kPlain);
  CompileOptions off;
  off.compiler.library_dots = cost::LibraryDots::kOff;
  EXPECT_TRUE(LibraryDots(*CompileText(text, off)).empty());
}

TEST(LibraryDotTest, AStoredProgramHasItsLibraryDots) {
  const std::string text = WeightsText("f32", 20, 30);
  codegen::MapStore store;
  CompileOptions options = All();
  options.kernels.store = &store;
  for (const bool load : {false, true}) {
    const auto executable = CompileText(text, options);
    ASSERT_NE(executable, nullptr);
    EXPECT_EQ(executable->report().module_load, load);
    ASSERT_EQ(LibraryDots(*executable).size(), 1u);
    EXPECT_TRUE(LibraryDots(*executable)[0]->is_packed());
    ExpectClose(*executable, *Parse(text));
  }
  // Other options are another entry.
  options.compiler.library_dots = cost::LibraryDots::kOff;
  EXPECT_FALSE(CompileText(text, options)->report().module_load);
}

TEST(LibraryDotTest, OfOpenSizesIsMadeForTheSizesOfACall) {
  const std::string text =
      "HloModule m\nENTRY e {\n  a = f32[n<=4096,64] parameter(0)\n"
      "  b = f32[64,256] parameter(1)\n"
      "  ROOT c = f32[n,256] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";
  const auto module = Parse(text);
  const auto executable = CompileText(text);
  ASSERT_NE(executable, nullptr);
  for (const int64_t n : {0, 1, 300}) {
    ir::SymbolBinding sizes;
    ASSERT_TRUE(sizes.Bind(ir::SymbolsOf(*module)[0], n).ok());
    const auto sized = executable->ForSizes(sizes);
    ASSERT_TRUE(sized.ok()) << sized.status();
    EXPECT_EQ(LibraryDots(**sized).size(), 1u) << n;
    const auto exact = module->Clone();
    ASSERT_TRUE(ir::BindSymbols(sizes, exact.get()).ok());
    ExpectClose(**sized, *exact);
  }
}

TEST(OneDnnTest, KeepsABoundedNumberOfMatmuls) {
  for (int64_t n = 1; n <= static_cast<int64_t>(onednn::Matmul::kMaxKept) + 10; ++n) {
    const auto matmul = onednn::Matmul::Get(
        {.m = 2, .n = n, .k = 2, .a_row = 2, .a_k = 1, .b_k = n, .b_column = 1, .c_row = n});
    ASSERT_TRUE(matmul.ok()) << matmul.status();
  }
  EXPECT_EQ(onednn::Matmul::kept(), onednn::Matmul::kMaxKept);
}

TEST(OneDnnTest, TheSameProblemIsTheSameMatmul) {
  const onednn::MatmulProblem problem = {
      .m = 5, .n = 6, .k = 7, .a_row = 7, .a_k = 1, .b_k = 6, .b_column = 1, .c_row = 6};
  EXPECT_EQ(*onednn::Matmul::Get(problem), *onednn::Matmul::Get(problem));
}

TEST(OneDnnTest, WhatItRefusesIsAStatus) {
  const auto matmul = onednn::Matmul::Get({.m = -3, .n = 2, .k = 2});
  ASSERT_FALSE(matmul.ok());
  EXPECT_THAT(std::string(matmul.status().message()), testing::HasSubstr("[onednn] matmul: "));
}

}  // namespace
}  // namespace swage::cpu
