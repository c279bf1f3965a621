#include "compiler/passes/dce.h"

#include "absl/container/flat_hash_set.h"
#include "compiler/analysis/side_effects.h"

namespace swage::passes {
namespace {

using analysis::SideEffects;
using ir::Computation;
using ir::Instruction;

bool IsDead(const Instruction& instruction, const SideEffects& effects) {
  return instruction.users().empty() && !instruction.IsRoot() &&
         instruction.control_successors().empty() && !effects.In(instruction);
}

StatusOr<bool> RemoveDeadInstructions(Computation& computation, const SideEffects& effects) {
  std::vector<Instruction*> dead;
  for (Instruction* instruction : computation.Instructions()) {
    if (IsDead(*instruction, effects)) dead.push_back(instruction);
  }
  const bool changed = !dead.empty();
  while (!dead.empty()) {
    Instruction* instruction = dead.back();
    dead.pop_back();
    // Each value once, though it may be an operand and a control predecessor several times.
    absl::flat_hash_set<Instruction*> inputs(instruction->operands().begin(),
                                             instruction->operands().end());
    inputs.insert(instruction->control_predecessors().begin(),
                  instruction->control_predecessors().end());
    SWAGE_RETURN_IF_ERROR(computation.Remove(instruction));
    for (Instruction* input : inputs) {
      if (IsDead(*input, effects)) dead.push_back(input);
    }
  }
  return changed;
}

// Parameters of a fusion's body that nothing reads, and what the fusion passes for them.
StatusOr<bool> RemoveUnusedFusionParameters(Computation& body) {
  if (!body.IsFusion()) return false;
  bool changed = false;
  for (int i = body.parameter_count() - 1; i >= 0; --i) {
    Instruction* parameter = body.parameter(i);
    if (!parameter->users().empty() || parameter->IsRoot()) continue;
    SWAGE_RETURN_IF_ERROR(body.Remove(parameter));
    body.fusion()->RemoveOperand(i);
    changed = true;
  }
  return changed;
}

StatusOr<bool> RemoveUnreachableComputations(ir::Module& module) {
  absl::flat_hash_set<Computation*> reachable = {module.entry()};
  std::vector<Computation*> work = {module.entry()};
  while (!work.empty()) {
    Computation* computation = work.back();
    work.pop_back();
    for (Instruction* instruction : computation->Instructions()) {
      for (Computation* callee : instruction->called()) {
        if (reachable.insert(callee).second) work.push_back(callee);
      }
    }
  }
  std::vector<Computation*> dead;
  for (Computation* computation : module.Computations()) {
    if (!reachable.contains(computation)) dead.push_back(computation);
  }
  SWAGE_RETURN_IF_ERROR(module.RemoveComputations(dead));
  return !dead.empty();
}

}  // namespace

StatusOr<bool> Dce::Run(ir::Module& module, PassContext& context) {
  bool changed = false;
  const SideEffects effects(module);
  // Callees first: a fusion that reads less may leave dead operands to its caller.
  for (Computation* computation : module.ComputationPostOrder()) {
    SWAGE_ASSIGN_OR_RETURN(const bool removed, RemoveDeadInstructions(*computation, effects));
    SWAGE_ASSIGN_OR_RETURN(const bool unread, RemoveUnusedFusionParameters(*computation));
    changed |= removed || unread;
  }
  SWAGE_ASSIGN_OR_RETURN(const bool removed, RemoveUnreachableComputations(module));
  return changed || removed;
}

}  // namespace swage::passes
