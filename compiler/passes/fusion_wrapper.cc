#include "compiler/passes/fusion_wrapper.h"

#include "compiler/analysis/live_ranges.h"
#include "compiler/passes/fusion_builder.h"

namespace swage::passes {
namespace {

using ir::Instruction;
using ir::Opcode;

bool NeedsKernel(const Instruction& instruction) {
  if (analysis::IsAlias(instruction) || ir::HasEffect(instruction.opcode())) return false;
  switch (instruction.opcode()) {  // NOLINT: the few that are left
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kConstant:
    case Opcode::kCopy:
    case Opcode::kFusion:
    case Opcode::kWhile:
      return false;
    default:
      return true;
  }
}

}  // namespace

StatusOr<bool> FusionWrapper::Run(ir::Module& module, PassContext& context) {
  bool changed = false;
  for (ir::Computation* computation : module.ExecutedComputations()) {
    // Operands first: what becomes dead with an instruction was visited before it.
    for (Instruction* instruction : computation->PostOrder()) {
      if (!NeedsKernel(*instruction)) continue;
      Instruction* fusion = BuildFusion({instruction});
      for (Instruction* before : instruction->control_predecessors()) {
        fusion->AddControlPredecessor(before);
      }
      SWAGE_RETURN_IF_ERROR(computation->Replace(instruction, fusion));
      changed = true;
    }
  }
  return changed;
}

}  // namespace swage::passes
