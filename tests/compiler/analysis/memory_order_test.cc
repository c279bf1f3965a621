#include "compiler/analysis/memory_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "compiler/analysis/buffer_assignment.h"
#include "compiler/ir/module.h"
#include "compiler/ir/parser.h"

namespace swage::analysis {
namespace {

using ir::Instruction;
using ir::Opcode;
using ir::Shape;

using Order = std::vector<Instruction*>;

void ExpectValid(const ir::Computation& computation, const Order& order) {
  ASSERT_EQ(static_cast<int64_t>(order.size()), computation.instruction_count());
  absl::flat_hash_map<const Instruction*, size_t> position;
  for (size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  ASSERT_EQ(position.size(), order.size());
  for (const Instruction* instruction : order) {
    for (const Instruction* operand : instruction->operands()) {
      EXPECT_LT(position[operand], position[instruction]);
    }
    for (const Instruction* before : instruction->control_predecessors()) {
      EXPECT_LT(position[before], position[instruction]);
    }
  }
}

// Many large values are made first, then each is reduced to a small one.
std::unique_ptr<ir::Module> MakeAllThenReduce(int n) {
  auto module = std::make_unique<ir::Module>("m");
  ir::Computation* entry = module->AddComputation("main");
  module->set_entry(entry);
  const Shape large = Shape::Array(ir::DType::kF32, {1024});
  const Shape small = Shape::Array(ir::DType::kF32, {16});
  const Instruction* x = entry->AddParameter(0, large);
  Order made, reduced;
  for (int i = 0; i < n; ++i) {
    made.push_back(entry->Add(Opcode::kSort, large, {const_cast<Instruction*>(x)}));
  }
  for (int i = 0; i < n; ++i) reduced.push_back(entry->Add(Opcode::kSlice, small, {made[i]}));
  Instruction* sum = reduced[0];
  for (int i = 1; i < n; ++i) sum = entry->Add(Opcode::kSort, small, {sum, reduced[i]});
  entry->set_root(sum);
  return module;
}

TEST(MemoryOrder, ReducesEachValueBeforeTheNextIsMade) {
  auto module = MakeAllThenReduce(100);
  const ir::Computation& entry = *module->entry();
  const Order program = entry.PostOrder();
  const int64_t program_bytes = AssignBuffers(entry, program)->arena_bytes();
  EXPECT_GE(program_bytes, 100 * 4096);
  const Order list = ListOrder(entry, program).value();
  const Order depth_first = DepthFirstOrder(entry, program).value();
  ExpectValid(entry, list);
  ExpectValid(entry, depth_first);
  EXPECT_LE(AssignBuffers(entry, list)->arena_bytes(), 4096 + 110 * 64);
  EXPECT_LE(AssignBuffers(entry, depth_first)->arena_bytes(), 4096 + 110 * 64);
  EXPECT_LE(ScheduleForMemory(entry)->arena_bytes, 4096 + 64 * 4);
}

TEST(MemoryOrder, NeverNeedsMoreThanTheProgramsOrder) {
  std::mt19937 random(11);
  for (int round = 0; round < 150; ++round) {
    ir::Module module("m");
    ir::Computation* entry = module.AddComputation("main");
    module.set_entry(entry);
    Order values = {entry->AddParameter(0, Shape::Array(ir::DType::kF32, {64}))};
    const int n = 3 + static_cast<int>(random() % 60);
    for (int i = 0; i < n; ++i) {
      const Shape shape = Shape::Array(ir::DType::kF32, {static_cast<int64_t>(random() % 2000)});
      Order operands;
      for (int k = 0; k <= static_cast<int>(random() % 3); ++k) {
        operands.push_back(values[random() % values.size()]);
      }
      values.push_back(entry->Add(Opcode::kSort, shape, operands));
      if (i > 0 && random() % 8 == 0) values.back()->AddControlPredecessor(values[random() % i]);
    }
    entry->set_root(values.back());
    const Order program = entry->PostOrder();
    ExpectValid(*entry, ListOrder(*entry, program).value());
    ExpectValid(*entry, DepthFirstOrder(*entry, program).value());
    const MemorySchedule schedule = ScheduleForMemory(*entry).value();
    ExpectValid(*entry, schedule.order);
    EXPECT_EQ(schedule.program_bytes, AssignBuffers(*entry, program)->arena_bytes());
    EXPECT_EQ(schedule.arena_bytes, AssignBuffers(*entry, schedule.order)->arena_bytes());
    EXPECT_LE(schedule.arena_bytes, schedule.program_bytes);
  }
}

TEST(MemoryOrder, KeepsTheProgramsOrderWhereNoneIsBetter) {
  auto module = ir::ParseHlo(R"(
HloModule m
ENTRY main {
  p = f32[64] parameter(0)
  a = f32[64] reverse(p), dimensions={0}
  b = f32[64] reverse(p), dimensions={0}
  c = f32[64] add(b, a)
  ROOT r = f32[64] reverse(c), dimensions={0}
})");
  const ir::Computation& entry = *(*module)->entry();
  EXPECT_EQ(ScheduleForMemory(entry)->order, entry.PostOrder());
}

TEST(MemoryOrder, AHundredThousandInstructionsAreFast) {
  for (const bool wide : {false, true}) {
    ir::Module module("m");
    ir::Computation* entry = module.AddComputation("main");
    module.set_entry(entry);
    const Shape shape = Shape::Array(ir::DType::kF32, {16});
    Instruction* value = entry->AddParameter(0, shape);
    Order all;
    for (int i = 0; i < 50'000; ++i) {
      Instruction* next = entry->Add(Opcode::kSort, shape, {wide ? entry->parameter(0) : value});
      value = entry->Add(Opcode::kSort, shape, {next, wide ? next : value});
      all.push_back(value);
    }
    entry->set_root(entry->Add(Opcode::kSort, shape, all));
    const auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(ScheduleForMemory(*entry).ok());
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_LT(seconds.count(), 20) << wide;
  }
}

}  // namespace
}  // namespace swage::analysis
