#include "codegen/program/split_fusion.h"

#include "absl/container/flat_hash_map.h"
#include "compiler/ir/module.h"
#include "compiler/passes/fusion_builder.h"

namespace swage::codegen {

using ir::Instruction;
using ir::Opcode;

StatusOr<std::vector<Instruction*>> SplitFusion(Instruction* fusion) {
  ir::Computation* parent = fusion->parent();
  ir::Computation* body = fusion->fused_computation();
  // Back into the parent op by op; constants and views need no kernel.
  absl::flat_hash_map<const Instruction*, Instruction*> inlined;
  std::vector<Instruction*> ops;
  for (const Instruction* op : body->PostOrder()) {
    if (op->opcode() == Opcode::kParameter) {
      inlined[op] = fusion->operand(static_cast<int>(op->parameter_number()));
      continue;
    }
    ir::InstructionList operands;
    for (const Instruction* operand : op->operands()) operands.push_back(inlined[operand]);
    inlined[op] = parent->AddClone(*op, operands);
    if (op->opcode() != Opcode::kConstant && op->opcode() != Opcode::kBitcast &&
        op->opcode() != Opcode::kTuple && op->opcode() != Opcode::kGetTupleElement) {
      ops.push_back(inlined[op]);
    }
  }
  if (ops.size() < 2) {
    return ResourceExhausted("[compile] the kernel of ", fusion->name(),
                             " is too large although it is a single op");
  }
  SWAGE_RETURN_IF_ERROR(parent->Replace(fusion, inlined[body->root()]));
  SWAGE_RETURN_IF_ERROR(parent->module()->RemoveComputation(body));
  std::vector<Instruction*> fusions;
  for (Instruction* op : ops) {
    SWAGE_ASSIGN_OR_RETURN(Instruction * single, passes::Fuse({op}));
    fusions.push_back(single);
  }
  parent->set_schedule(parent->PostOrder());
  return fusions;
}

}  // namespace swage::codegen
