// Rewrites of negate, abs, sign, the roundings, and copy.
#include "compiler/passes/algebraic_simplifier/rewrite.h"
#include "compiler/passes/match.h"

namespace swage::passes {
namespace {

using ir::Instruction;
using ir::Opcode;

Instruction* NegateNegate(Instruction& i, Editor&) {
  Instruction* x = i.operand(0);
  return IsOp(x, Opcode::kNegate) ? x->operand(0) : nullptr;
}

// -(x - y) is y - x for integers; for floats x == y gives another zero.
Instruction* NegateSubtract(Instruction& i, Editor& editor) {
  Instruction* x = i.operand(0);
  if (!IsOp(x, Opcode::kSubtract) || !ir::IsInteger(i.shape().dtype())) return nullptr;
  return editor.Binary(Opcode::kSubtract, x->operand(1), x->operand(0));
}

Instruction* AbsNegate(Instruction& i, Editor& editor) {
  Instruction* x = i.operand(0);
  if (!IsOp(x, Opcode::kNegate) || ir::IsComplex(x->shape().dtype())) return nullptr;
  return editor.Unary(Opcode::kAbs, x->operand(0));
}

// abs of what never has a sign. A square root is not among them: sqrt(-0.0) is -0.0.
Instruction* AbsNonNegative(Instruction& i, Editor&) {
  Instruction* x = i.operand(0);
  if (ir::IsComplex(x->shape().dtype())) return nullptr;
  switch (x->opcode()) {
    case Opcode::kAbs:
      return x;
    case Opcode::kExp:
    case Opcode::kLogistic:
      return x;
    case Opcode::kMultiply:
      // An integer's square may wrap.
      return ir::IsFloat(x->shape().dtype()) && x->operand(0) == x->operand(1) ? x : nullptr;
    default:
      return nullptr;
  }
}

bool IsRounding(Opcode opcode) {
  return opcode == Opcode::kCeil || opcode == Opcode::kFloor ||
         opcode == Opcode::kRoundNearestAfz || opcode == Opcode::kRoundNearestEven;
}

// Rounding to whole numbers what is whole already.
Instruction* RoundWhole(Instruction& i, Editor&) {
  Instruction* x = i.operand(0);
  if (IsRounding(x->opcode())) return x;
  const bool whole =
      IsOp(x, Opcode::kConvert) && (ir::IsInteger(x->operand(0)->shape().dtype()) ||
                                    x->operand(0)->shape().dtype() == ir::DType::kPred);
  return whole ? x : nullptr;
}

Instruction* SignSign(Instruction& i, Editor&) {
  Instruction* x = i.operand(0);
  return IsOp(x, Opcode::kSign) && !ir::IsComplex(x->shape().dtype()) ? x : nullptr;
}

// Copies that change no layout. Those that matter are made later, by copy-insertion.
Instruction* CopyNothing(Instruction& i, Editor&) {
  return i.shape() == i.operand(0)->shape() ? i.operand(0) : nullptr;
}

constexpr auto kExact = RewriteClass::kExact;
constexpr auto kNan = RewriteClass::kExactUpToNan;

constexpr Rewrite kRewrites[] = {
    {"negate-negate", Opcode::kNegate, kExact, &NegateNegate},
    {"negate-subtract", Opcode::kNegate, kExact, &NegateSubtract},
    {"abs-negate", Opcode::kAbs, kNan, &AbsNegate},
    {"abs-non-negative", Opcode::kAbs, kNan, &AbsNonNegative},
    {"round-whole", Opcode::kCeil, kNan, &RoundWhole},
    {"round-whole", Opcode::kFloor, kNan, &RoundWhole},
    {"round-whole", Opcode::kRoundNearestAfz, kNan, &RoundWhole},
    {"round-whole", Opcode::kRoundNearestEven, kNan, &RoundWhole},
    {"sign-sign", Opcode::kSign, kNan, &SignSign},
    {"copy-nothing", Opcode::kCopy, kExact, &CopyNothing},
};

}  // namespace

std::span<const Rewrite> UnaryRewrites() { return kRewrites; }

}  // namespace swage::passes
