#include "compiler/passes/tuple_simplifier.h"

namespace swage::passes {
namespace {

using ir::Instruction;
using ir::Opcode;

bool HasControlEdges(const Instruction& instruction) {
  return !instruction.control_predecessors().empty() || !instruction.control_successors().empty();
}

// The tuple whose elements `tuple` lists, all of them in order; null when there is none.
Instruction* TupleTakenApart(const Instruction& tuple) {
  Instruction* source = nullptr;
  for (int i = 0; i < tuple.operand_count(); ++i) {
    const Instruction& element = *tuple.operand(i);
    if (element.opcode() != Opcode::kGetTupleElement || element.tuple_index() != i) return nullptr;
    if (source != nullptr && element.operand(0) != source) return nullptr;
    source = element.operand(0);
  }
  return source != nullptr && source->shape() == tuple.shape() ? source : nullptr;
}

// What `instruction` is the same as; null when nothing simpler.
Instruction* SimplerValue(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kTuple) return TupleTakenApart(instruction);
  if (instruction.opcode() != Opcode::kGetTupleElement) return nullptr;
  const Instruction& tuple = *instruction.operand(0);
  if (tuple.opcode() != Opcode::kTuple) return nullptr;
  Instruction* element = tuple.operand(static_cast<int>(instruction.tuple_index()));
  return element->shape() == instruction.shape() ? element : nullptr;
}

}  // namespace

StatusOr<bool> TupleSimplifier::Run(ir::Module& module, PassContext& context) {
  bool changed = false;
  for (ir::Computation* computation : module.Computations()) {
    std::vector<Instruction*> replaced;
    for (Instruction* instruction : computation->PostOrder()) {
      if (HasControlEdges(*instruction)) continue;
      Instruction* value = SimplerValue(*instruction);
      if (value == nullptr) continue;
      // The old ones are removed afterwards: what dies with them may still be in the order.
      SWAGE_RETURN_IF_ERROR(instruction->ReplaceAllUsesWith(value));
      replaced.push_back(instruction);
    }
    changed |= !replaced.empty();
    // From the last: an old tuple may hold old elements.
    for (auto it = replaced.rbegin(); it != replaced.rend(); ++it) {
      SWAGE_RETURN_IF_ERROR(computation->Remove(*it));
    }
  }
  return changed;
}

}  // namespace swage::passes
