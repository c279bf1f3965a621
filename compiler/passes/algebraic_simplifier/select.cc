// Rewrites of select.
#include "compiler/passes/algebraic_simplifier/rewrite.h"
#include "compiler/passes/match.h"

namespace swage::passes {
namespace {

using ir::DType;
using ir::Instruction;
using ir::Opcode;

Instruction* SelectConstant(Instruction& i, Editor&) {
  if (IsUniform(*i.operand(0), 1.0)) return i.operand(1);
  return IsUniform(*i.operand(0), 0.0) ? i.operand(2) : nullptr;
}

Instruction* SelectSame(Instruction& i, Editor&) {
  return i.operand(1) == i.operand(2) ? i.operand(1) : nullptr;
}

Instruction* SelectNot(Instruction& i, Editor& editor) {
  const Instruction* p = i.operand(0);
  if (!IsOp(p, Opcode::kNot)) return nullptr;
  return editor.Select(p->operand(0), i.operand(2), i.operand(1));
}

// select(p, select(p, a, b), c) and select(p, a, select(p, b, c)).
Instruction* SelectNested(Instruction& i, Editor& editor) {
  Instruction* p = i.operand(0);
  Instruction* on_true = i.operand(1);
  Instruction* on_false = i.operand(2);
  if (IsOp(on_true, Opcode::kSelect) && on_true->operand(0) == p) {
    return editor.Select(p, on_true->operand(1), on_false);
  }
  if (IsOp(on_false, Opcode::kSelect) && on_false->operand(0) == p) {
    return editor.Select(p, on_true, on_false->operand(2));
  }
  return nullptr;
}

// A select of truth values with a constant branch.
Instruction* SelectPred(Instruction& i, Editor& editor) {
  if (i.shape().dtype() != DType::kPred) return nullptr;
  Instruction* p = i.operand(0);
  Instruction* on_true = i.operand(1);
  Instruction* on_false = i.operand(2);
  if (IsUniform(*on_true, 1.0)) {
    return IsUniform(*on_false, 0.0) ? p : editor.Binary(Opcode::kOr, p, on_false);
  }
  if (IsUniform(*on_false, 0.0)) return editor.Binary(Opcode::kAnd, p, on_true);
  if (IsUniform(*on_true, 0.0) && IsUniform(*on_false, 1.0)) return editor.Unary(Opcode::kNot, p);
  return nullptr;
}

constexpr auto kExact = RewriteClass::kExact;

constexpr Rewrite kRewrites[] = {
    {"select-constant", Opcode::kSelect, kExact, &SelectConstant},
    {"select-same", Opcode::kSelect, kExact, &SelectSame},
    {"select-not", Opcode::kSelect, kExact, &SelectNot},
    {"select-nested", Opcode::kSelect, kExact, &SelectNested},
    {"select-pred", Opcode::kSelect, kExact, &SelectPred},
};

}  // namespace

std::span<const Rewrite> SelectRewrites() { return kRewrites; }

}  // namespace swage::passes
