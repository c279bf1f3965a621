#include "compiler/passes/reshape_decomposer.h"

#include "compiler/passes/transpose_groups.h"

namespace swage::passes {
namespace {

using ir::Computation;
using ir::Instruction;
using ir::Opcode;

bool IsRowMajor(const ir::Shape& shape) {
  return shape.is_scalar() || (shape.has_layout() && shape.layout().IsRowMajor());
}

bool MovesNoByte(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kBitcast) return true;
  if (instruction.opcode() != Opcode::kReshape && instruction.opcode() != Opcode::kTranspose) {
    return false;
  }
  if (!IsRowMajor(instruction.shape()) || !IsRowMajor(instruction.operand(0)->shape()))
    return false;
  return instruction.opcode() == Opcode::kReshape || GroupTranspose(instruction).MovesNothing();
}

StatusOr<bool> Decompose(Computation& computation, Instruction* instruction) {
  Instruction* operand = instruction->operand(0);
  const bool is_bitcast = instruction->opcode() == Opcode::kBitcast;
  const bool is_chain = operand->opcode() == Opcode::kBitcast;
  if (is_chain) operand = operand->operand(0);
  if (operand->shape() == instruction->shape()) {
    SWAGE_RETURN_IF_ERROR(computation.Replace(instruction, operand));
    return true;
  }
  if (is_bitcast && !is_chain) return false;
  Instruction* bitcast = computation.Add(Opcode::kBitcast, instruction->shape(), {operand});
  SWAGE_RETURN_IF_ERROR(computation.Replace(instruction, bitcast));
  return true;
}

}  // namespace

StatusOr<bool> ReshapeDecomposer::Run(ir::Module& module, PassContext& context) {
  if (!module.has_layouts()) return false;
  bool changed = false;
  for (Computation* computation : module.Computations()) {
    // Operands first, so that chains of any length end as one bitcast. A replaced bitcast may take
    // dead operands with it, which come before it here.
    for (Instruction* instruction : computation->PostOrder()) {
      if (!MovesNoByte(*instruction)) continue;
      SWAGE_ASSIGN_OR_RETURN(const bool decomposed, Decompose(*computation, instruction));
      changed |= decomposed;
    }
  }
  return changed;
}

}  // namespace swage::passes
