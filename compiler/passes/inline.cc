#include "compiler/passes/inline.h"

#include <algorithm>
#include <chrono>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "compiler/analysis/side_effects.h"
#include "compiler/evaluator/evaluator.h"

namespace swage::passes {
namespace {

using ir::Computation;
using ir::Instruction;
using ir::Opcode;

bool IsInlinableCall(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kCall && instruction.control_predecessors().empty() &&
         instruction.control_successors().empty();
}

// Makes the root of `computation` a constant with its value, if the budget allows.
StatusOr<bool> Fold(Computation& computation, PassContext& context) {
  const CompilerOptions& options = context.options();
  const StatusOr<int64_t> bytes = computation.root()->shape().ByteSize();
  const int64_t microseconds = options.fold_budget_microseconds - context.fold_microseconds;
  if (!bytes.ok() || *bytes > options.fold_budget_bytes - context.fold_bytes || microseconds <= 0) {
    return false;
  }
  const auto start = std::chrono::steady_clock::now();
  StatusOr<ir::Literal> value =
      evaluator::Evaluate(computation, {}, {.max_time_ms = microseconds / 1000 + 1});
  context.fold_microseconds += std::chrono::duration_cast<std::chrono::microseconds>(
                                   std::chrono::steady_clock::now() - start)
                                   .count();
  if (!value.ok()) return false;  // an op that the evaluator lacks, or too slow
  context.fold_bytes += *bytes;
  SWAGE_RETURN_IF_ERROR(
      computation.Replace(computation.root(), computation.AddConstant(std::move(*value))));
  return true;
}

// Evaluates each computation without parameters that several calls share, callees first, so that
// each is evaluated over constants only.
StatusOr<bool> FoldShared(ir::Module& module, PassContext& context) {
  absl::flat_hash_map<const Computation*, int64_t> calls;
  for (const Computation* computation : module.Computations()) {
    for (const Instruction* instruction : computation->Instructions()) {
      if (IsInlinableCall(*instruction)) ++calls[instruction->called(0)];
    }
  }
  const analysis::SideEffects effects(module);
  bool changed = false;
  for (Computation* computation : module.ComputationPostOrder()) {
    if (computation->parameter_count() > 0 || calls[computation] < 2 || effects.In(*computation) ||
        !computation->root()->shape().is_array() ||
        computation->root()->opcode() == Opcode::kConstant) {
      continue;
    }
    SWAGE_ASSIGN_OR_RETURN(const bool folded, Fold(*computation, context));
    changed |= folded;
  }
  return changed;
}

// Which computations are inlined at all of their calls.
class Decisions {
 public:
  Decisions(const ir::Module& module, int64_t budget) : budget_(budget) {
    const std::vector<Computation*> order = module.ComputationPostOrder();
    for (Computation* computation : order) CountReferences(*computation);
    for (Computation* computation : order) Decide(*computation, computation == module.entry());
  }

  bool Inlines(const Computation* computation) const { return inlined_.contains(computation); }
  // Not only called, and only where it is inlined.
  bool Stays(const Computation* computation) const {
    auto it = references_.find(computation);
    return !Inlines(computation) || (it != references_.end() && it->second.others > 0);
  }

 private:
  struct References {
    int64_t calls = 0;   // by call instructions that can be replaced
    int64_t others = 0;  // as the body of a loop, the combiner of a reduce ...
  };

  void CountReferences(const Computation& computation) {
    for (const Instruction* instruction : computation.Instructions()) {
      const bool call = IsInlinableCall(*instruction);
      for (const Computation* callee : instruction->called()) {
        ++(call ? references_[callee].calls : references_[callee].others);
      }
    }
  }

  // Callees are decided already.
  void Decide(const Computation& computation, bool is_entry) {
    int64_t size = computation.instruction_count() - computation.parameter_count();
    for (const Instruction* instruction : computation.Instructions()) {
      if (!IsInlinableCall(*instruction) || !Inlines(instruction->called(0))) continue;
      size += size_[instruction->called(0)] - 1;
    }
    size_[&computation] = size;
    const References& references = references_[&computation];
    if (is_entry || computation.IsFusion() || references.calls == 0) return;
    // The calls go; unless something else refers to it, so does the computation itself.
    const int64_t copies = references.calls - (references.others == 0 ? 1 : 0);
    const int64_t growth = copies * size - references.calls;
    if (copies > 0 && size > 1 && growth > budget_) return;
    budget_ -= std::max<int64_t>(growth, 0);
    inlined_.insert(&computation);
  }

  int64_t budget_;  // instructions that may still be added
  absl::flat_hash_map<const Computation*, References> references_;
  absl::flat_hash_map<const Computation*, int64_t> size_;  // with its inlined callees
  absl::flat_hash_set<const Computation*> inlined_;
};

// Replaces `call` by a copy of its callee's body. The calls in it are added to `calls`.
Status InlineCall(Instruction* call, std::vector<Instruction*>* calls) {
  Computation& caller = *call->parent();
  const Computation& callee = *call->called(0);
  absl::flat_hash_map<const Instruction*, Instruction*> copies;
  copies.reserve(callee.instruction_count());
  for (const Instruction* instruction : callee.PostOrder()) {
    if (instruction->opcode() == Opcode::kParameter) {
      copies[instruction] = call->operand(static_cast<int>(instruction->parameter_number()));
      continue;
    }
    ir::InstructionList operands;
    for (const Instruction* operand : instruction->operands()) operands.push_back(copies[operand]);
    Instruction* copy = caller.AddClone(*instruction, operands);
    for (const Instruction* before : instruction->control_predecessors()) {
      copy->AddControlPredecessor(copies[before]);
    }
    if (IsInlinableCall(*copy)) calls->push_back(copy);
    copies[instruction] = copy;
  }
  SWAGE_RETURN_IF_ERROR(call->ReplaceAllUsesWith(copies[callee.root()]));
  return caller.Remove(call);
}

StatusOr<bool> InlineCallsIn(Computation& computation, const Decisions& decisions) {
  std::vector<Instruction*> calls;
  for (Instruction* instruction : computation.Instructions()) {
    if (IsInlinableCall(*instruction)) calls.push_back(instruction);
  }
  bool changed = false;
  // The copies of inlined bodies are expanded here too, and never copied again: the work is linear
  // in the result.
  while (!calls.empty()) {
    Instruction* call = calls.back();
    calls.pop_back();
    if (!decisions.Inlines(call->called(0))) continue;
    SWAGE_RETURN_IF_ERROR(InlineCall(call, &calls));
    changed = true;
  }
  return changed;
}

}  // namespace

StatusOr<bool> Inline::Run(ir::Module& module, PassContext& context) {
  SWAGE_ASSIGN_OR_RETURN(bool changed, FoldShared(module, context));
  const Decisions decisions(module, std::max(module.instruction_count(), min_growth_));
  const std::vector<Computation*> order = module.ComputationPostOrder();
  // Callers first: an inlined computation is the pattern of its copies until they are all made.
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    if (!decisions.Stays(*it)) continue;
    SWAGE_ASSIGN_OR_RETURN(const bool inlined, InlineCallsIn(**it, decisions));
    changed |= inlined;
  }
  if (!changed) return false;
  // What nobody calls any more goes.
  absl::flat_hash_set<const Computation*> called = {module.entry()};
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    if (!called.contains(*it)) {
      SWAGE_RETURN_IF_ERROR(module.RemoveComputation(*it));
      continue;
    }
    for (const Instruction* instruction : (*it)->Instructions()) {
      called.insert(instruction->called().begin(), instruction->called().end());
    }
  }
  return true;
}

}  // namespace swage::passes
