#include "compiler/ir/instruction.h"

#include <algorithm>

#include "compiler/ir/computation.h"
#include "compiler/ir/module.h"

namespace swage::ir {

Module* Instruction::module() const { return parent_->module(); }

bool Instruction::IsRoot() const { return parent_->root() == this; }

std::vector<int> Instruction::OperandIndices(const Instruction* user) const {
  std::vector<int> indices;
  for (int i = 0; i < user->operand_count(); ++i) {
    if (user->operand(i) == this) indices.push_back(i);
  }
  return indices;
}

// Few values have many users, and those (parameters, shared constants) get their index here.
namespace {
constexpr size_t kIndexedUsers = 16;
}

const Instruction::Rare& Instruction::NoRare() {
  static const Rare* const none = new Rare();
  return *none;
}

void Instruction::AddUser(Instruction* user) {
  if (users_.size() <= kIndexedUsers) {
    if (std::find(users_.begin(), users_.end(), user) != users_.end()) return;
    users_.push_back(user);
    if (users_.size() > kIndexedUsers) {
      auto& slots = mutable_rare()->user_slots;
      for (size_t i = 0; i < users_.size(); ++i) slots[users_[i]] = i;
    }
    return;
  }
  if (rare_->user_slots.emplace(user, users_.size()).second) users_.push_back(user);
}

void Instruction::RemoveUser(Instruction* user) {
  if (rare().user_slots.empty()) {
    users_.erase(std::remove(users_.begin(), users_.end(), user), users_.end());
    return;
  }
  auto& slots = rare_->user_slots;
  auto it = slots.find(user);
  if (it == slots.end()) return;
  const size_t slot = it->second;
  slots.erase(it);
  if (slot + 1 != users_.size()) {
    users_[slot] = users_.back();
    slots[users_[slot]] = slot;
  }
  users_.pop_back();
  if (users_.size() <= kIndexedUsers) slots.clear();
}

void Instruction::SetOperand(int i, Instruction* value) {
  Instruction* old = operands_[i];
  if (old == value) return;
  operands_[i] = value;
  if (std::find(operands_.begin(), operands_.end(), old) == operands_.end()) old->RemoveUser(this);
  value->AddUser(this);
}

void Instruction::AppendOperand(Instruction* value) {
  operands_.push_back(value);
  value->AddUser(this);
}

void Instruction::RemoveOperand(int i) {
  Instruction* old = operands_[i];
  operands_.erase(operands_.begin() + i);
  if (std::find(operands_.begin(), operands_.end(), old) == operands_.end()) old->RemoveUser(this);
}

void Instruction::AddControlPredecessor(Instruction* before) {
  std::vector<Instruction*>& predecessors = mutable_rare()->control_predecessors;
  if (std::find(predecessors.begin(), predecessors.end(), before) != predecessors.end()) return;
  predecessors.push_back(before);
  before->mutable_rare()->control_successors.push_back(this);
}

void Instruction::DropControlEdges() {
  if (rare_ == nullptr) return;
  const auto drop = [this](std::vector<Instruction*>& edges) {
    edges.erase(std::remove(edges.begin(), edges.end(), this), edges.end());
  };
  for (Instruction* before : rare_->control_predecessors) drop(before->rare_->control_successors);
  for (Instruction* after : rare_->control_successors) drop(after->rare_->control_predecessors);
  rare_->control_predecessors.clear();
  rare_->control_successors.clear();
}

Status Instruction::ReplaceAllUsesWith(Instruction* value) {
  if (value == this) return OkStatus();
  if (value->parent_ != parent_) {
    return Internal("[replace] ", name_, " and its replacement ", value->name_,
                    " are in different computations");
  }
  if (!Compatible(shape_, value->shape_)) {
    return Internal("[replace] ", name_, " has shape ", shape_.ToString(), ", its replacement ",
                    value->name_, " has ", value->shape_.ToString());
  }
  const InstructionList users = users_;
  for (Instruction* user : users) {
    if (user == value) continue;
    for (Instruction*& operand : user->operands_) {
      if (operand == this) operand = value;
    }
    RemoveUser(user);
    value->AddUser(user);
  }
  const std::vector<Instruction*> successors = control_successors();
  for (Instruction* after : successors) {
    if (after != value) after->AddControlPredecessor(value);
  }
  if (parent_->root() == this) parent_->set_root(value);
  return OkStatus();
}

bool Instruction::SameOperation(const Instruction& other) const {
  return opcode_ == other.opcode_ && operands_ == other.operands_ && called_ == other.called_ &&
         shape_ == other.shape_ && attributes_ == other.attributes_ &&
         raw_attributes() == other.raw_attributes();
}

}  // namespace swage::ir
