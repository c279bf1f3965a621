// File: compiler/analysis/side_effects.h
//
// Which instructions do something besides making their value, the computations they call included.
// Computed once for a module, callees first, in one sweep; computations that are added later, and
// changes to those that were seen, are not known to it.
#ifndef SWAGE_COMPILER_ANALYSIS_SIDE_EFFECTS_H_
#define SWAGE_COMPILER_ANALYSIS_SIDE_EFFECTS_H_

#include "absl/container/flat_hash_set.h"
#include "compiler/ir/module.h"

namespace swage::analysis {

class SideEffects {
 public:
  explicit SideEffects(const ir::Module& module);

  // True for an instruction that may be neither removed, merged nor repeated. Parameters count.
  bool In(const ir::Instruction& instruction) const;
  // True when running the computation does something besides making its root.
  bool In(const ir::Computation& computation) const { return effectful_.contains(&computation); }

 private:
  absl::flat_hash_set<const ir::Computation*> effectful_;
};

}  // namespace swage::analysis

#endif  // SWAGE_COMPILER_ANALYSIS_SIDE_EFFECTS_H_
