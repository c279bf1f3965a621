// Rewrites of and, or, xor, not and the shifts.
#include "compiler/passes/algebraic_simplifier/constants.h"
#include "compiler/passes/algebraic_simplifier/rewrite.h"
#include "compiler/passes/match.h"

namespace swage::passes {
namespace {

using ir::DType;
using ir::Instruction;
using ir::Literal;
using ir::Opcode;

Instruction* FillInteger(const Instruction& like, int64_t value, Editor& editor) {
  return editor.Fill(Literal::Scalar(like.shape().dtype(), value), like.shape().dims());
}

Instruction* Same(Instruction& i, Editor&) {
  return i.operand(0) == i.operand(1) ? i.operand(0) : nullptr;
}

Instruction* XorSelf(Instruction& i, Editor& editor) {
  return i.operand(0) == i.operand(1) ? FillInteger(i, 0, editor) : nullptr;
}

Instruction* WithZero(Instruction& i, Editor&) {
  if (!IsUniform(*i.operand(1), 0.0)) return nullptr;
  return IsOp(&i, Opcode::kAnd) ? i.operand(1) : i.operand(0);
}

Instruction* WithAllOnes(Instruction& i, Editor& editor) {
  if (!IsAllOnes(*i.operand(1))) return nullptr;
  if (IsOp(&i, Opcode::kXor)) return editor.Unary(Opcode::kNot, i.operand(0));
  return IsOp(&i, Opcode::kAnd) ? i.operand(0) : i.operand(1);
}

// x & ~x, x | ~x, x ^ ~x.
Instruction* WithComplement(Instruction& i, Editor& editor) {
  for (int k : {0, 1}) {
    const Instruction* complement = i.operand(k);
    if (!IsOp(complement, Opcode::kNot) || complement->operand(0) != i.operand(1 - k)) continue;
    const int64_t ones = i.shape().dtype() == DType::kPred ? 1 : -1;
    return FillInteger(i, IsOp(&i, Opcode::kAnd) ? 0 : ones, editor);
  }
  return nullptr;
}

Instruction* NotNot(Instruction& i, Editor&) {
  Instruction* x = i.operand(0);
  return IsOp(x, Opcode::kNot) ? x->operand(0) : nullptr;
}

// A constant count, read as unsigned as the ops do.
std::optional<uint64_t> CountOf(const Instruction& shift) {
  const std::optional<int64_t> count = UniformInteger(*shift.operand(1));
  if (!count.has_value()) return std::nullopt;
  const int bits = ir::DTypeBits(shift.shape().dtype());
  return static_cast<uint64_t>(*count) & (~uint64_t{0} >> (64 - bits));
}

Instruction* ShiftByZero(Instruction& i, Editor&) {
  return IsUniform(*i.operand(1), 0.0) ? i.operand(0) : nullptr;
}

Instruction* ShiftOfZero(Instruction& i, Editor&) {
  return IsUniform(*i.operand(0), 0.0) ? i.operand(0) : nullptr;
}

// What a shift by the width or more is: all zeros, or all sign.
Instruction* ShiftedOut(Instruction& i, Instruction* x, Editor& editor) {
  if (!IsOp(&i, Opcode::kShiftRightArithmetic)) return FillInteger(i, 0, editor);
  const int last = ir::DTypeBits(i.shape().dtype()) - 1;
  return editor.Binary(i.opcode(), x, FillInteger(i, last, editor));
}

Instruction* ShiftFar(Instruction& i, Editor& editor) {
  const std::optional<uint64_t> count = CountOf(i);
  const uint64_t width = ir::DTypeBits(i.shape().dtype());
  if (!count.has_value() || *count < width) return nullptr;
  return ShiftedOut(i, i.operand(0), editor);
}

// Two shifts the same way. Neither count may reach the width, and nor may their sum.
Instruction* ShiftTwice(Instruction& i, Editor& editor) {
  const Instruction* inner = i.operand(0);
  if (inner->opcode() != i.opcode()) return nullptr;
  const std::optional<uint64_t> outer_count = CountOf(i);
  const std::optional<uint64_t> inner_count = CountOf(*inner);
  const uint64_t width = ir::DTypeBits(i.shape().dtype());
  if (!outer_count.has_value() || !inner_count.has_value() || *outer_count >= width ||
      *inner_count >= width) {
    return nullptr;
  }
  const uint64_t sum = *outer_count + *inner_count;
  if (sum >= width) return ShiftedOut(i, inner->operand(0), editor);
  return editor.Binary(i.opcode(), inner->operand(0),
                       FillInteger(i, static_cast<int64_t>(sum), editor));
}

constexpr auto kExact = RewriteClass::kExact;

constexpr Rewrite kRewrites[] = {
    {"constant-to-right", Opcode::kAnd, kExact, &ConstantToRight},
    {"constant-to-right", Opcode::kOr, kExact, &ConstantToRight},
    {"constant-to-right", Opcode::kXor, kExact, &ConstantToRight},
    {"bits-with-self", Opcode::kAnd, kExact, &Same},
    {"bits-with-self", Opcode::kOr, kExact, &Same},
    {"bits-with-self", Opcode::kXor, kExact, &XorSelf},
    {"bits-with-zero", Opcode::kAnd, kExact, &WithZero},
    {"bits-with-zero", Opcode::kOr, kExact, &WithZero},
    {"bits-with-zero", Opcode::kXor, kExact, &WithZero},
    {"bits-with-ones", Opcode::kAnd, kExact, &WithAllOnes},
    {"bits-with-ones", Opcode::kOr, kExact, &WithAllOnes},
    {"bits-with-ones", Opcode::kXor, kExact, &WithAllOnes},
    {"bits-with-complement", Opcode::kAnd, kExact, &WithComplement},
    {"bits-with-complement", Opcode::kOr, kExact, &WithComplement},
    {"bits-with-complement", Opcode::kXor, kExact, &WithComplement},
    {"join-constants", Opcode::kAnd, kExact, &JoinConstants},
    {"join-constants", Opcode::kOr, kExact, &JoinConstants},
    {"join-constants", Opcode::kXor, kExact, &JoinConstants},
    {"not-not", Opcode::kNot, kExact, &NotNot},
    {"shift-by-zero", Opcode::kShiftLeft, kExact, &ShiftByZero},
    {"shift-by-zero", Opcode::kShiftRightArithmetic, kExact, &ShiftByZero},
    {"shift-by-zero", Opcode::kShiftRightLogical, kExact, &ShiftByZero},
    {"shift-of-zero", Opcode::kShiftLeft, kExact, &ShiftOfZero},
    {"shift-of-zero", Opcode::kShiftRightArithmetic, kExact, &ShiftOfZero},
    {"shift-of-zero", Opcode::kShiftRightLogical, kExact, &ShiftOfZero},
    {"shift-far", Opcode::kShiftLeft, kExact, &ShiftFar},
    {"shift-far", Opcode::kShiftRightArithmetic, kExact, &ShiftFar},
    {"shift-far", Opcode::kShiftRightLogical, kExact, &ShiftFar},
    {"shift-twice", Opcode::kShiftLeft, kExact, &ShiftTwice},
    {"shift-twice", Opcode::kShiftRightArithmetic, kExact, &ShiftTwice},
    {"shift-twice", Opcode::kShiftRightLogical, kExact, &ShiftTwice},
};

}  // namespace

std::span<const Rewrite> BitsRewrites() { return kRewrites; }

}  // namespace swage::passes
