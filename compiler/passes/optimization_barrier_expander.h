// File: compiler/passes/optimization_barrier_expander.h
//
// optimization-barrier-expander replaces opt-barrier by its operand, once the passes that it holds
// back have run.
#ifndef SWAGE_COMPILER_PASSES_OPTIMIZATION_BARRIER_EXPANDER_H_
#define SWAGE_COMPILER_PASSES_OPTIMIZATION_BARRIER_EXPANDER_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class OptimizationBarrierExpander : public Pass {
 public:
  std::string_view name() const override { return "optimization-barrier-expander"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_OPTIMIZATION_BARRIER_EXPANDER_H_
