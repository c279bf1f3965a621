#include "compiler/passes/broadcast_sinker.h"

#include "compiler/passes/match.h"
#include "compiler/passes/rewrite_each.h"

namespace swage::passes {
namespace {

using ir::Instruction;
using ir::Opcode;

bool IsFill(const Instruction* x) {
  return IsOp(x, Opcode::kBroadcast) && x->operand(0)->shape().is_scalar();
}

// The broadcast that all operands share, but for scalars; a fill when there are only those. Null
// when they do not.
const Instruction* CommonBroadcast(const Instruction& op) {
  const Instruction* common = nullptr;
  for (const Instruction* operand : op.operands()) {
    if (operand->shape().is_scalar()) continue;  // a bound of clamp
    if (!IsOp(operand, Opcode::kBroadcast)) return nullptr;
    if (common == nullptr || IsFill(common)) {
      common = operand;
    } else if (!IsFill(operand) &&
               (operand->dimensions() != common->dimensions() ||
                !ir::SameDims(operand->operand(0)->shape(), common->operand(0)->shape()))) {
      return nullptr;
    }
  }
  return common;
}

Instruction* Sink(Instruction& op, Editor& editor) {
  if (!ir::IsElementwise(op.opcode()) || op.operand_count() == 0 || op.shape().is_scalar()) {
    return nullptr;
  }
  const Instruction* common = CommonBroadcast(op);
  if (common == nullptr) return nullptr;
  const absl::Span<const ir::Dim> dims = common->operand(0)->shape().dims();
  ir::InstructionList operands;
  for (Instruction* operand : op.operands()) {
    if (operand->shape().is_scalar()) {
      operands.push_back(operand);
    } else {
      // Filled to no dims, a scalar is itself.
      Instruction* x = operand->operand(0);
      operands.push_back(IsFill(operand) ? editor.Fill(x, dims) : x);
    }
  }
  Instruction* small = editor.AddLike(op, ir::Shape::Array(op.shape().dtype(), dims), operands);
  return editor.Broadcast(small, op.shape().dims(), common->dimensions());
}

}  // namespace

StatusOr<bool> BroadcastSinker::Run(ir::Module& module, PassContext& context) {
  return RewriteEach(module, Sink, {Opcode::kBroadcast});
}

}  // namespace swage::passes
