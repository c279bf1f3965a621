#include "tests/compiler/passes/late_pass_test.h"

#include <gtest/gtest.h>

#include "tests/compiler/passes/check_match.h"
#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {

std::unique_ptr<ir::Module> ParseLate(std::string_view hlo) {
  std::unique_ptr<ir::Module> module = ParseForTest(hlo);
  if (module == nullptr) return nullptr;
  for (const ir::Computation* computation : module->Computations()) {
    for (const ir::Instruction* instruction : computation->Instructions()) {
      EXPECT_TRUE(instruction->shape().LayoutIsComplete()) << instruction->ToString();
    }
  }
  module->set_has_layouts(true);
  return module;
}

void ExpectLatePass(std::string_view hlo, Pass&& pass, std::string_view checks) {
  const std::unique_ptr<ir::Module> module = ParseLate(hlo);
  if (module == nullptr) return;
  EXPECT_TRUE(RunForTest(*module, pass)) << pass.name() << " left the module unchanged:\n"
                                         << TextForTest(*module);
  const std::optional<std::string> error = MatchChecks(TextForTest(*module), checks);
  EXPECT_FALSE(error.has_value()) << error.value_or("");
}

void ExpectLateUnchanged(std::string_view hlo, Pass&& pass) {
  const std::unique_ptr<ir::Module> module = ParseLate(hlo);
  if (module == nullptr) return;
  EXPECT_FALSE(RunForTest(*module, pass)) << pass.name() << " changed the module to\n"
                                          << TextForTest(*module);
}

}  // namespace swage::passes
