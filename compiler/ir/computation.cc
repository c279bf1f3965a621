#include "compiler/ir/computation.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "compiler/ir/module.h"

namespace swage::ir {

bool Computation::IsEntry() const { return module_->entry() == this; }

std::vector<Instruction*> Computation::Instructions() const {
  std::vector<Instruction*> result;
  result.reserve(count_);
  for (const auto& instruction : list_) {
    if (instruction != nullptr) result.push_back(instruction.get());
  }
  return result;
}

std::vector<Instruction*> Computation::PostOrder() const {
  std::vector<Instruction*> order;
  order.reserve(count_);
  // 0 unseen, 1 on the stack, 2 done; by slot, which is dense.
  std::vector<uint8_t> state(list_.size(), 0);
  struct Frame {
    Instruction* instruction;
    size_t next = 0;  // next operand or control predecessor to look at
  };
  std::vector<Frame> stack;
  for (const auto& start : list_) {
    if (start == nullptr || state[start->slot_] == 2) continue;
    stack.push_back({start.get()});
    while (!stack.empty()) {
      Frame& frame = stack.back();
      Instruction* instruction = frame.instruction;
      if (frame.next == 0 && state[instruction->slot_] == 2) {
        stack.pop_back();
        continue;
      }
      state[instruction->slot_] = 1;
      const size_t operands = instruction->operands_.size();
      const std::vector<Instruction*>& predecessors = instruction->control_predecessors();
      const size_t before = operands + predecessors.size();
      Instruction* pending = nullptr;
      while (frame.next < before && pending == nullptr) {
        Instruction* dependency = frame.next < operands ? instruction->operands_[frame.next]
                                                        : predecessors[frame.next - operands];
        ++frame.next;
        // A value on the stack would be a cycle, which the verifier reports.
        if (state[dependency->slot_] == 0) pending = dependency;
      }
      if (pending != nullptr) {
        stack.push_back({pending});
        continue;
      }
      state[instruction->slot_] = 2;
      order.push_back(instruction);
      stack.pop_back();
    }
  }
  return order;
}

Instruction* Computation::Add(Opcode opcode, Shape shape, absl::Span<Instruction* const> operands,
                              Attributes attributes, std::vector<Computation*> called,
                              std::string_view name) {
  std::string unique =
      module_->UniqueInstructionName(name.empty() ? OpcodeName(opcode) : name);
  list_.emplace_back(new Instruction(this, module_->NextId(), std::move(unique), opcode,
                                     std::move(shape), std::move(attributes)));
  Instruction* added = list_.back().get();
  added->slot_ = list_.size() - 1;
  added->called_ = std::move(called);
  for (Instruction* operand : operands) added->AppendOperand(operand);
  if (opcode == Opcode::kFusion && !added->called_.empty() &&
      added->called_[0]->fusion_ == nullptr) {
    added->called_[0]->fusion_ = added;
  }
  ++count_;
  return added;
}

Instruction* Computation::AddParameter(int64_t number, Shape shape, std::string_view name) {
  Instruction* added = Add(Opcode::kParameter, std::move(shape), {}, ParameterAttrs{number}, {},
                           name.empty() ? "parameter" : name);
  const size_t needed = static_cast<size_t>(number) + 1;
  if (parameters_.size() < needed) parameters_.resize(needed, nullptr);
  parameters_[number] = added;
  return added;
}

Instruction* Computation::AddConstant(Literal literal, std::string_view name) {
  Shape shape = literal.shape();
  return Add(Opcode::kConstant, std::move(shape), {}, ConstantAttrs{std::move(literal)}, {}, name);
}

Instruction* Computation::AddClone(const Instruction& source,
                                   absl::Span<Instruction* const> operands) {
  // Within a module a name that ends in a number gives its base, so that names do not grow.
  std::string_view base = source.name();
  if (size_t dot = base.rfind('.'); source.module() == module_ && dot != std::string_view::npos &&
      dot > 0 &&
      base.find_first_not_of("0123456789", dot + 1) == std::string_view::npos) {
    base = base.substr(0, dot);
  }
  Instruction* added;
  if (source.opcode() == Opcode::kParameter) {
    added = AddParameter(source.parameter_number(), source.shape(), base);
  } else {
    added = Add(source.opcode(), source.shape(), operands, source.attributes(), source.called(), base);
  }
  added->metadata_ = source.metadata_;
  if (!source.raw_attributes().empty()) *added->mutable_raw_attributes() = source.raw_attributes();
  return added;
}

void Computation::Take(Instruction* instruction) {
  Computation* from = instruction->parent_;
  list_.push_back(std::move(from->list_[instruction->slot_]));
  ++count_;
  instruction->parent_ = this;
  instruction->slot_ = list_.size() - 1;
  --from->count_;
  from->CompactIfSparse();
}

Status Computation::Remove(Instruction* instruction) {
  SWAGE_RET_CHECK(instruction->parent_ == this, instruction->name());
  SWAGE_RET_CHECK(instruction->users_.empty(), instruction->name());
  SWAGE_RET_CHECK(root_ != instruction, instruction->name());
  if (instruction->opcode() == Opcode::kParameter) {
    SWAGE_RET_CHECK(IsFusion(), instruction->name());
    const int64_t number = instruction->parameter_number();
    parameters_.erase(parameters_.begin() + number);
    for (size_t i = number; i < parameters_.size(); ++i) {
      parameters_[i]->set_attributes(ParameterAttrs{static_cast<int64_t>(i)});
    }
  }
  instruction->DropControlEdges();
  for (Instruction* operand : instruction->operands_) operand->RemoveUser(instruction);
  if (instruction->opcode() == Opcode::kFusion && !instruction->called_.empty() &&
      instruction->called_[0]->fusion_ == instruction) {
    instruction->called_[0]->fusion_ = nullptr;
  }
  module_->ForgetInstructionName(instruction->name());
  list_[instruction->slot_].reset();
  --count_;
  CompactIfSparse();
  return OkStatus();
}

Status Computation::Replace(Instruction* old, Instruction* value) {
  SWAGE_RETURN_IF_ERROR(old->ReplaceAllUsesWith(value));
  // Origins are kept: a value that has none takes the place of one that has.
  if (value->metadata_ == nullptr) value->metadata_ = old->metadata_;
  if (old->opcode() == Opcode::kParameter || HasEffect(old->opcode())) return OkStatus();
  return RemoveWithDeadOperands(old);
}

Status Computation::RemoveWithDeadOperands(Instruction* instruction) {
  std::vector<Instruction*> work = {instruction};
  absl::flat_hash_set<Instruction*> queued = {instruction};
  while (!work.empty()) {
    Instruction* dead = work.back();
    work.pop_back();
    if (!dead->users_.empty() || dead == root_) {
      queued.erase(dead);  // it may die later, through another operand of the chain
      continue;
    }
    const InstructionList operands = dead->operands_;
    SWAGE_RETURN_IF_ERROR(Remove(dead));
    for (Instruction* operand : operands) {
      if (operand->users_.empty() && operand != root_ && !HasEffect(operand->opcode()) &&
          operand->control_successors().empty() && queued.insert(operand).second) {
        work.push_back(operand);
      }
    }
  }
  return OkStatus();
}

void Computation::CompactIfSparse() {
  if (list_.size() <= 64 || list_.size() <= static_cast<size_t>(2 * count_)) return;
  size_t to = 0;
  for (size_t from = 0; from < list_.size(); ++from) {
    if (list_[from] == nullptr) continue;
    list_[from]->slot_ = to;
    if (from != to) list_[to] = std::move(list_[from]);
    ++to;
  }
  list_.resize(to);
}

}  // namespace swage::ir
