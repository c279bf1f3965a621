// Module, Computation, Instruction: ownership, users and operands in both directions, order, copies.
#include <gtest/gtest.h>

#include "compiler/ir/module.h"

namespace swage::ir {
namespace {

const Shape kShape = Shape::Array(DType::kF32, {4});

// parameter -> negate -> add(negate, parameter), the root.
struct Small {
  Module module{"small"};
  Computation* entry = module.AddComputation("main");
  Instruction* x = entry->AddParameter(0, kShape, "x");
  Instruction* neg = entry->Add(Opcode::kNegate, kShape, {x});
  Instruction* sum = entry->Add(Opcode::kAdd, kShape, {neg, x});
  Small() {
    entry->set_root(sum);
    module.set_entry(entry);
  }
};

TEST(GraphTest, UsersAreKeptInBothDirections) {
  Small g;
  EXPECT_EQ(g.x->users(), (InstructionList{g.neg, g.sum}));
  g.sum->SetOperand(1, g.neg);
  EXPECT_EQ(g.x->users(), (InstructionList{g.neg}));
  EXPECT_EQ(g.neg->users(), (InstructionList{g.sum}));
  EXPECT_EQ(g.neg->OperandIndices(g.sum), (std::vector<int>{0, 1}));
}

TEST(GraphTest, ManyUsersStayExactWhenTheyAreIndexed) {
  Small g;
  std::vector<Instruction*> users;
  for (int i = 0; i < 100; ++i) users.push_back(g.entry->Add(Opcode::kAbs, kShape, {g.neg}));
  EXPECT_EQ(g.neg->users().size(), 101u);
  for (int i = 0; i < 100; i += 2) ASSERT_TRUE(g.entry->Remove(users[i]).ok());
  EXPECT_EQ(g.neg->users().size(), 51u);
  for (int i = 1; i < 100; i += 2) ASSERT_TRUE(g.entry->Remove(users[i]).ok());
  EXPECT_EQ(g.neg->users(), (InstructionList{g.sum}));
}

TEST(GraphTest, AnInstructionMovesToAnotherComputationWithItsName) {
  Small g;
  Computation* other = g.module.AddComputation("other");
  Instruction* p = other->AddParameter(0, kShape, "p");
  Instruction* abs = g.entry->Add(Opcode::kAbs, kShape, {g.x}, NoneAttrs{}, {}, "moved");
  abs->SetOperand(0, p);
  other->Take(abs);
  other->set_root(abs);
  EXPECT_EQ(abs->parent(), other);
  EXPECT_EQ(abs->name(), "moved");
  EXPECT_EQ(g.entry->instruction_count(), 3);
  EXPECT_EQ(other->PostOrder(), (std::vector<Instruction*>{p, abs}));
  EXPECT_EQ(g.entry->PostOrder(), (std::vector<Instruction*>{g.x, g.neg, g.sum}));
}

TEST(GraphTest, SlotsAreDenseAndDistinct) {
  Small g;
  std::vector<Instruction*> added;
  for (int i = 0; i < 500; ++i) added.push_back(g.entry->Add(Opcode::kAbs, kShape, {g.x}));
  for (int i = 0; i < 480; ++i) ASSERT_TRUE(g.entry->Remove(added[i]).ok());
  EXPECT_LE(g.entry->slot_count(), 2u * g.entry->instruction_count() + 64);
  std::vector<bool> seen(g.entry->slot_count());
  for (const Instruction* instruction : g.entry->Instructions()) {
    ASSERT_LT(instruction->slot(), seen.size());
    EXPECT_FALSE(seen[instruction->slot()]);
    seen[instruction->slot()] = true;
  }
}

TEST(GraphTest, CopiesOfAttributesDoNotShareChanges) {
  DotAttrs dot;
  dot.lhs_contracting = {1};
  Attributes attributes = dot;
  Attributes copy = attributes;
  MutableAttrsIf<DotAttrs>(&copy)->lhs_contracting = {0};
  EXPECT_EQ(AttrsIf<DotAttrs>(attributes)->lhs_contracting, DimList{1});
  EXPECT_NE(attributes, copy);
  EXPECT_EQ(AttrsIf<GatherAttrs>(attributes), nullptr);
  EXPECT_EQ(Attributes(DotAttrs{}), Attributes(Boxed<DotAttrs>()));
}

TEST(GraphTest, ReplaceMovesUsersAndRemovesWhatDied) {
  Small g;
  Instruction* abs = g.entry->Add(Opcode::kAbs, kShape, {g.x});
  ASSERT_TRUE(g.entry->Replace(g.neg, abs).ok());
  EXPECT_EQ(g.sum->operand(0), abs);
  EXPECT_EQ(g.entry->instruction_count(), 3);
  ASSERT_TRUE(g.entry->Replace(g.sum, g.x).ok());
  EXPECT_EQ(g.entry->root(), g.x);
  EXPECT_EQ(g.entry->instruction_count(), 1);
}

TEST(GraphTest, ReplaceRefusesAnotherShape) {
  Small g;
  Instruction* wide = g.entry->AddParameter(1, Shape::Array(DType::kF32, {5}));
  EXPECT_EQ(g.neg->ReplaceAllUsesWith(wide).code(), absl::StatusCode::kInternal);
}

TEST(GraphTest, RemoveRefusesValuesInUseAndTheRoot) {
  Small g;
  EXPECT_FALSE(g.entry->Remove(g.neg).ok());
  EXPECT_FALSE(g.entry->Remove(g.sum).ok());
}

TEST(GraphTest, PostOrderPutsOperandsFirstAndKeepsListOrder) {
  Small g;
  EXPECT_EQ(g.entry->PostOrder(), (std::vector<Instruction*>{g.x, g.neg, g.sum}));
  Instruction* late = g.entry->Add(Opcode::kAbs, kShape, {g.x});
  g.neg->SetOperand(0, late);
  EXPECT_EQ(g.entry->PostOrder(), (std::vector<Instruction*>{g.x, late, g.neg, g.sum}));
  g.x->users();
  Instruction* first = g.entry->Add(Opcode::kIota, kShape, {}, IotaAttrs{0});
  late->AddControlPredecessor(first);
  EXPECT_EQ(g.entry->PostOrder(), (std::vector<Instruction*>{g.x, first, late, g.neg, g.sum}));
}

TEST(GraphTest, PostOrderOfALongChainNeedsNoStack) {
  Module module("chain");
  Computation* entry = module.AddComputation("main");
  Instruction* value = entry->AddParameter(0, kShape);
  for (int i = 0; i < 200000; ++i) value = entry->Add(Opcode::kNegate, kShape, {value});
  entry->set_root(value);
  module.set_entry(entry);
  EXPECT_EQ(entry->PostOrder().size(), 200001u);
  EXPECT_EQ(module.Clone()->instruction_count(), 200001);
}

TEST(GraphTest, NamesAreUniqueAndFreedNamesComeBack) {
  Small g;
  Instruction* a = g.entry->Add(Opcode::kAbs, kShape, {g.x}, NoneAttrs{}, {}, "v");
  Instruction* b = g.entry->Add(Opcode::kAbs, kShape, {g.x}, NoneAttrs{}, {}, "v");
  EXPECT_EQ(a->name(), "v");
  EXPECT_EQ(b->name(), "v.1");
  ASSERT_TRUE(g.entry->Remove(a).ok());
  EXPECT_EQ(g.entry->Add(Opcode::kAbs, kShape, {g.x}, NoneAttrs{}, {}, "v")->name(), "v");
}

TEST(GraphTest, CloneCopiesCalleesOnceAndKeepsNames) {
  Small g;
  Computation* callee = g.module.AddComputation("twice");
  Instruction* p = callee->AddParameter(0, kShape);
  callee->set_root(callee->Add(Opcode::kAdd, kShape, {p, p}));
  Instruction* c1 = g.entry->Add(Opcode::kCall, kShape, {g.sum}, NoneAttrs{}, {callee});
  Instruction* c2 = g.entry->Add(Opcode::kCall, kShape, {c1}, NoneAttrs{}, {callee});
  g.entry->set_root(c2);
  std::unique_ptr<Module> copy = g.module.Clone();
  EXPECT_EQ(copy->Computations().size(), 2u);
  EXPECT_EQ(copy->instruction_count(), g.module.instruction_count());
  EXPECT_EQ(copy->entry()->root()->name(), c2->name());
  EXPECT_EQ(copy->entry()->root()->called(0), copy->entry()->root()->operand(0)->called(0));
  EXPECT_EQ(copy->entry()->root()->called(0)->module(), copy.get());
}

TEST(GraphTest, AFusionOwnsItsBody) {
  Small g;
  Computation* body = g.module.AddComputation("fused_computation");
  Instruction* p = body->AddParameter(0, kShape);
  body->set_root(body->Add(Opcode::kNegate, kShape, {p}));
  Instruction* fusion = g.entry->Add(Opcode::kFusion, kShape, {g.sum}, FusionAttrs{}, {body});
  g.entry->set_root(fusion);
  EXPECT_EQ(body->fusion(), fusion);
  std::unique_ptr<Module> copy = g.module.Clone();
  Instruction* copied = copy->entry()->root();
  EXPECT_EQ(copied->fused_computation()->fusion(), copied);
  EXPECT_EQ(body->fusion(), fusion);
}

}  // namespace
}  // namespace swage::ir
