#include "compiler/analysis/live_ranges.h"

#include <gtest/gtest.h>

#include "compiler/ir/parser.h"

namespace swage::analysis {
namespace {

const ir::Instruction* Find(const ir::Computation& computation, std::string_view name) {
  for (const ir::Instruction* instruction : computation.Instructions()) {
    if (instruction->name() == name) return instruction;
  }
  ADD_FAILURE() << "no " << name;
  return nullptr;
}

TEST(LiveRanges, AliasesNameTheValuesOfTheirOperands) {
  auto module = ir::ParseHlo(R"(
HloModule m
ENTRY main {
  p = (f32[2,3], (s32[4], f32[])) parameter(0)
  a = f32[2,3] get-tuple-element(p), index=0
  in = (s32[4], f32[]) get-tuple-element(p), index=1
  s = f32[] get-tuple-element(in), index=1
  b = f32[6] bitcast(a)
  n = f32[6] negate(b)
  r = f32[3,2] reshape(n)
  u = (f32[], f32[6]) tuple(s, b)
  ROOT t = (f32[3,2], (f32[], f32[6])) tuple(r, u)
})");
  ASSERT_TRUE(module.ok()) << module.status().message();
  const ir::Computation& entry = *(*module)->entry();
  const std::vector<ir::Instruction*> order = entry.PostOrder();
  const LiveRanges ranges = LiveRanges::Compute(entry, order).value();
  ASSERT_EQ(ranges.values().size(), 4u);  // three leaves of p, and n
  const ir::Instruction* p = Find(entry, "p");
  const ir::Instruction* t = Find(entry, "t");
  EXPECT_EQ(ranges.ValueAt(Find(entry, "b"), {}), ranges.ValueAt(p, {0}));
  EXPECT_EQ(ranges.ValueAt(Find(entry, "s"), {}), ranges.ValueAt(p, {1, 1}));
  EXPECT_EQ(ranges.ValueAt(t, {0}), ranges.ValueAt(Find(entry, "n"), {}));
  EXPECT_EQ(ranges.ValueAt(t, {1, 1}), ranges.ValueAt(p, {0}));
  const Value& n = ranges.value(ranges.ValueAt(t, {0}));
  EXPECT_EQ(n.bytes, 24);
  EXPECT_TRUE(n.is_output);
  EXPECT_EQ(n.end, static_cast<int64_t>(order.size()));
  EXPECT_EQ(order[n.begin]->name(), "n");
  const Value& unused = ranges.value(ranges.ValueAt(p, {1, 0}));
  EXPECT_EQ(unused.begin, -1);
  EXPECT_EQ(unused.end, -1);
}

TEST(LiveRanges, AValueLivesUntilTheLastReadThroughAnyAlias) {
  auto module = ir::ParseHlo(R"(
HloModule m
ENTRY main {
  p = f32[6] parameter(0)
  n = f32[6] negate(p)
  b = f32[2,3] bitcast(n)
  x = f32[6] abs(n)
  y = f32[2,3] exponential(b)
  z = f32[6] bitcast(y)
  ROOT r = f32[6] add(x, z)
})");
  const ir::Computation& entry = *(*module)->entry();
  const std::vector<ir::Instruction*> order = entry.PostOrder();
  const LiveRanges ranges = LiveRanges::Compute(entry, order).value();
  const Value& n = ranges.value(ranges.ValueAt(Find(entry, "n"), {}));
  EXPECT_EQ(order[n.end]->name(), "y");
}

TEST(LiveRanges, AnOrderWithAUserFirstIsAnError) {
  auto module = ir::ParseHlo(R"(
HloModule m
ENTRY main {
  p = f32[6] parameter(0)
  ROOT n = f32[6] negate(p)
})");
  const ir::Computation& entry = *(*module)->entry();
  std::vector<ir::Instruction*> order = entry.PostOrder();
  std::swap(order[0], order[1]);
  EXPECT_EQ(LiveRanges::Compute(entry, order).status().code(), absl::StatusCode::kInternal);
}

TEST(LiveRanges, ATupleOfManyElementsIsLinear) {
  ir::Module module("m");
  ir::Computation* entry = module.AddComputation("main");
  module.set_entry(entry);
  const ir::Shape element = ir::Shape::Array(ir::DType::kF32, {4});
  const int64_t n = 50'000;
  ir::Instruction* p = entry->AddParameter(0, ir::Shape::Tuple(std::vector<ir::Shape>(n, element)));
  std::vector<ir::Instruction*> elements;
  for (int64_t i = 0; i < n; ++i) {
    elements.push_back(
        entry->Add(ir::Opcode::kGetTupleElement, element, {p}, ir::TupleIndexAttrs{n - 1 - i}));
  }
  entry->set_root(entry->Add(ir::Opcode::kTuple, p->shape(), elements));
  const LiveRanges ranges = LiveRanges::Compute(*entry, entry->PostOrder()).value();
  EXPECT_EQ(ranges.ValueAt(entry->root(), {7}), ranges.ValueAt(p, {n - 8}));
}

}  // namespace
}  // namespace swage::analysis
