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
    for (Instruction* instruction : computation->Instructions()) {
      if (!NeedsKernel(*instruction)) continue;
      SWAGE_RETURN_IF_ERROR(Fuse({instruction}).status());
      changed = true;
    }
  }
  return changed;
}

}  // namespace swage::passes
