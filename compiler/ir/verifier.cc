#include "compiler/ir/verifier.h"

#include <algorithm>
#include <array>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "compiler/ir/alias_text.h"
#include "compiler/ir/attribute_text.h"
#include "compiler/ir/shape_inference.h"

namespace swage::ir {
namespace {

// The variant index of the attribute struct of each opcode.
const std::array<size_t, kNumOpcodes>& AttributeIndices() {
  static const auto* const indices = [] {
    auto* made = new std::array<size_t, kNumOpcodes>();
    for (int i = 0; i < kNumOpcodes; ++i) {
      (*made)[i] = DefaultAttributes(static_cast<Opcode>(i)).index();
    }
    return made;
  }();
  return *indices;
}

class Verifier {
 public:
  Verifier(const Module& module, const VerifierOptions& options)
      : module_(module), options_(options) {}

  std::optional<Violation> Run() {
    CheckModule();
    if (!found_) CheckCallGraph();
    for (const Computation* computation : module_.Computations()) {
      if (found_) break;
      CheckComputation(*computation);
    }
    if (!found_) CheckEntry();
    return std::move(found_);
  }

 private:
  template <typename... Args>
  void Fail(const Instruction* instruction, const Args&... args) {
    if (!found_) found_ = Violation{absl::StrCat(args...), instruction};
  }

  void CheckModule();
  void CheckCallGraph();
  void CheckEntry();
  void CheckAliases();
  void CheckComputation(const Computation& computation);
  void CheckParameters(const Computation& computation);
  void CheckOperands(const Instruction& instruction);
  void CheckUsers(const Instruction& instruction);
  bool Reads(const Instruction& user, const Instruction* value);
  void CheckOrder(const Computation& computation);
  void CheckSchedule(const Computation& computation);
  void CheckInstruction(const Instruction& instruction);
  void CheckCalled(const Instruction& instruction);
  void CheckFusion(const Instruction& fusion);
  void CheckLayout(const Instruction& instruction);
  void CheckSymbols(const Instruction* instruction, const Shape& shape);

  // Whether the value belongs to the computation at hand.
  bool IsHere(const Instruction* value) const {
    return value->parent() == computation_ && value->slot() < here_.size() &&
           here_[value->slot()] == value;
  }

  const Module& module_;
  const VerifierOptions& options_;
  std::optional<Violation> found_;

  absl::flat_hash_set<const Computation*> computations_;
  absl::flat_hash_map<const Computation*, int> fusion_calls_;  // bodies of fusions: their callers
  absl::flat_hash_map<std::string_view, const Symbol*> symbols_;
  // Of each opcode, the last instruction whose shape was inferred.
  std::array<const Instruction*, kNumOpcodes> inferred_ = {};

  // Of the computation at hand. Tables are by slot.
  const Computation* computation_ = nullptr;
  std::vector<Instruction*> instructions_;
  std::vector<const Instruction*> here_;
  std::vector<int> use_counts_;                // distinct users, counted from the operands
  std::vector<const Instruction*> last_user_;  // the last user that was counted
  std::vector<int> position_;                  // in the order at hand; -1: not in it
  // The operands of users with many, as sets.
  absl::flat_hash_map<const Instruction*, absl::flat_hash_set<const Instruction*>> wide_operands_;
  absl::flat_hash_map<const Instruction*, absl::flat_hash_set<const Instruction*>> successors_;
};

void Verifier::CheckModule() {
  absl::flat_hash_set<std::string_view> names;
  for (const Computation* computation : module_.Computations()) {
    computations_.insert(computation);
    if (!names.insert(computation->name()).second) {
      Fail(nullptr, "two computations are named ", computation->name());
    }
    if (computation->module() != &module_) {
      Fail(nullptr, "computation ", computation->name(), " is not of this module");
    }
  }
  if (module_.entry() == nullptr || !computations_.contains(module_.entry())) {
    Fail(nullptr, "the module has no entry computation");
  }
}

// Calls are counted and must not come back.
void Verifier::CheckCallGraph() {
  enum State : uint8_t { kUnseen, kOpen, kDone };
  absl::flat_hash_map<const Computation*, State> states;
  struct Frame {
    const Computation* computation;
    std::vector<const Computation*> callees;
    size_t next = 0;
  };
  std::vector<Frame> stack;
  auto push = [&](const Computation* computation) {
    states[computation] = kOpen;
    Frame frame{computation, {}};
    for (const Instruction* instruction : computation->Instructions()) {
      for (const Computation* callee : instruction->called()) {
        if (!computations_.contains(callee)) {
          Fail(instruction, "calls a computation that is not of this module");
          return;
        }
        if (callee->IsFusion()) ++fusion_calls_[callee];
        frame.callees.push_back(callee);
      }
    }
    stack.push_back(std::move(frame));
  };
  for (const Computation* start : module_.Computations()) {
    if (states[start] != kUnseen) continue;
    push(start);
    while (!stack.empty() && !found_) {
      Frame& frame = stack.back();
      if (frame.next == frame.callees.size()) {
        states[frame.computation] = kDone;
        stack.pop_back();
        continue;
      }
      const Computation* callee = frame.callees[frame.next++];
      const State state = states[callee];
      if (state == kOpen) Fail(nullptr, "computation ", callee->name(), " calls itself");
      if (state == kUnseen) push(callee);
    }
    if (found_) return;
  }
}

void Verifier::CheckComputation(const Computation& computation) {
  computation_ = &computation;
  instructions_ = computation.Instructions();
  wide_operands_.clear();
  successors_.clear();
  const size_t slots = computation.slot_count();
  here_.assign(slots, nullptr);
  use_counts_.assign(slots, 0);
  last_user_.assign(slots, nullptr);
  for (const Instruction* instruction : instructions_) {
    if (instruction->parent() != &computation) {
      return Fail(instruction, "is not of the computation that holds it");
    }
    here_[instruction->slot()] = instruction;
  }
  if (computation.root() == nullptr || !IsHere(computation.root())) {
    return Fail(nullptr, "computation ", computation.name(), " has no root of its own");
  }
  CheckParameters(computation);
  for (const Instruction* instruction : instructions_) {
    if (found_) return;
    CheckOperands(*instruction);
  }
  last_user_.assign(slots, nullptr);
  for (const Instruction* instruction : instructions_) {
    if (found_) return;
    CheckUsers(*instruction);
  }
  if (!found_) CheckOrder(computation);
  if (!found_) CheckSchedule(computation);
  for (const Instruction* instruction : instructions_) {
    if (found_) return;
    CheckInstruction(*instruction);
  }
}

void Verifier::CheckParameters(const Computation& computation) {
  const auto& parameters = computation.parameters();
  int64_t count = 0;
  for (const Instruction* instruction : instructions_) {
    if (instruction->opcode() == Opcode::kParameter) ++count;
  }
  if (count != static_cast<int64_t>(parameters.size())) {
    return Fail(nullptr, "computation ", computation.name(), " lists ", parameters.size(),
                " parameters and holds ", count);
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Instruction* parameter = parameters[i];
    if (parameter == nullptr || !IsHere(parameter)) {
      return Fail(nullptr, "computation ", computation.name(), " has no parameter ", i);
    }
    const auto* attrs = AttrsIf<ParameterAttrs>(parameter->attributes());
    if (attrs == nullptr || attrs->number != static_cast<int64_t>(i)) {
      return Fail(parameter, "is parameter ", i, " of the computation under another number");
    }
  }
}

void Verifier::CheckOperands(const Instruction& instruction) {
  for (int i = 0; i < instruction.operand_count(); ++i) {
    const Instruction* operand = instruction.operand(i);
    if (!IsHere(operand)) {
      return Fail(&instruction, "operand ", i, " is not of the same computation");
    }
    if (last_user_[operand->slot()] == &instruction) continue;  // counted already
    last_user_[operand->slot()] = &instruction;
    ++use_counts_[operand->slot()];
  }
  for (const Instruction* before : instruction.control_predecessors()) {
    if (!IsHere(before)) {
      return Fail(&instruction, "a control predecessor is not of the same computation");
    }
    const auto& after = before->control_successors();
    auto [it, is_new] = successors_.try_emplace(before);
    if (is_new) it->second.insert(after.begin(), after.end());
    if (!it->second.contains(&instruction)) {
      return Fail(&instruction, "is no control successor of its predecessor ", before->name());
    }
  }
}

// The counts from the operands' side agree and no user is listed twice, so the lists are equal when
// each listed user does read the value.
void Verifier::CheckUsers(const Instruction& instruction) {
  const auto& users = instruction.users();
  const int count = use_counts_[instruction.slot()];
  if (count != static_cast<int>(users.size())) {
    return Fail(&instruction, "lists ", users.size(), " users, but ", count,
                " instructions read it");
  }
  std::vector<const Instruction*>& listed_by = last_user_;  // by the user's slot
  for (const Instruction* user : users) {
    if (!IsHere(user)) return Fail(&instruction, "lists a user that is not of its computation");
    if (std::exchange(listed_by[user->slot()], &instruction) == &instruction) {
      return Fail(&instruction, "lists its user ", user->name(), " twice");
    }
    if (!Reads(*user, &instruction)) {
      return Fail(&instruction, "lists the user ", user->name(), ", which does not read it");
    }
  }
}

bool Verifier::Reads(const Instruction& user, const Instruction* value) {
  constexpr size_t kScan = 16;
  const auto& operands = user.operands();
  if (operands.size() <= kScan) {
    return std::find(operands.begin(), operands.end(), value) != operands.end();
  }
  auto [it, is_new] = wide_operands_.try_emplace(&user);
  if (is_new) it->second.insert(operands.begin(), operands.end());
  return it->second.contains(value);
}

// Operands come first in a post-order, unless there is a cycle.
void Verifier::CheckOrder(const Computation& computation) {
  position_.assign(here_.size(), -1);
  const std::vector<Instruction*> order = computation.PostOrder();
  for (size_t i = 0; i < order.size(); ++i) position_[order[i]->slot()] = static_cast<int>(i);
  for (const Instruction* instruction : order) {
    const int here = position_[instruction->slot()];
    auto check = [&](const Instruction* before) {
      if (position_[before->slot()] >= here) Fail(instruction, "depends on itself");
    };
    for (const Instruction* operand : instruction->operands()) check(operand);
    for (const Instruction* before : instruction->control_predecessors()) check(before);
    if (found_) return;
  }
}

void Verifier::CheckSchedule(const Computation& computation) {
  const auto& schedule = computation.schedule();
  if (schedule.empty()) {
    if ((options_.scheduled || module_.is_scheduled()) && !computation.IsFusion()) {
      Fail(nullptr, "computation ", computation.name(), " has no schedule");
    }
    return;
  }
  // Nothing keeps a schedule from holding what was removed, so its pointers are not followed before
  // they are known.
  const absl::flat_hash_set<const Instruction*> known(instructions_.begin(), instructions_.end());
  position_.assign(here_.size(), -1);
  for (size_t i = 0; i < schedule.size(); ++i) {
    if (!known.contains(schedule[i])) {
      return Fail(nullptr, "the schedule of ", computation.name(),
                  " holds an instruction that is not there");
    }
    int& position = position_[schedule[i]->slot()];
    if (position >= 0) return Fail(schedule[i], "is scheduled twice");
    position = static_cast<int>(i);
    auto check = [&](const Instruction* before) {
      if (position_[before->slot()] < 0) {
        Fail(schedule[i], "is scheduled before ", before->name(), ", which it needs");
      }
    };
    for (const Instruction* operand : schedule[i]->operands()) check(operand);
    for (const Instruction* before : schedule[i]->control_predecessors()) check(before);
    if (found_) return;
  }
  for (const Instruction* instruction : instructions_) {
    if (position_[instruction->slot()] < 0) return Fail(instruction, "is not in the schedule");
  }
}

// Whether the rule of shapes is asked the same about both, so that one answer is the other's.
bool SameQuery(const Instruction& a, const Instruction& b) {
  if (a.shape() != b.shape() || a.operand_count() != b.operand_count() || !a.called().empty() ||
      !b.called().empty() || a.attributes() != b.attributes()) {
    return false;
  }
  for (int i = 0; i < a.operand_count(); ++i) {
    if (a.operand(i)->shape() != b.operand(i)->shape()) return false;
  }
  return true;
}

void Verifier::CheckInstruction(const Instruction& instruction) {
  const size_t opcode = static_cast<size_t>(instruction.opcode());
  if (instruction.attributes().index() != AttributeIndices()[opcode]) {
    return Fail(&instruction, "has attributes of another opcode");
  }
  CheckCalled(instruction);
  if (found_) return;
  // Most modules ask the same few questions over and over. (Comparing constants would compare their
  // bytes.)
  const Instruction*& last = inferred_[opcode];
  const bool known =
      last != nullptr && instruction.opcode() != Opcode::kConstant && SameQuery(*last, instruction);
  if (!known) {
    if (const Status status = CheckShape(instruction); !status.ok()) {
      return Fail(&instruction, ToAbsl(ToStd(status.message())));
    }
    last = &instruction;
  }
  CheckLayout(instruction);
  if (!instruction.shape().is_static()) CheckSymbols(&instruction, instruction.shape());
}

void Verifier::CheckCalled(const Instruction& instruction) {
  const CalledNames expected = CalledNamesOf(instruction.opcode());
  const size_t count = instruction.called().size();
  const bool fits = expected.list       ? count > 0 || expected.optional
                    : expected.optional ? count <= expected.names.size()
                                        : count == expected.names.size();
  if (!fits) return Fail(&instruction, "calls ", count, " computations");
  if (instruction.opcode() == Opcode::kFusion) CheckFusion(instruction);
  for (const Computation* callee : instruction.called()) {
    if (instruction.opcode() != Opcode::kFusion && callee->IsFusion()) {
      return Fail(&instruction, "calls ", callee->name(), ", which is the body of a fusion");
    }
  }
}

void Verifier::CheckFusion(const Instruction& fusion) {
  const Computation& body = *fusion.called(0);
  if (body.fusion() != &fusion || fusion_calls_[&body] != 1) {
    return Fail(&fusion, "its body ", body.name(), " is not its own");
  }
  for (const Instruction* parameter : body.parameters()) {
    if (parameter != nullptr && parameter->users().empty() && body.root() != parameter) {
      return Fail(&fusion, "its body does not use ", parameter->name());
    }
  }
}

void Verifier::CheckLayout(const Instruction& instruction) {
  if (options_.layouts == LayoutPhase::kBefore && instruction.shape().HasAnyLayout()) {
    Fail(&instruction, "has a layout before layout assignment: ", instruction.shape().ToString());
  }
  if (options_.layouts == LayoutPhase::kAfter && !instruction.shape().LayoutIsComplete()) {
    Fail(&instruction, "has no layout: ", instruction.shape().ToString());
  }
}

void Verifier::CheckSymbols(const Instruction* instruction, const Shape& shape) {
  std::vector<const Symbol*> symbols;
  ForEachLeaf(shape, [&](const ShapeIndex&, const Shape& leaf) {
    if (!leaf.is_array()) return;
    for (const Dim dim : leaf.dims()) {
      if (!dim.is_static()) dim.CollectSymbols(&symbols);
    }
  });
  for (const Symbol* symbol : symbols) {
    if (symbol->name.empty()) continue;
    auto [it, is_new] = symbols_.try_emplace(symbol->name, symbol);
    if (!is_new && it->second != symbol) {
      Fail(instruction, "symbol ", symbol->name, " has two ranges in this module");
    }
  }
}

void Verifier::CheckEntry() {
  const Computation& entry = *module_.entry();
  if (entry.IsFusion()) return Fail(nullptr, "the entry is the body of a fusion");
  if (const auto& layout = module_.entry_layout()) {
    if (layout->parameters.size() != entry.parameters().size()) {
      return Fail(nullptr, "the entry layout has ", layout->parameters.size(),
                  " parameters, the entry ", entry.parameters().size());
    }
    for (size_t i = 0; i < layout->parameters.size(); ++i) {
      const Instruction* parameter = entry.parameter(static_cast<int>(i));
      if (!ProvenCompatible(layout->parameters[i], parameter->shape())) {
        return Fail(parameter, "is ", parameter->shape().ToString(false), ", but ",
                    layout->parameters[i].ToString(false), " in the entry layout");
      }
      CheckSymbols(parameter, layout->parameters[i]);
    }
    if (!ProvenCompatible(layout->result, entry.root()->shape())) {
      return Fail(entry.root(), "the result is ", entry.root()->shape().ToString(false), ", but ",
                  layout->result.ToString(false), " in the entry layout");
    }
  }
  CheckAliases();
}

void Verifier::CheckAliases() {
  const Computation& entry = *module_.entry();
  for (const auto& [name, text] : module_.raw_attributes()) {
    if (name != "input_output_alias") continue;
    const auto aliases = ParseAliases(text);
    if (!aliases.ok()) {
      return Fail(nullptr, "input_output_alias: ", ToAbsl(ToStd(aliases.status().message())));
    }
    for (const Alias& alias : *aliases) {
      if (Subshape(entry.root()->shape(), alias.output) == nullptr) {
        return Fail(nullptr, "input_output_alias names an output that is not there");
      }
      if (alias.parameter < 0 || alias.parameter >= entry.parameter_count() ||
          Subshape(entry.parameter(static_cast<int>(alias.parameter))->shape(),
                   alias.parameter_index) == nullptr) {
        return Fail(nullptr, "input_output_alias names parameter ", alias.parameter,
                    ", which is not there");
      }
    }
  }
}

}  // namespace

std::optional<Violation> FindViolation(const Module& module, const VerifierOptions& options) {
  return Verifier(module, options).Run();
}

Status Verify(const Module& module, const VerifierOptions& options) {
  const std::optional<Violation> found = FindViolation(module, options);
  if (!found) return OkStatus();
  if (found->instruction == nullptr) return Internal("[verifier] ", found->message);
  return Internal("[verifier] ", found->instruction->name(), ": ", found->message);
}

}  // namespace swage::ir
