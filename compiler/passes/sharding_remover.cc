#include "compiler/passes/sharding_remover.h"

#include <algorithm>

namespace swage::passes {
namespace {

using ir::Instruction;

bool MarksSharding(const Instruction& instruction) {
  if (instruction.opcode() != ir::Opcode::kCustomCall || instruction.operand_count() != 1) {
    return false;
  }
  const std::string& target = instruction.attrs<ir::CustomCallAttrs>().target;
  return (target == "Sharding" || target == "SPMDFullToShardShape" ||
          target == "SPMDShardToFullShape") &&
         ir::Compatible(instruction.shape(), instruction.operand(0)->shape());
}

bool DropSharding(ir::RawAttributes* attributes) {
  const auto gone = std::remove_if(attributes->begin(), attributes->end(),
                                   [](const auto& entry) { return entry.first == "sharding"; });
  const bool changed = gone != attributes->end();
  attributes->erase(gone, attributes->end());
  return changed;
}

Status CheckOnePartition(const ir::Module& module) {
  for (const auto& [name, value] : module.raw_attributes()) {
    if (name == "num_partitions" && value != "1") {
      return Unimplemented("[sharding-remover] module '", module.name(), "' is for ", value,
                           " partitions, expected 1: partitioning is not implemented");
    }
  }
  return OkStatus();
}

}  // namespace

StatusOr<bool> ShardingRemover::Run(ir::Module& module, PassContext& context) {
  SWAGE_RETURN_IF_ERROR(CheckOnePartition(module));
  bool changed = false;
  for (ir::Computation* computation : module.Computations()) {
    for (Instruction* instruction : computation->Instructions()) {
      if (MarksSharding(*instruction)) {
        SWAGE_RETURN_IF_ERROR(instruction->ReplaceAllUsesWith(instruction->operand(0)));
        SWAGE_RETURN_IF_ERROR(computation->Remove(instruction));
        changed = true;
      } else {
        changed |= DropSharding(instruction->mutable_raw_attributes());
      }
    }
  }
  return changed;
}

}  // namespace swage::passes
