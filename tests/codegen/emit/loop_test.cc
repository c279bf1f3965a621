// Elementwise and data-moving ops through the loop schedule.
#include <gtest/gtest.h>
#include <pthread.h>

#include <string>

#include "codegen/emit/kernel_emitter.h"
#include "compiler/ir/parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/codegen/emit/kernel_runner.h"
#include "tests/codegen/emit/kernel_texts.h"

namespace swage::emit {
namespace {

TEST(LoopSchedule, AddsArraysOfEverySize) {
  for (int n : kSizes) {
    EXPECT_KERNEL(WithSizes(R"(
HloModule m
ENTRY e {
  x = f32[$N] parameter(0)
  y = f32[$N] parameter(1)
  ROOT z = f32[$N] add(x, y)
})",
                            {{"$N", n}}));
  }
}

TEST(LoopSchedule, BroadcastsARowAndAScalar) {
  for (int n : kSizes) {
    EXPECT_KERNEL(WithSizes(R"(
HloModule m
ENTRY e {
  x = f32[5,$N] parameter(0)
  bias = f32[$N] parameter(1)
  s = f32[] parameter(2)
  b = f32[5,$N] broadcast(bias), dimensions={1}
  t = f32[5,$N] broadcast(s), dimensions={}
  a = f32[5,$N] add(x, b)
  m = f32[5,$N] multiply(a, t)
  ROOT e = f32[5,$N] exponential(m)
})",
                            {{"$N", n}}));
  }
}

// More ops than that are written once, under a mask, where there are masks.
TEST(LoopSchedule, LargeBodiesHaveOneCopyOfTheirCode) {
  for (int n : kSizes) {
    std::string body = WithSizes(
        "HloModule m\nENTRY e {\n  x0 = f32[3,$N] parameter(0)\n"
        "  w = f32[$N] parameter(1)\n"
        "  y = f32[3,$N] broadcast(w), dimensions={1}\n",
        {{"$N", n}});
    for (int i = 0; i < kLargeLoop; ++i) {
      body += WithSizes("  x$J = f32[3,$N] $O(x$I, y)\n", {{"$J", i + 1}, {"$I", i}, {"$N", n}});
      body = Substitute(body, "$O", i % 3 == 0 ? "multiply" : i % 3 == 1 ? "add" : "maximum");
    }
    EXPECT_KERNEL(body + WithSizes("  ROOT r = f32[3,$N] negate(x$I)\n}\n",
                                   {{"$I", static_cast<int>(kLargeLoop)}, {"$N", n}}));
  }
}

TEST(LoopSchedule, LongChainsNeedLittleStack) {
  std::string body = "HloModule m\nENTRY e {\n  x0 = f32[65] parameter(0)\n";
  constexpr int kOps = 500;
  for (int i = 0; i < kOps; ++i) {
    const std::string n = std::to_string(i);
    body += (i + 1 == kOps ? "  ROOT x" : "  x") + std::to_string(i + 1) + " = f32[65] ";
    body += i % 3 == 2 ? "reverse(x" + n + "), dimensions={0}\n" : "subtract(x" + n + ", x0)\n";
  }
  // On a thread with a stack of 256 KB.
  Status status;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 << 10);
  struct Job {
    const std::string* text;
    Status* status;
  } job{nullptr, &status};
  body += "}\n";
  job.text = &body;
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void* data) -> void* {
                  Job* mine = static_cast<Job*>(data);
                  auto module = ir::ParseHlo(*mine->text);
                  if (!module.ok()) {
                    *mine->status = module.status();
                    return nullptr;
                  }
                  llvm::LLVMContext context;
                  llvm::Module kernels("m", context);
                  auto plan = PlanKernel(*(*module)->entry(), TargetsHere()[0]);
                  *mine->status = plan.status();
                  if (plan.ok()) *mine->status = EmitKernel(*plan, &kernels, "k").status();
                  return nullptr;
                },
                &job),
            0);
  pthread_join(thread, nullptr);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(LoopSchedule, TooLargeAKernelIsAnErrorThatSaysSo) {
  auto module = ir::ParseHlo(WithSizes(Softmax(), {{"$R", 4}, {"$N", 100}}));
  ASSERT_TRUE(module.ok());
  CompileOptions options{TargetsHere()[0]};
  options.emit.ir_cap = 200;
  const auto kernel = CompiledKernel::Compile(*(*module)->entry(), options);
  EXPECT_EQ(kernel.status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(LoopSchedule, TheOutputMayLieWhereTheInputLay) {
  for (int n : {7, 33, 3000}) {
    const std::string hlo = WithSizes(Softmax(), {{"$R", 3}, {"$N", n}});
    auto module = ir::ParseHlo(hlo);
    ASSERT_TRUE(module.ok());
    const ir::Literal x = RandomLiteral((*module)->entry()->parameter(0)->shape(), 1);
    for (const EmitOptions& target : TargetsHere()) {
      auto kernel = CompiledKernel::Compile(*(*module)->entry(), {target});
      ASSERT_TRUE(kernel.ok()) << kernel.status().message();
      const auto want = kernel->Run({x});
      ASSERT_TRUE(want.ok());
      ir::Literal both = x;
      void* const pointers[] = {both.mutable_bytes().data(), both.mutable_bytes().data()};
      const cpu::KernelArgs args{pointers, kernel->dims().data()};
      kernel->entry()(&args, 0, kernel->tasks());
      EXPECT_TRUE(both == (*want)[0]) << n;
    }
  }
}

}  // namespace
}  // namespace swage::emit
