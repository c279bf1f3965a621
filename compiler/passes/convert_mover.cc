#include "compiler/passes/convert_mover.h"

#include "compiler/passes/match.h"
#include "compiler/passes/rewrite_each.h"

namespace swage::passes {
namespace {

using ir::DType;
using ir::Instruction;
using ir::Opcode;

// How many operands hold elements (the others are starts); 0: the op does more than move elements,
// or makes more of them.
int MovedOperands(const Instruction& op) {
  switch (op.opcode()) {
    case Opcode::kConcatenate:
      return op.operand_count();
    case Opcode::kDynamicSlice:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
      return 1;
    default:
      return 0;
  }
}

bool KeepsCount(Opcode opcode) {
  return opcode == Opcode::kConcatenate || opcode == Opcode::kReshape ||
         opcode == Opcode::kReverse || opcode == Opcode::kTranspose;
}

bool IsOnlyUsedOnce(const Instruction& x) { return x.users().size() == 1 && !x.IsRoot(); }

ir::Shape WithDType(const ir::Shape& shape, DType dtype) {
  return ir::Shape::Array(dtype, shape.dims());
}

// op(convert(x)) where the convert widens.
Instruction* MoveDown(Instruction& op, Editor& editor) {
  const int moved = MovedOperands(op);
  if (moved == 0) return nullptr;
  const DType narrow = IsOp(op.operand(0), Opcode::kConvert)
                           ? op.operand(0)->operand(0)->shape().dtype()
                           : op.shape().dtype();
  if (ir::DTypeBits(narrow) >= ir::DTypeBits(op.shape().dtype())) return nullptr;
  ir::InstructionList operands = op.operands();
  for (int k = 0; k < moved; ++k) {
    const Instruction* convert = operands[k];
    if (!IsOp(convert, Opcode::kConvert) || !IsOnlyUsedOnce(*convert) ||
        convert->operand(0)->shape().dtype() != narrow) {
      return nullptr;
    }
    operands[k] = convert->operand(0);
  }
  return editor.Convert(editor.AddLike(op, WithDType(op.shape(), narrow), operands),
                        op.shape().dtype());
}

// convert(op(x)) where the convert narrows.
Instruction* MoveUp(Instruction& convert, Editor& editor) {
  const Instruction* op = convert.operand(0);
  const DType narrow = convert.shape().dtype();
  if (ir::DTypeBits(narrow) >= ir::DTypeBits(op->shape().dtype()) || !KeepsCount(op->opcode()) ||
      !IsOnlyUsedOnce(*op)) {
    return nullptr;
  }
  ir::InstructionList operands = op->operands();
  for (Instruction*& operand : operands) operand = editor.Convert(operand, narrow);
  return editor.AddLike(*op, convert.shape(), operands);
}

Instruction* Move(Instruction& instruction, Editor& editor) {
  return IsOp(&instruction, Opcode::kConvert) ? MoveUp(instruction, editor)
                                              : MoveDown(instruction, editor);
}

}  // namespace

StatusOr<bool> ConvertMover::Run(ir::Module& module, PassContext& context) {
  return RewriteEach(module, Move, {Opcode::kConvert});
}

}  // namespace swage::passes
