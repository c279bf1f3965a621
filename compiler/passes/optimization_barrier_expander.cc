#include "compiler/passes/optimization_barrier_expander.h"

namespace swage::passes {

StatusOr<bool> OptimizationBarrierExpander::Run(ir::Module& module, PassContext& context) {
  bool changed = false;
  for (ir::Computation* computation : module.NonFusionComputations()) {
    for (ir::Instruction* instruction : computation->Instructions()) {
      if (instruction->opcode() != ir::Opcode::kOptimizationBarrier) continue;
      SWAGE_RETURN_IF_ERROR(instruction->ReplaceAllUsesWith(instruction->operand(0)));
      SWAGE_RETURN_IF_ERROR(computation->Remove(instruction));
      changed = true;
    }
  }
  return changed;
}

}  // namespace swage::passes
