#include "bench/forms.h"

#include <gtest/gtest.h>

#include <cmath>

#include "codegen/cpu/compile.h"
#include "codegen/run_on_literals.h"
#include "compiler/evaluator/evaluator.h"
#include "tools/random_inputs.h"

namespace swage::bench {
namespace {

using ir::Opcode;

std::unique_ptr<ir::Module> Traced(const Form& form, int64_t ops) {
  auto module = TraceForm(form, ops);
  EXPECT_TRUE(module.ok()) << module.status().message();
  return *std::move(module);
}

int64_t LlvmRuns(const Form& form, int64_t ops) {
  const auto executable = cpu::Compile(Traced(form, ops), {});
  EXPECT_TRUE(executable.ok()) << executable.status().message();
  return (*executable)->report().llvm_runs;
}

const Form& FormNamed(const std::string& name) {
  for (const Form& form : Forms()) {
    if (form.name == name) return form;
  }
  ADD_FAILURE() << "no form " << name;
  return Forms()[0];
}

TEST(Forms, HaveAboutAsManyOperationsAsTheyAreAskedFor) {
  for (const Form& form : Forms()) {
    const auto module = Traced(form, 2000);
    int64_t ops = 0;
    for (const ir::Instruction* op : module->entry()->Instructions()) {
      ops += op->opcode() != Opcode::kParameter && op->opcode() != Opcode::kConstant &&
             op->opcode() != Opcode::kBroadcast;
    }
    EXPECT_NEAR(static_cast<double>(ops), 2000, 200) << form.name;
  }
}

// Their kernels differ in numbers and places alone.
TEST(Forms, LongerOnesNeedFewMoreKernels) {
  for (const char* name : {"wide", "unrolled"}) {
    codegen::KernelCache::Get().Clear();
    LlvmRuns(FormNamed(name), 4000);
    EXPECT_LE(LlvmRuns(FormNamed(name), 8000), 10) << name;
  }
}

TEST(Forms, ComputeWhatTheEvaluatorSays) {
  for (const Form& form : Forms()) {
    const auto module = Traced(form, 200);
    const auto inputs = tools::RandomInputs(*module, 1);
    ASSERT_TRUE(inputs.ok());
    const auto want = evaluator::Evaluate(*module, *inputs);
    ASSERT_TRUE(want.ok()) << want.status().message();
    const auto executable = cpu::Compile(Traced(form, 200), {});
    ASSERT_TRUE(executable.ok()) << executable.status().message();
    const auto got = codegen::RunOnLiterals(**executable, *inputs);
    ASSERT_TRUE(got.ok()) << got.status().message();
    const auto x = (*got)[0].data<float>(), y = want->data<float>();
    ASSERT_EQ(x.size(), y.size());
    // The order of a dot is free.
    for (size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], 1e-4) << form.name << " " << i;
  }
}

}  // namespace
}  // namespace swage::bench
