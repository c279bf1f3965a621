#include "compiler/passes/concatenate_mover.h"

#include <algorithm>

#include "compiler/passes/match.h"
#include "compiler/passes/rewrite_each.h"

namespace swage::passes {
namespace {

using ir::Instruction;
using ir::InstructionList;
using ir::Opcode;

bool IsFill(const Instruction* x) {
  return IsOp(x, Opcode::kBroadcast) && x->operand(0)->shape().is_scalar();
}

// The same number for every element of the part.
bool SameScalar(const Instruction* x, const Instruction* y) {
  if (x->shape().is_scalar()) return x == y;
  if (!IsFill(x) || !IsFill(y)) return false;
  x = x->operand(0);
  y = y->operand(0);
  return x == y ||
         (IsOp(x, Opcode::kConstant) && IsOp(y, Opcode::kConstant) && x->literal() == y->literal());
}

bool AreAlike(const Instruction& concatenate) {
  const Instruction& first = *concatenate.operand(0);
  if (!ir::IsElementwise(first.opcode()) || first.opcode() == Opcode::kConvert ||
      first.operand_count() == 0) {
    return false;
  }
  return std::all_of(
      concatenate.operands().begin(), concatenate.operands().end(), [&](const Instruction* part) {
        return part->opcode() == first.opcode() && part->attributes() == first.attributes() &&
               part->users().size() == 1 && !part->IsRoot() && !HasControlEdges(*part);
      });
}

// The operand in which the parts differ; -1 where there is none, or more than one.
int OperandThatDiffers(const Instruction& concatenate) {
  const Instruction& first = *concatenate.operand(0);
  int differs = -1;
  for (int k = 0; k < first.operand_count(); ++k) {
    const auto same = [&](const Instruction* part) {
      return SameScalar(first.operand(k), part->operand(k));
    };
    if (std::all_of(concatenate.operands().begin(), concatenate.operands().end(), same)) continue;
    const auto joins = [&](const Instruction* part) {
      const ir::Shape& shape = part->operand(k)->shape();
      return shape.dtype() == first.operand(k)->shape().dtype() &&
             ir::SameDims(shape, part->shape());
    };
    if (differs >= 0 ||
        !std::all_of(concatenate.operands().begin(), concatenate.operands().end(), joins)) {
      return -1;
    }
    differs = k;
  }
  return differs;
}

Instruction* Move(Instruction& concatenate, Editor& editor) {
  if (!IsOp(&concatenate, Opcode::kConcatenate) || concatenate.operand_count() < 2 ||
      !AreAlike(concatenate)) {
    return nullptr;
  }
  const int differs = OperandThatDiffers(concatenate);
  if (differs < 0) return nullptr;
  const Instruction& first = *concatenate.operand(0);
  InstructionList parts;
  for (const Instruction* part : concatenate.operands()) parts.push_back(part->operand(differs));
  InstructionList operands;
  for (int k = 0; k < first.operand_count(); ++k) {
    Instruction* operand = first.operand(k);
    if (k == differs) {
      operand = editor.Concatenate(parts, concatenate.dimensions()[0]);
    } else if (!operand->shape().is_scalar()) {
      operand = editor.Fill(operand->operand(0), concatenate.shape().dims());
    }
    operands.push_back(operand);
  }
  return editor.AddLike(first, concatenate.shape(), operands);
}

}  // namespace

StatusOr<bool> ConcatenateMover::Run(ir::Module& module, PassContext& context) {
  if (module.has_layouts()) return false;
  return RewriteEach(module, Move, {Opcode::kConcatenate}, kUnboundedDepth);
}

}  // namespace swage::passes
