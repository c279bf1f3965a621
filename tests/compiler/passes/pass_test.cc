#include "tests/compiler/passes/pass_test.h"

#include <gtest/gtest.h>

#include "compiler/cost/device_description.h"
#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/parser.h"
#include "compiler/ir/printer.h"
#include "compiler/ir/verifier.h"
#include "compiler/passes/evaluation_check.h"
#include "compiler/passes/module_state.h"
#include "tests/compiler/passes/check_match.h"

namespace swage::passes {

std::unique_ptr<ir::Module> ParseForTest(std::string_view hlo) {
  StatusOr<std::unique_ptr<ir::Module>> module = ir::ParseHlo(hlo);
  if (!module.ok()) {
    ADD_FAILURE() << module.status().message();
    return nullptr;
  }
  const Status verified = ir::Verify(**module);
  if (!verified.ok()) {
    ADD_FAILURE() << verified.message();
    return nullptr;
  }
  return std::move(*module);
}

std::string TextForTest(const ir::Module& module) {
  ir::PrintOptions options;
  options.metadata = false;
  return ir::ToText(module, options);
}

bool RunForTest(ir::Module& module, Pass& pass, CompilerOptions options) {
  const Hash128 before = StateOf(module);
  const std::string text = TextForTest(module);
  PassContext quiet;
  const std::unique_ptr<EvaluationCheck> evaluation = EvaluationCheck::Start(module, quiet);
  const cost::DeviceDescription device = cost::TestCpu();
  PassContext context(std::move(options), &device);
  StatusOr<bool> changed = pass.Run(module, context);
  if (!changed.ok()) {
    ADD_FAILURE() << pass.name() << ": " << changed.status().message();
    return false;
  }
  const Status verified = ir::Verify(module);
  EXPECT_TRUE(verified.ok()) << verified.message() << "\nin\n" << TextForTest(module);
  EXPECT_EQ(*changed, StateOf(module) != before)
      << pass.name() << " says changed = " << *changed << " of\n"
      << text << "and left\n"
      << TextForTest(module);
  if (evaluation != nullptr && verified.ok()) {
    const Status same = evaluation->Check(module, pass.name());
    EXPECT_TRUE(same.ok()) << same.message() << "\nbefore\n"
                           << text << "after\n"
                           << TextForTest(module);
  }
  return *changed;
}

void ExpectPass(std::string_view hlo, Pass& pass, std::string_view checks,
                CompilerOptions options) {
  const std::unique_ptr<ir::Module> module = ParseForTest(hlo);
  if (module == nullptr) return;
  EXPECT_TRUE(RunForTest(*module, pass, std::move(options)))
      << pass.name() << " left the module unchanged:\n"
      << TextForTest(*module);
  const std::optional<std::string> error = MatchChecks(TextForTest(*module), checks);
  EXPECT_FALSE(error.has_value()) << error.value_or("");
}

void ExpectPass(std::string_view hlo, Pass&& pass, std::string_view checks,
                CompilerOptions options) {
  ExpectPass(hlo, pass, checks, std::move(options));
}

void ExpectUnchanged(std::string_view hlo, Pass& pass, CompilerOptions options) {
  const std::unique_ptr<ir::Module> module = ParseForTest(hlo);
  if (module == nullptr) return;
  EXPECT_FALSE(RunForTest(*module, pass, std::move(options)))
      << pass.name() << " changed the module to\n"
      << TextForTest(*module);
}

void ExpectUnchanged(std::string_view hlo, Pass&& pass, CompilerOptions options) {
  ExpectUnchanged(hlo, pass, std::move(options));
}

std::unique_ptr<ir::Module> ChainForTest(int64_t n) {
  auto module = std::make_unique<ir::Module>("chain");
  ir::Computation* entry = module->AddComputation("main");
  const ir::Shape shape = ir::Shape::Array(ir::DType::kF32, {4});
  ir::Instruction* value = entry->AddParameter(0, shape, "x");
  for (int64_t i = 0; i < n / 3; ++i) {
    ir::Instruction* constant =
        entry->AddConstant(ir::Literal::Scalar(ir::DType::kF32, 1.0 + 1e-6 * i));
    ir::Instruction* wide =
        entry->Add(ir::Opcode::kBroadcast, shape, {constant}, ir::DimensionsAttrs{});
    value = entry->Add(i % 2 == 0 ? ir::Opcode::kAdd : ir::Opcode::kMultiply, shape, {value, wide});
  }
  entry->set_root(value);
  module->set_entry(entry);
  return module;
}

}  // namespace swage::passes
