#include "compiler/passes/combiner_match.h"

namespace swage::passes {

using ir::DType;
using ir::Instruction;
using ir::Opcode;

std::optional<Opcode> CombinerOp(const ir::Computation& combiner) {
  const Instruction* root = combiner.root();
  if (combiner.parameter_count() != 2 || root->operand_count() != 2 ||
      !ir::IsCommutative(root->opcode())) {
    return std::nullopt;
  }
  const Instruction* a = combiner.parameter(0);
  const Instruction* b = combiner.parameter(1);
  const bool both = (root->operand(0) == a && root->operand(1) == b) ||
                    (root->operand(0) == b && root->operand(1) == a);
  if (!both || root->shape() != a->shape()) return std::nullopt;
  return root->opcode();
}

bool IsIdempotent(Opcode opcode, DType dtype) {
  switch (opcode) {
    case Opcode::kAnd:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kOr:
      return true;
    case Opcode::kAdd:       // or
    case Opcode::kMultiply:  // and
      return dtype == DType::kPred;
    default:
      return false;
  }
}

bool IsAssociative(Opcode opcode, DType dtype) {
  if (IsIdempotent(opcode, dtype) || opcode == Opcode::kXor) return true;
  return (opcode == Opcode::kAdd || opcode == Opcode::kMultiply) && ir::IsInteger(dtype);
}

}  // namespace swage::passes
