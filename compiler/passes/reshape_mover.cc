#include "compiler/passes/reshape_mover.h"

#include "compiler/passes/match.h"
#include "compiler/passes/rewrite_each.h"

namespace swage::passes {
namespace {

using ir::Instruction;
using ir::Opcode;

bool IsRearrangement(const Instruction* x) {
  return IsOp(x, Opcode::kReshape) || IsOp(x, Opcode::kTranspose);
}

bool IsFill(const Instruction* x) {
  return IsOp(x, Opcode::kBroadcast) && x->operand(0)->shape().is_scalar();
}

bool SameRearrangement(const Instruction& a, const Instruction& b) {
  return a.opcode() == b.opcode() && a.attributes() == b.attributes() &&
         ir::SameDims(a.operand(0)->shape(), b.operand(0)->shape());
}

// The rearrangement that all operands share; null when it should not move.
const Instruction* CommonRearrangement(const Instruction& op) {
  const Instruction* common = nullptr;
  for (const Instruction* operand : op.operands()) {
    if (operand->shape().is_scalar() || IsFill(operand)) continue;
    if (!IsRearrangement(operand) || operand->users().size() != 1 || operand->IsRoot()) {
      return nullptr;
    }
    if (common == nullptr) common = operand;
    if (!SameRearrangement(*common, *operand)) return nullptr;
  }
  return common;
}

Instruction* Move(Instruction& op, Editor& editor) {
  if (!ir::IsElementwise(op.opcode()) || op.shape().is_scalar()) return nullptr;
  const Instruction* common = CommonRearrangement(op);
  if (common == nullptr) return nullptr;
  const absl::Span<const ir::Dim> dims = common->operand(0)->shape().dims();
  ir::InstructionList operands;
  for (Instruction* operand : op.operands()) {
    const bool scalar = operand->shape().is_scalar();
    operands.push_back(scalar            ? operand
                       : IsFill(operand) ? editor.Fill(operand->operand(0), dims)
                                         : operand->operand(0));
  }
  Instruction* moved = editor.AddLike(op, ir::Shape::Array(op.shape().dtype(), dims), operands);
  return IsOp(common, Opcode::kReshape) ? editor.Reshape(moved, op.shape().dims())
                                        : editor.Transpose(moved, common->dimensions());
}

}  // namespace

StatusOr<bool> ReshapeMover::Run(ir::Module& module, PassContext& context) {
  if (module.has_layouts()) return false;
  return RewriteEach(module, Move, {Opcode::kReshape, Opcode::kTranspose});
}

}  // namespace swage::passes
