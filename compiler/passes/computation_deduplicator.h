// File: compiler/passes/computation_deduplicator.h
//
// computation-deduplicator lets callers of equal computations share one of them: the combiners that
// a front end writes once per reduce, bodies that were traced twice. Equal is instruction by
// instruction (compiler/analysis/same_operation.h), callees merged before their callers. The bodies
// of fusions stay apart: each belongs to its fusion. The copies are removed.
#ifndef SWAGE_COMPILER_PASSES_COMPUTATION_DEDUPLICATOR_H_
#define SWAGE_COMPILER_PASSES_COMPUTATION_DEDUPLICATOR_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class ComputationDeduplicator : public Pass {
 public:
  std::string_view name() const override { return "computation-deduplicator"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_COMPUTATION_DEDUPLICATOR_H_
