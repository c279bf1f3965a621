#include "compiler/passes/cse.h"

#include "absl/container/flat_hash_set.h"
#include "compiler/analysis/same_operation.h"
#include "compiler/analysis/side_effects.h"

namespace swage::passes {
namespace {

using ir::Computation;
using ir::Instruction;

// An instruction with its hash, which is dear and does not change any more.
struct Seen {
  size_t hash;
  Instruction* instruction;
};
struct SeenHash {
  size_t operator()(const Seen& seen) const { return seen.hash; }
};
struct SeenEqual {
  bool operator()(const Seen& a, const Seen& b) const {
    return a.hash == b.hash && analysis::SameOperation(*a.instruction, *b.instruction);
  }
};

StatusOr<bool> MergeEqual(Computation& computation, const analysis::SideEffects& effects) {
  bool changed = false;
  absl::flat_hash_set<Seen, SeenHash, SeenEqual> seen;
  seen.reserve(computation.instruction_count());
  // Operands come first, so equal chains merge from their beginning on, in one sweep.
  for (Instruction* instruction : computation.PostOrder()) {
    if (effects.In(*instruction) || !instruction->control_predecessors().empty() ||
        !instruction->control_successors().empty()) {
      continue;
    }
    const auto [first, is_new] = seen.insert({analysis::HashOperation(*instruction), instruction});
    if (is_new) continue;
    SWAGE_RETURN_IF_ERROR(computation.Replace(instruction, first->instruction));
    changed = true;
  }
  return changed;
}

}  // namespace

StatusOr<bool> Cse::Run(ir::Module& module, PassContext& context) {
  bool changed = false;
  const analysis::SideEffects effects(module);
  for (Computation* computation : module.Computations()) {
    SWAGE_ASSIGN_OR_RETURN(const bool merged, MergeEqual(*computation, effects));
    changed |= merged;
  }
  return changed;
}

StatusOr<bool> FusionCse::Run(ir::Module& module, PassContext& context) {
  bool changed = false;
  const analysis::SideEffects effects(module);
  for (Computation* computation : module.Computations()) {
    if (!computation->IsFusion()) continue;
    SWAGE_ASSIGN_OR_RETURN(const bool merged, MergeEqual(*computation, effects));
    changed |= merged;
  }
  return changed;
}

}  // namespace swage::passes
