// Large dots that are kernels of their own are left to cuBLASLt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "codegen/gpu/cuda_executable.h"
#include "codegen/run_on_literals.h"
#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/bind_symbols.h"
#include "compiler/passes/evaluation_check.h"
#include "tests/codegen/gpu/cuda_test.h"

namespace swage::gpu {
namespace {

class LibraryDot : public CudaProgramTest {
 protected:
  // Steps that the library runs.
  static int LibrarySteps(const codegen::Executable& executable) {
    int count = 0;
    for (const CudaStep& step : static_cast<const CudaExecutable&>(executable).program().steps) {
      count += step.matmul != nullptr;
    }
    return count;
  }
  static void ExpectClose(codegen::Executable& executable, const ir::Module& module) {
    const auto arguments = passes::RandomArguments(module, passes::InputKind::kOrdinary);
    ASSERT_TRUE(arguments.ok()) << arguments.status();
    for (int i = 0; i < 3; ++i) {
      const auto got = codegen::RunOnLiterals(executable, *arguments);
      ASSERT_TRUE(got.ok()) << got.status();
      const auto want = evaluator::Evaluate(module, *arguments);
      ASSERT_TRUE(want.ok()) << want.status();
      const auto difference = passes::FirstDifference(*want, (*got)[0], /*tolerant=*/true);
      EXPECT_FALSE(difference.has_value()) << *difference;
    }
  }
};

TEST_F(LibraryDot, OfEveryTypeAndLayoutIsTheLibrarys) {
  struct Case {
    const char *a, *b, *c, *how;
  };
  for (const auto& [a, b, c, how] : {
           Case{"f32[256,64]", "f32[64,256]", "f32[256,256]",
                "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
           Case{"f32[64,256]", "f32[64,256]", "f32[256,256]",
                "lhs_contracting_dims={0}, rhs_contracting_dims={0}"},
           Case{"bf16[256,64]", "bf16[256,64]", "bf16[256,256]",
                "lhs_contracting_dims={1}, rhs_contracting_dims={1}"},
           Case{"f16[256,64]", "f16[64,256]", "f32[256,256]",
                "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
           Case{"f64[3,128,128]", "f64[3,128,128]", "f64[3,128,128]",
                "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
                "rhs_contracting_dims={1}"},
       }) {
    const std::string text =
        absl::StrCat("HloModule m\nENTRY e {\n  a = ", a, " parameter(0)\n  b = ", b,
                     " parameter(1)\n  ROOT c = ", c, " dot(a, b), ", how, "\n}\n");
    SCOPED_TRACE(text);
    const auto executable = CompileText(text);
    ASSERT_NE(executable, nullptr);
    EXPECT_EQ(LibrarySteps(*executable), 1);
    ExpectClose(*executable, *Parse(text));
  }
}

TEST_F(LibraryDot, OfOneOperandReadsItTwice) {
  const std::string text =
      "HloModule m\nENTRY e {\n  a = f32[256,256] parameter(0)\n"
      "  ROOT c = f32[256,256] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";
  const auto executable = CompileText(text);
  EXPECT_EQ(LibrarySteps(*executable), 1);
  ExpectClose(*executable, *Parse(text));
}

TEST_F(LibraryDot, IsNotForSmallOrWholeNumbers) {
  for (const char* type : {"f32[64,64]", "s32[256,256]"}) {
    const std::string text = absl::StrReplaceAll(
        "HloModule m\nENTRY e {\n  a = $ parameter(0)\n  b = $ parameter(1)\n"
        "  ROOT c = $ dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n",
        {{"$", type}});
    const auto executable = CompileText(text);
    ASSERT_NE(executable, nullptr);
    EXPECT_EQ(LibrarySteps(*executable), 0) << type;
  }
}

TEST_F(LibraryDot, WhatFollowsItIsAKernelOfItsOwn) {
  const std::string text =
      "HloModule m\nENTRY e {\n  a = f32[256,64] parameter(0)\n  b = f32[64,256] parameter(1)\n"
      "  c = f32[256,256] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  ROOT d = f32[256,256] tanh(c)\n}\n";
  const auto executable = CompileText(text);
  EXPECT_EQ(LibrarySteps(*executable), 1);
  EXPECT_EQ(static_cast<CudaExecutable&>(*executable).launches(), 2);
  ExpectClose(*executable, *Parse(text));
}

TEST_F(LibraryDot, OfOpenSizesIsChosenForTheSizesOfACall) {
  const std::string text =
      "HloModule m\nENTRY e {\n  a = f32[n<=1024,64] parameter(0)\n  b = f32[64,256] parameter(1)\n"
      "  ROOT c = f32[n,256] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";
  const auto module = Parse(text);
  const auto executable = CompileText(text);
  ASSERT_NE(executable, nullptr);
  for (const int64_t n : {3, 256, 300}) {
    ir::SymbolBinding sizes;
    ASSERT_TRUE(sizes.Bind(ir::SymbolsOf(*module)[0], n).ok());
    const auto sized = executable->ForSizes(sizes);
    ASSERT_TRUE(sized.ok()) << sized.status();
    EXPECT_EQ(LibrarySteps(**sized), n >= 256) << n;
    const auto exact = module->Clone();
    ASSERT_TRUE(ir::BindSymbols(sizes, exact.get()).ok());
    ExpectClose(**sized, *exact);
  }
}

}  // namespace
}  // namespace swage::gpu
