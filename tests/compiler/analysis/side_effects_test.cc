#include "compiler/analysis/side_effects.h"

#include <gtest/gtest.h>

#include "compiler/ir/parser.h"

namespace swage::analysis {
namespace {

TEST(SideEffects, AreThoseOfCalledComputationsToo) {
  const auto module = *ir::ParseHlo(R"(
HloModule m
print {
  p = f32[4] parameter(0)
  ROOT c = f32[4] custom-call(p), custom_call_target="print"
}
outer {
  p = f32[4] parameter(0)
  ROOT c = f32[4] call(p), to_apply=print
}
pure {
  p = f32[4] parameter(0)
  ROOT c = f32[4] negate(p)
}
ENTRY main {
  x = f32[4] parameter(0)
  a = f32[4] call(x), to_apply=outer
  b = f32[4] call(x), to_apply=pure
  ROOT r = f32[4] add(a, b)
})");
  const SideEffects effects(*module);
  const ir::Instruction* root = module->entry()->root();
  EXPECT_FALSE(effects.In(*root));
  EXPECT_TRUE(effects.In(*root->operand(0)));
  EXPECT_FALSE(effects.In(*root->operand(1)));
  EXPECT_TRUE(effects.In(*module->entry()));
  EXPECT_FALSE(effects.In(*root->operand(1)->to_apply()));
  EXPECT_TRUE(effects.In(*module->entry()->parameter(0)));
}

}  // namespace
}  // namespace swage::analysis
