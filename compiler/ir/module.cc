#include "compiler/ir/module.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"

namespace swage::ir {
namespace {

// The name as HLO text can have it: other characters than its own become '_'.
std::string HloName(std::string_view name) {
  std::string result(name.empty() ? "_" : name);
  for (char& c : result) {
    const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '.' || c == '-';
    if (!fits) c = '_';
  }
  return result;
}

}  // namespace

Module::Module(std::string_view name) : name_(HloName(name)) {}

void Module::set_name(std::string_view name) { name_ = HloName(name); }

Computation* Module::AddComputation(std::string_view name) {
  computations_.emplace_back(
      new Computation(this, NextId(), UniqueComputationName(name.empty() ? "computation" : name)));
  return computations_.back().get();
}

Status Module::RemoveComputation(Computation* computation) {
  return RemoveComputations({computation});
}

Status Module::RemoveComputations(const std::vector<Computation*>& computations) {
  const absl::flat_hash_set<Computation*> removed(computations.begin(), computations.end());
  size_t found = 0;
  for (const std::unique_ptr<Computation>& computation : computations_) {
    if (!removed.contains(computation.get())) continue;
    SWAGE_RET_CHECK(computation.get() != entry_, computation->name());
    for (const Instruction* instruction : computation->Instructions()) {
      instruction_names_.erase(instruction->name());
    }
    computation_names_.erase(computation->name());
    ++found;
  }
  SWAGE_RET_CHECK(found == removed.size());
  std::erase_if(computations_, [&](const auto& owned) { return removed.contains(owned.get()); });
  return OkStatus();
}

std::vector<Computation*> Module::Computations() const {
  std::vector<Computation*> result;
  result.reserve(computations_.size());
  for (const auto& computation : computations_) result.push_back(computation.get());
  return result;
}

std::vector<Computation*> Module::ComputationPostOrder() const {
  std::vector<Computation*> order;
  absl::flat_hash_set<Computation*> seen;
  struct Frame {
    Computation* computation;
    std::vector<Computation*> callees;
    size_t next = 0;
  };
  std::vector<Frame> stack;
  auto push = [&](Computation* computation) {
    if (!seen.insert(computation).second) return;
    Frame frame{computation, {}};
    for (Instruction* instruction : computation->Instructions()) {
      for (Computation* callee : instruction->called()) frame.callees.push_back(callee);
    }
    stack.push_back(std::move(frame));
  };
  for (const auto& start : computations_) {
    push(start.get());
    while (!stack.empty()) {
      if (stack.back().next < stack.back().callees.size()) {
        push(stack.back().callees[stack.back().next++]);
      } else {
        order.push_back(stack.back().computation);
        stack.pop_back();
      }
    }
  }
  return order;
}

std::vector<Computation*> Module::NonFusionComputations() const {
  std::vector<Computation*> order = ComputationPostOrder();
  order.erase(std::remove_if(order.begin(), order.end(),
                             [](const Computation* c) { return c->IsFusion(); }),
              order.end());
  return order;
}

std::vector<Computation*> Module::ExecutedComputations() const {
  absl::flat_hash_set<const Computation*> executed = {entry_};
  const std::vector<Computation*> order = ComputationPostOrder();
  std::vector<Computation*> result;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {  // callers first
    if (!executed.contains(*it)) continue;
    result.push_back(*it);
    for (const Instruction* instruction : (*it)->Instructions()) {
      const Opcode opcode = instruction->opcode();
      if (opcode != Opcode::kCall && opcode != Opcode::kWhile && opcode != Opcode::kConditional) {
        continue;
      }
      executed.insert(instruction->called().begin(), instruction->called().end());
    }
  }
  std::reverse(result.begin(), result.end());
  return result;
}

int64_t Module::instruction_count() const {
  int64_t count = 0;
  for (const auto& computation : computations_) count += computation->instruction_count();
  return count;
}

std::string Module::UniqueName(absl::flat_hash_map<std::string, int64_t>* used,
                               std::string_view wanted) {
  const std::string base = HloName(wanted);
  auto [it, fresh] = used->try_emplace(base, 1);
  if (fresh) return base;
  while (true) {
    std::string name = absl::StrCat(base, ".", it->second++);
    if (used->contains(name)) continue;
    used->emplace(name, 1);
    return name;
  }
}

std::string Module::UniqueInstructionName(std::string_view base) {
  return UniqueName(&instruction_names_, base);
}

std::string Module::UniqueComputationName(std::string_view base) {
  return UniqueName(&computation_names_, base);
}

Computation* Module::CloneComputation(const Computation& source, std::string_view name) {
  absl::flat_hash_map<const Computation*, Computation*> copies;
  const bool foreign = source.module() != this;

  // Callees first. Within one module only fusion bodies are copied (one caller each); other callees
  // are shared. From another module everything comes along.
  struct Frame {
    const Computation* computation;
    std::vector<const Computation*> callees;
    size_t next = 0;
  };
  std::vector<Frame> stack;
  auto push = [&](const Computation* computation) {
    if (copies.contains(computation)) return;
    copies[computation] = nullptr;
    Frame frame{computation, {}};
    for (Instruction* instruction : computation->Instructions()) {
      for (Computation* callee : instruction->called()) {
        if (foreign || callee->IsFusion()) frame.callees.push_back(callee);
      }
    }
    stack.push_back(std::move(frame));
  };
  push(&source);
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.next < frame.callees.size()) {
      push(frame.callees[frame.next++]);
      continue;
    }
    const Computation* from = frame.computation;
    Computation* to = AddComputation(from == &source ? name : std::string_view(from->name()));
    copies[from] = to;
    stack.pop_back();
    absl::flat_hash_map<const Instruction*, Instruction*> map;
    map.reserve(from->instruction_count());
    for (const Instruction* instruction : from->PostOrder()) {
      InstructionList operands;
      for (const Instruction* operand : instruction->operands()) operands.push_back(map[operand]);
      Instruction* copy = to->AddClone(*instruction, operands);
      for (size_t i = 0; i < copy->called().size(); ++i) {
        auto it = copies.find(copy->called()[i]);
        if (it == copies.end()) continue;
        copy->set_called(static_cast<int>(i), it->second);
        if (copy->opcode() == Opcode::kFusion) it->second->fusion_ = copy;
      }
      for (Instruction* before : instruction->control_predecessors()) {
        copy->AddControlPredecessor(map[before]);
      }
      map[instruction] = copy;
    }
    to->root_ = from->root_ == nullptr ? nullptr : map[from->root_];
    for (const Instruction* step : from->schedule_) to->schedule_.push_back(map[step]);
  }
  return copies[&source];
}

std::unique_ptr<Module> Module::Clone() const {
  auto copy = std::make_unique<Module>(name_);
  if (entry_ != nullptr) copy->entry_ = copy->CloneComputation(*entry_, entry_->name());
  copy->entry_layout_ = entry_layout_;
  copy->is_scheduled_ = is_scheduled_;
  copy->has_layouts_ = has_layouts_;
  copy->raw_ = raw_;
  copy->stack_frames_ = stack_frames_;
  return copy;
}

int64_t ApproximateBytes(const Module& module) {
  constexpr int64_t kInstruction = 512;  // with its name and shape
  int64_t bytes = 0;
  for (const Computation* computation : module.Computations()) {
    for (const Instruction* instruction : computation->Instructions()) {
      bytes += kInstruction;
      if (instruction->opcode() != Opcode::kConstant || instruction->literal().is_tuple()) continue;
      bytes += static_cast<int64_t>(instruction->literal().bytes().size());
    }
  }
  return bytes;
}

}  // namespace swage::ir
