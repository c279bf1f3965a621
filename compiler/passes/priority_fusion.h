// File: compiler/passes/priority_fusion.h
//
// priority-fusion: which values are not worth storing. Each producer has a priority,
//   time_unfused - time_fused
// summed over all its consumers by the cost model; the best is fused into all of them, its neighbours
// are looked at again, and so on until none gains. Views of memory (bitcast) and numbers spread over
// an array come first, at an infinite priority. Ties go to the later instruction, so that a chain is
// merged from its end and each merge costs O(producer). Nothing is reassociated or approximated: the
// values stay the same.
//
// Every decision is kept in the context (FusionDecision), with its times or the rule that forbade it.
#ifndef SWAGE_COMPILER_PASSES_PRIORITY_FUSION_H_
#define SWAGE_COMPILER_PASSES_PRIORITY_FUSION_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class PriorityFusion : public Pass {
 public:
  std::string_view name() const override { return "priority-fusion"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_PRIORITY_FUSION_H_
