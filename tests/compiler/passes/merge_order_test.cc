#include "compiler/passes/merge_order.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

const ir::Instruction* Named(const ir::Module& module, std::string_view name) {
  for (const ir::Instruction* op : module.entry()->Instructions()) {
    if (op->name() == name) return op;
  }
  ADD_FAILURE() << name;
  return nullptr;
}

constexpr char kGraph[] = R"(
HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  a = f32[4] negate(x)
  b = f32[4] abs(x)
  c = f32[4] add(a, b)
  d = f32[4] sign(a)
  e = f32[4] multiply(c, d)
  ROOT t = (f32[4], f32[4]) tuple(d, e)
})";

TEST(MergeOrder, SideBySideMayBeOne) {
  const auto module = ParseForTest(kGraph);
  MergeOrder order(*module->entry());
  EXPECT_TRUE(order.CanMerge(Named(*module, "a"), Named(*module, "b")));
  EXPECT_TRUE(order.CanMerge(Named(*module, "b"), Named(*module, "d")));
}

TEST(MergeOrder, NeighboursMayBeOneUnlessAnotherPathJoinsThem) {
  const auto module = ParseForTest(kGraph);
  MergeOrder order(*module->entry());
  EXPECT_TRUE(order.CanMerge(Named(*module, "a"), Named(*module, "c")));
  EXPECT_FALSE(order.CanMerge(Named(*module, "a"), Named(*module, "e")));
}

TEST(MergeOrder, WhatIsMergedCountsAsOne) {
  const auto module = ParseForTest(kGraph);
  MergeOrder order(*module->entry());
  // b and d as one wait for a, and c waits for both.
  ASSERT_TRUE(order.CanMerge(Named(*module, "b"), Named(*module, "d")));
  order.Merge(Named(*module, "b"), Named(*module, "d"));
  EXPECT_FALSE(order.CanMerge(Named(*module, "a"), Named(*module, "c")));
  EXPECT_TRUE(order.CanMerge(Named(*module, "c"), Named(*module, "d")));
  EXPECT_FALSE(order.CanMerge(Named(*module, "d"), Named(*module, "e")));
}

// Merges of all neighbours in a ladder: no question looks at more than its share.
TEST(MergeOrder, QuestionsAreBounded) {
  std::string text = "HloModule m\nENTRY main {\n  v0 = f32[4] parameter(0)\n";
  constexpr int kRungs = 3000;
  for (int i = 0; i < kRungs; ++i) {
    absl::StrAppend(&text, "  l", i, " = f32[4] negate(v", i, ")\n  r", i, " = f32[4] abs(v", i,
                    ")\n  v", i + 1, " = f32[4] add(l", i, ", r", i, ")\n");
  }
  absl::StrAppend(&text, "  ROOT t = f32[4] copy(v", kRungs, ")\n}\n");
  const auto module = ParseForTest(text);
  MergeOrder order(*module->entry());
  const auto ops = module->entry()->PostOrder();
  int64_t questions = 0;
  for (size_t i = 2; i + 3 < ops.size(); ++i) {
    ++questions;
    if (order.CanMerge(ops[i], ops[i + 1])) order.Merge(ops[i], ops[i + 1]);
    ++questions;
    order.CanMerge(ops[1], ops[ops.size() - 1 - i]);
  }
  EXPECT_LE(order.edges_seen(), questions * (MergeOrder::kMaxEdges + 1));
}

}  // namespace
}  // namespace swage::passes
