// The whole CPU compiler: results against the evaluator, kernel reuse, errors, many threads.
#include "codegen/cpu/compile.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "codegen/cpu/object_emitter.h"
#include "codegen/run_on_literals.h"
#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/parser.h"
#include "tests/codegen/attention_text.h"

namespace swage::cpu {
namespace {

using ir::Literal;

std::unique_ptr<ir::Module> Parse(std::string_view text) {
  StatusOr<std::unique_ptr<ir::Module>> module = ir::ParseHlo(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : nullptr;
}

std::string AttendText(int n) {
  const std::string entry = absl::StrReplaceAll(
      codegen::kAttention, {{"[n", absl::StrCat("[", n)}, {",n]", absl::StrCat(",", n, "]")}});
  return absl::StrCat("HloModule attend\n", codegen::kReducers, "ENTRY main {", entry, "}");
}

// Small numbers that differ everywhere.
std::vector<Literal> Arguments(const ir::Module& module) {
  std::vector<Literal> arguments;
  uint32_t state = 1;
  for (const ir::Instruction* parameter : module.entry()->parameters()) {
    Literal literal = *Literal::Create(parameter->shape());
    for (float& x : literal.mutable_data<float>()) {
      state = state * 1664525 + 1013904223;
      x = static_cast<float>(state >> 8) / static_cast<float>(1 << 24) - 0.5f;
    }
    arguments.push_back(std::move(literal));
  }
  return arguments;
}

TEST(CompileTest, AttendAgreesWithTheEvaluator) {
  const auto module = Parse(AttendText(33));
  const std::vector<Literal> arguments = Arguments(*module);
  const Literal want = *evaluator::Evaluate(*module, arguments);
  auto executable = Compile(module->Clone(), {});
  ASSERT_TRUE(executable.ok()) << executable.status();
  const std::vector<Literal> got = *codegen::RunOnLiterals(**executable, arguments);
  for (int64_t i = 0; i < want.element_count(); ++i) {
    ASSERT_NEAR(got[0].data<float>()[i], want.data<float>()[i], 1e-5) << i;
  }
}

TEST(CompileTest, NeighbouringLengthsShareTheirKernels) {
  codegen::KernelCache::Get().Clear();
  const int64_t before = LlvmRunCount();
  auto first = Compile(Parse(AttendText(31)), {});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_GT((*first)->report().llvm_runs, 0);
  EXPECT_EQ(LlvmRunCount() - before, (*first)->report().llvm_runs);
  for (int n : {32, 33}) {
    const int64_t runs = LlvmRunCount();
    auto next = Compile(Parse(AttendText(n)), {});
    ASSERT_TRUE(next.ok()) << next.status();
    EXPECT_EQ(LlvmRunCount(), runs) << n;
    EXPECT_EQ((*next)->report().kernel_hits, (*next)->report().kernels);
  }
}

// x * c or x + c, over and over, each time with another c.
std::string ChainText(int ops) {
  std::string text = "HloModule chain\nENTRY main {\n  x0 = f32[19] parameter(0)\n";
  for (int i = 0; i < ops; ++i) {
    absl::StrAppend(&text, "  c", i, " = f32[] constant(", 1 + i * 1e-5, ")\n  b", i,
                    " = f32[19] broadcast(c", i, "), dimensions={}\n  ",
                    i + 1 == ops ? "ROOT " : "", "x", i + 1, " = f32[19] ",
                    i % 2 == 0 ? "multiply" : "subtract", "(x", i, ", b", i, ")\n");
  }
  return text + "}\n";
}

TEST(CompileTest, ALongChainReachesLlvmAFewTimesHoweverLongItIs) {
  for (int ops : {4000, 8000}) {
    codegen::KernelCache::Get().Clear();
    const auto module = Parse(ChainText(ops));
    auto executable = Compile(module->Clone(), {});
    ASSERT_TRUE(executable.ok()) << executable.status();
    EXPECT_GE((*executable)->report().kernels, ops / 256);
    EXPECT_LE((*executable)->report().llvm_runs, 4) << ops;
    const std::vector<Literal> arguments = Arguments(*module);
    EXPECT_EQ((*codegen::RunOnLiterals(**executable, arguments))[0],
              *evaluator::Evaluate(*module, arguments));
  }
}

TEST(CompileTest, RunTimeAndBakedExtentsGiveTheSameBits) {
  for (int n : {1, 7, 31, 33, 64}) {
    const auto module = Parse(AttendText(n));
    const std::vector<Literal> arguments = Arguments(*module);
    CompileOptions baked;
    baked.kernels.baked_dims = true;
    auto with = Compile(module->Clone(), baked);
    auto without = Compile(module->Clone(), {});
    ASSERT_TRUE(with.ok()) << with.status();
    ASSERT_TRUE(without.ok()) << without.status();
    EXPECT_EQ((*codegen::RunOnLiterals(**with, arguments))[0],
              (*codegen::RunOnLiterals(**without, arguments))[0])
        << n;
  }
}

TEST(CompileTest, AnOpThatTheCpuDoesNotHaveIsNamed) {
  const Status status = Compile(Parse(R"(
HloModule m
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
ENTRY main {
  x = f32[8] parameter(0)
  ROOT s = f32[8] sort(x), dimensions={0}, to_apply=less
})"),
                                {})
                            .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_NE(status.message().find("sort"), absl::string_view::npos) << status.message();
}

TEST(CompileTest, OutputsThatAreInputsOrConstantsAreCopies) {
  const auto module = Parse(R"(
HloModule m
ENTRY main {
  x = f32[3] parameter(0)
  c = f32[3] constant({1, 2, 3})
  n = f32[3] negate(x)
  ROOT t = (f32[3], f32[3], f32[3], f32[3]) tuple(x, c, n, n)
})");
  const std::vector<Literal> arguments = Arguments(*module);
  auto executable = Compile(module->Clone(), {});
  ASSERT_TRUE(executable.ok()) << executable.status();
  const std::vector<Literal> got = *codegen::RunOnLiterals(**executable, arguments);
  ASSERT_EQ(got.size(), 4u);
  EXPECT_EQ(got[0], arguments[0]);
  EXPECT_EQ(got[1].data<float>()[2], 3);
  EXPECT_EQ(got[2], got[3]);
}

TEST(CompileTest, EmptyArraysRun) {
  const auto module = Parse(R"(
HloModule m
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY main {
  x = f32[0,4] parameter(0)
  z = f32[] constant(7)
  e = f32[0,4] exponential(x)
  s = f32[4] reduce(x, z), dimensions={0}, to_apply=sum
  ROOT t = (f32[0,4], f32[4]) tuple(e, s)
})");
  auto executable = Compile(module->Clone(), {});
  ASSERT_TRUE(executable.ok()) << executable.status();
  const std::vector<Literal> got = *codegen::RunOnLiterals(**executable, Arguments(*module));
  EXPECT_EQ(got[1].data<float>()[3], 7);
}

TEST(CompileTest, ManyThreadsCompileAndRunAtOnce) {
  codegen::KernelCache::Get().Clear();
  std::vector<std::thread> threads;
  std::vector<int> right(8, 0);
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t, &right] {
      const auto module = Parse(AttendText(30 + t % 4));
      const std::vector<Literal> arguments = Arguments(*module);
      auto executable = Compile(module->Clone(), {});
      if (!executable.ok()) return;
      const std::vector<Literal> first = *codegen::RunOnLiterals(**executable, arguments);
      const std::vector<Literal> second = *codegen::RunOnLiterals(**executable, arguments);
      right[t] = first[0] == second[0];
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, std::vector<int>(8, 1));
}

TEST(CompileTest, AKernelThatFailsIsNotKept) {
  int calls = 0;
  auto fail = [&]() -> StatusOr<codegen::CompiledKernel> {
    ++calls;
    return Internal("no");
  };
  EXPECT_FALSE(codegen::KernelCache::Get().Find("a key of this test", fail).ok());
  EXPECT_FALSE(codegen::KernelCache::Get().Find("a key of this test", fail).ok());
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace swage::cpu
