#include "compiler/passes/editor.h"

#include <gtest/gtest.h>

#include "compiler/ir/verifier.h"
#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

TEST(EditorTest, AnOperandThatDiesWithAnotherIsRemovedOnce) {
  std::unique_ptr<ir::Module> module = ParseForTest(R"(
HloModule m
ENTRY main {
  x = u8[4] parameter(0)
  b = u8[4] negate(x)
  n = u8[4] not(b)
  r = u8[4] xor(n, b)
  ROOT k = u8[4] add(r, x)
})");
  Editor editor(*module->entry());
  ir::Instruction* root = module->entry()->root();
  ASSERT_TRUE(editor.Replace(root->operand(0), root->operand(1)).ok());
  EXPECT_EQ(module->entry()->instruction_count(), 2);
  EXPECT_TRUE(ir::Verify(*module).ok());
}

TEST(EditorTest, AnOperandThatOccursTwiceIsRemovedOnce) {
  std::unique_ptr<ir::Module> module = ParseForTest(R"(
HloModule m
ENTRY main {
  x = u8[4] parameter(0)
  b = u8[4] negate(x)
  r = u8[4] xor(b, b)
  ROOT k = u8[4] add(r, x)
})");
  Editor editor(*module->entry());
  ir::Instruction* root = module->entry()->root();
  ASSERT_TRUE(editor.Replace(root->operand(0), root->operand(1)).ok());
  EXPECT_EQ(module->entry()->instruction_count(), 2);
}

}  // namespace
}  // namespace swage::passes
