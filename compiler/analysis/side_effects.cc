#include "compiler/analysis/side_effects.h"

#include <algorithm>

namespace swage::analysis {

SideEffects::SideEffects(const ir::Module& module) {
  for (const ir::Computation* computation : module.ComputationPostOrder()) {
    for (const ir::Instruction* instruction : computation->Instructions()) {
      if (instruction->opcode() != ir::Opcode::kParameter && In(*instruction)) {
        effectful_.insert(computation);
        break;
      }
    }
  }
}

bool SideEffects::In(const ir::Instruction& instruction) const {
  return ir::HasEffect(instruction.opcode()) ||
         std::any_of(instruction.called().begin(), instruction.called().end(),
                     [&](const ir::Computation* callee) { return In(*callee); });
}

}  // namespace swage::analysis
