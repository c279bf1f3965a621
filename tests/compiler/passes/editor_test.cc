#include "compiler/passes/editor.h"

#include <gtest/gtest.h>

#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

using ir::Instruction;
using ir::Opcode;

ir::Instruction* Find(const ir::Module& module, std::string_view name) {
  for (Instruction* instruction : module.entry()->Instructions()) {
    if (instruction->name() == name) return instruction;
  }
  return nullptr;
}

TEST(Editor, RemovesWhatDiesWithTheReplaced) {
  // `b` is an operand of the replaced one and of another of its operands.
  const auto module = ParseForTest(R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  b = f32[4] negate(x)
  a = f32[4] add(b, b)
  c = f32[4] multiply(a, b)
  ROOT r = f32[4] tanh(c)
})");
  ASSERT_NE(module, nullptr);
  Editor editor(*module->entry());
  const std::vector<Editor::Ref> refs = editor.PostOrder();
  ASSERT_EQ(refs.size(), 5u);
  ASSERT_TRUE(editor.Replace(Find(*module, "c"), Find(*module, "x")).ok());
  EXPECT_EQ(module->entry()->instruction_count(), 2);
  for (const Editor::Ref& ref : refs) {
    EXPECT_EQ(editor.IsGone(ref), ref.id != module->entry()->root()->id() &&
                                      ref.id != module->entry()->parameter(0)->id());
  }
}

TEST(Editor, RemovesAnOperandThatOccursTwiceOnce) {
  const auto module = ParseForTest(R"(HloModule m
ENTRY e {
  x = u8[4] parameter(0)
  b = u8[4] negate(x)
  r = u8[4] xor(b, b)
  ROOT k = u8[4] add(r, x)
})");
  ASSERT_NE(module, nullptr);
  Editor editor(*module->entry());
  ASSERT_TRUE(editor.Replace(Find(*module, "r"), Find(*module, "x")).ok());
  EXPECT_EQ(module->entry()->instruction_count(), 2);
}

TEST(Editor, KeepsWhatOthersUseAndWhatHasAnOrder) {
  const auto module = ParseForTest(R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  a = f32[4] negate(x)
  b = f32[4] exponential(x), control-predecessors={a}
  c = f32[4] multiply(a, b)
  d = f32[4] add(a, c)
  ROOT r = (f32[4], f32[4]) tuple(d, a)
})");
  ASSERT_NE(module, nullptr);
  Editor editor(*module->entry());
  ASSERT_TRUE(editor.Replace(Find(*module, "d"), Find(*module, "x")).ok());
  EXPECT_NE(Find(*module, "a"), nullptr);
  EXPECT_NE(Find(*module, "b"), nullptr);
  EXPECT_EQ(Find(*module, "c"), nullptr);
}

TEST(Editor, MakersReturnTheOperandWhereThereIsNothingToDo) {
  const auto module = ParseForTest(R"(HloModule m
ENTRY e {
  ROOT x = f32[4,n<=9] parameter(0)
})");
  ASSERT_NE(module, nullptr);
  Editor editor(*module->entry());
  Instruction* x = module->entry()->root();
  EXPECT_EQ(editor.Reshape(x, x->shape().dims()), x);
  EXPECT_EQ(editor.Transpose(x, {0, 1}), x);
  EXPECT_EQ(editor.Broadcast(x, x->shape().dims(), {0, 1}), x);
  EXPECT_EQ(editor.Convert(x, ir::DType::kF32), x);
  EXPECT_EQ(editor.Slice(x, {{0, 0}, {4, x->shape().dim(1)}, {1, 1}}), x);
  EXPECT_EQ(editor.Concatenate({x}, 0), x);
  EXPECT_TRUE(editor.TakeAdded().empty());
}

TEST(Editor, DropsWhatWasAddedInVain) {
  const auto module = ParseForTest("HloModule m\nENTRY e {\n  ROOT x = f32[4] parameter(0)\n}");
  ASSERT_NE(module, nullptr);
  Editor editor(*module->entry());
  Instruction* x = module->entry()->root();
  Instruction* kept = editor.Unary(Opcode::kExp, editor.Unary(Opcode::kNegate, x));
  editor.Unary(Opcode::kTanh, editor.Unary(Opcode::kNegate, x));
  ASSERT_TRUE(editor.DropUnused(kept).ok());
  EXPECT_EQ(module->entry()->instruction_count(), 3);
  EXPECT_EQ(editor.TakeAdded().size(), 2u);
}

TEST(Editor, NewArraysAreRowMajorAfterLayoutAssignment) {
  const auto module = ParseForTest("HloModule m\nENTRY e {\n  ROOT x = f32[4,2] parameter(0)\n}");
  ASSERT_NE(module, nullptr);
  Instruction* x = module->entry()->root();
  x->mutable_shape()->set_layout(ir::Layout::RowMajor(2));
  module->set_has_layouts(true);
  Editor editor(*module->entry());
  EXPECT_EQ(editor.Transpose(x, {1, 0})->shape().ToString(), "f32[2,4]{1,0}");
}

}  // namespace
}  // namespace swage::passes
