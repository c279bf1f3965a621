// Rewrites of maximum, minimum and clamp. NaN wins and -0.0 < 0.0, so both are lattice operations:
// associative, commutative and idempotent bit for bit, but for the payload of a NaN.
#include <cmath>
#include <limits>

#include "compiler/passes/algebraic_simplifier/constants.h"
#include "compiler/passes/algebraic_simplifier/rewrite.h"
#include "compiler/passes/match.h"

namespace swage::passes {
namespace {

using ir::DType;
using ir::Instruction;
using ir::Opcode;

Opcode Other(Opcode opcode) {
  return opcode == Opcode::kMaximum ? Opcode::kMinimum : Opcode::kMaximum;
}

// Whether every element is the least (or largest) value of its dtype.
bool IsBound(const Instruction& x, bool largest) {
  const DType dtype = x.shape().dtype();
  if (dtype == DType::kPred) return IsUniform(x, largest ? 1.0 : 0.0);
  if (ir::IsInteger(dtype)) {
    return UniformInteger(x) == (largest ? LargestInteger(dtype) : LeastInteger(dtype));
  }
  const double bound = dtype == DType::kF8E4M3FN ? 448.0 : std::numeric_limits<double>::infinity();
  return IsUniform(x, largest ? bound : -bound);
}

Instruction* WithSelf(Instruction& i, Editor&) {
  return i.operand(0) == i.operand(1) ? i.operand(0) : nullptr;
}

// maximum(x, least): what softmax does to its row maximum.
Instruction* WithNeutral(Instruction& i, Editor&) {
  return IsBound(*i.operand(1), IsOp(&i, Opcode::kMinimum)) ? i.operand(0) : nullptr;
}

// maximum(x, largest); not for floats, where x may be NaN.
Instruction* WithAbsorbing(Instruction& i, Editor&) {
  const bool applies =
      !ir::IsFloat(i.shape().dtype()) && IsBound(*i.operand(1), IsOp(&i, Opcode::kMaximum));
  return applies ? i.operand(1) : nullptr;
}

// maximum(maximum(x, y), y), either way round.
Instruction* Nested(Instruction& i, Editor&) {
  for (int k : {0, 1}) {
    Instruction* inner = i.operand(k);
    const Instruction* other = i.operand(1 - k);
    if (inner->opcode() == i.opcode() &&
        (inner->operand(0) == other || inner->operand(1) == other)) {
      return inner;
    }
  }
  return nullptr;
}

// maximum(x, minimum(x, y)); not for floats, where y may be NaN.
Instruction* Absorbed(Instruction& i, Editor&) {
  if (ir::IsFloat(i.shape().dtype())) return nullptr;
  for (int k : {0, 1}) {
    const Instruction* inner = i.operand(k);
    Instruction* other = i.operand(1 - k);
    if (inner->opcode() == Other(i.opcode()) &&
        (inner->operand(0) == other || inner->operand(1) == other)) {
      return other;
    }
  }
  return nullptr;
}

Instruction* Widened(Instruction* bound, const Instruction& clamp, Editor& editor) {
  return bound->shape().is_scalar() ? editor.Fill(bound, clamp.shape().dims()) : bound;
}

// A clamp with one bound.
Instruction* ClampOneSided(Instruction& i, Editor& editor) {
  Instruction* low = i.operand(0);
  Instruction* high = i.operand(2);
  if (IsBound(*low, false)) {
    return editor.Binary(Opcode::kMinimum, i.operand(1), Widened(high, i, editor));
  }
  if (IsBound(*high, true)) {
    return editor.Binary(Opcode::kMaximum, i.operand(1), Widened(low, i, editor));
  }
  return nullptr;
}

Instruction* ClampTwice(Instruction& i, Editor&) {
  Instruction* inner = i.operand(1);
  const bool same = IsOp(inner, Opcode::kClamp) && inner->operand(0) == i.operand(0) &&
                    inner->operand(2) == i.operand(2);
  return same ? inner : nullptr;
}

constexpr auto kExact = RewriteClass::kExact;
constexpr auto kNan = RewriteClass::kExactUpToNan;

constexpr Rewrite kRewrites[] = {
    {"constant-to-right", Opcode::kMaximum, kNan, &ConstantToRight},
    {"constant-to-right", Opcode::kMinimum, kNan, &ConstantToRight},
    {"minmax-with-self", Opcode::kMaximum, kNan, &WithSelf},
    {"minmax-with-self", Opcode::kMinimum, kNan, &WithSelf},
    {"minmax-with-neutral", Opcode::kMaximum, kNan, &WithNeutral},
    {"minmax-with-neutral", Opcode::kMinimum, kNan, &WithNeutral},
    {"minmax-with-absorbing", Opcode::kMaximum, kExact, &WithAbsorbing},
    {"minmax-with-absorbing", Opcode::kMinimum, kExact, &WithAbsorbing},
    {"minmax-nested", Opcode::kMaximum, kNan, &Nested},
    {"minmax-nested", Opcode::kMinimum, kNan, &Nested},
    {"minmax-absorbed", Opcode::kMaximum, kExact, &Absorbed},
    {"minmax-absorbed", Opcode::kMinimum, kExact, &Absorbed},
    {"join-constants", Opcode::kMaximum, kNan, &JoinConstants},
    {"join-constants", Opcode::kMinimum, kNan, &JoinConstants},
    {"clamp-one-sided", Opcode::kClamp, kNan, &ClampOneSided},
    {"clamp-twice", Opcode::kClamp, kNan, &ClampTwice},
};

}  // namespace

std::span<const Rewrite> MinMaxRewrites() { return kRewrites; }

}  // namespace swage::passes
