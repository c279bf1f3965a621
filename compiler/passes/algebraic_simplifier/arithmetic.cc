// Rewrites of add, subtract, multiply, divide, remainder and power.
#include <bit>
#include <cmath>

#include "compiler/passes/algebraic_simplifier/constants.h"
#include "compiler/passes/algebraic_simplifier/rewrite.h"
#include "compiler/passes/match.h"

namespace swage::passes {
namespace {

using ir::DType;
using ir::Instruction;
using ir::Literal;
using ir::Opcode;

DType DTypeOf(const Instruction& i) { return i.shape().dtype(); }

Instruction* Zero(const Instruction& like, Editor& editor) {
  return editor.Fill(Literal::Scalar(DTypeOf(like), 0), like.shape().dims());
}

// x + -0.0; x + 0 for integers; false for pred. 0.0 + -0.0 is 0.0, so x + 0.0 stays.
Instruction* AddNothing(Instruction& i, Editor&) {
  const DType dtype = DTypeOf(i);
  if (ir::IsComplex(dtype)) return nullptr;
  return IsUniform(*i.operand(1), ir::IsFloat(dtype) ? -0.0 : 0.0) ? i.operand(0) : nullptr;
}

Instruction* AddNegated(Instruction& i, Editor& editor) {
  Instruction* x = i.operand(0);
  Instruction* y = i.operand(1);
  if (IsOp(y, Opcode::kNegate)) return editor.Binary(Opcode::kSubtract, x, y->operand(0));
  if (IsOp(x, Opcode::kNegate)) return editor.Binary(Opcode::kSubtract, y, x->operand(0));
  return nullptr;
}

// (x - y) + y and y + (x - y), for integers.
Instruction* AddBackSubtracted(Instruction& i, Editor&) {
  if (!ir::IsInteger(DTypeOf(i))) return nullptr;
  for (int k : {0, 1}) {
    const Instruction* difference = i.operand(k);
    if (IsOp(difference, Opcode::kSubtract) && difference->operand(1) == i.operand(1 - k)) {
      return difference->operand(0);
    }
  }
  return nullptr;
}

Instruction* SubtractZero(Instruction& i, Editor&) {
  return IsUniform(*i.operand(1), 0.0) ? i.operand(0) : nullptr;
}

Instruction* SubtractSelf(Instruction& i, Editor& editor) {
  const bool applies = ir::IsInteger(DTypeOf(i)) && i.operand(0) == i.operand(1);
  return applies ? Zero(i, editor) : nullptr;
}

Instruction* SubtractNegated(Instruction& i, Editor& editor) {
  Instruction* y = i.operand(1);
  if (!IsOp(y, Opcode::kNegate)) return nullptr;
  return editor.Binary(Opcode::kAdd, i.operand(0), y->operand(0));
}

// -0.0 - x is -x for every x; 0.0 - 0.0 is not -0.0.
Instruction* SubtractFromNothing(Instruction& i, Editor& editor) {
  const DType dtype = DTypeOf(i);
  if (ir::IsComplex(dtype)) return nullptr;
  if (!IsUniform(*i.operand(0), ir::IsFloat(dtype) ? -0.0 : 0.0)) return nullptr;
  return editor.Unary(Opcode::kNegate, i.operand(1));
}

// An integer constant that is subtracted is added instead, so that sums of constants meet.
Instruction* SubtractConstant(Instruction& i, Editor& editor) {
  const std::optional<int64_t> c = UniformInteger(*i.operand(1));
  if (!c.has_value() || IsConstantLike(*i.operand(0))) return nullptr;
  const int64_t negated = std::bit_cast<int64_t>(uint64_t{0} - std::bit_cast<uint64_t>(*c));
  return editor.Binary(Opcode::kAdd, i.operand(0),
                       editor.Fill(Literal::Scalar(DTypeOf(i), negated), i.shape().dims()));
}

// (x + y) - x, (x + y) - y, x - (x - y), for integers.
Instruction* SubtractCancels(Instruction& i, Editor&) {
  if (!ir::IsInteger(DTypeOf(i))) return nullptr;
  Instruction* x = i.operand(0);
  Instruction* y = i.operand(1);
  if (IsOp(x, Opcode::kAdd)) {
    if (x->operand(0) == y) return x->operand(1);
    if (x->operand(1) == y) return x->operand(0);
  }
  return IsOp(y, Opcode::kSubtract) && y->operand(0) == x ? y->operand(1) : nullptr;
}

Instruction* MultiplyByOne(Instruction& i, Editor&) {
  if (ir::IsComplex(DTypeOf(i))) return nullptr;
  return IsUniform(*i.operand(1), 1.0) ? i.operand(0) : nullptr;
}

Instruction* MultiplyByZero(Instruction& i, Editor&) {
  const DType dtype = DTypeOf(i);
  const bool applies =
      (ir::IsInteger(dtype) || dtype == DType::kPred) && IsUniform(*i.operand(1), 0.0);
  return applies ? i.operand(1) : nullptr;
}

Instruction* ByMinusOne(Instruction& i, Editor& editor) {
  const DType dtype = DTypeOf(i);
  if (!ir::IsFloat(dtype) && !ir::IsSigned(dtype)) return nullptr;
  if (!IsUniform(*i.operand(1), -1.0)) return nullptr;
  return editor.Unary(Opcode::kNegate, i.operand(0));
}

// Both operands of a product or quotient negated.
Instruction* BothNegated(Instruction& i, Editor& editor) {
  Instruction* x = i.operand(0);
  Instruction* y = i.operand(1);
  const DType dtype = DTypeOf(i);
  if (!IsOp(x, Opcode::kNegate) || !IsOp(y, Opcode::kNegate)) return nullptr;
  // -x / -y differs for integers that wrap.
  const bool exact = ir::IsFloat(dtype) || (IsOp(&i, Opcode::kMultiply) && ir::IsInteger(dtype));
  return exact ? editor.Binary(i.opcode(), x->operand(0), y->operand(0)) : nullptr;
}

Instruction* DivideByOne(Instruction& i, Editor&) {
  if (ir::IsComplex(DTypeOf(i))) return nullptr;
  return IsUniform(*i.operand(1), 1.0) ? i.operand(0) : nullptr;
}

double LeastNormal(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return 0x1p-1022;
    case DType::kF32:
    case DType::kBF16:
      return 0x1p-126;
    case DType::kF16:
    case DType::kF8E5M2:
      return 0x1p-14;
    default:
      return 0x1p-6;  // f8e4m3fn
  }
}

// x / 2^k is x * 2^-k where 2^-k is a normal number: both round the same real number.
Instruction* DivideByPowerOfTwo(Instruction& i, Editor& editor) {
  const std::optional<double> c = UniformPowerOfTwo(*i.operand(1));
  if (!c.has_value() || IsConstantLike(*i.operand(0))) return nullptr;
  const double reciprocal = 1 / *c;
  const Literal scalar = Literal::Scalar(DTypeOf(i), reciprocal);
  if (scalar.GetDouble(0) != reciprocal || std::abs(reciprocal) < LeastNormal(DTypeOf(i))) {
    return nullptr;
  }
  return editor.Binary(Opcode::kMultiply, i.operand(0), editor.Fill(scalar, i.shape().dims()));
}

// The k of an unsigned constant 2^k.
std::optional<int> UnsignedExponent(const Instruction& x) {
  if (!ir::IsUnsigned(x.shape().dtype())) return std::nullopt;
  const std::optional<int64_t> c = UniformInteger(x);
  if (!c.has_value() || !std::has_single_bit(static_cast<uint64_t>(*c))) return std::nullopt;
  return std::countr_zero(static_cast<uint64_t>(*c));
}

Instruction* DivideUnsigned(Instruction& i, Editor& editor) {
  const std::optional<int> k = UnsignedExponent(*i.operand(1));
  if (!k.has_value()) return nullptr;
  return editor.Binary(Opcode::kShiftRightLogical, i.operand(0),
                       editor.Fill(Literal::Scalar(DTypeOf(i), *k), i.shape().dims()));
}

Instruction* RemainderUnsigned(Instruction& i, Editor& editor) {
  const std::optional<int> k = UnsignedExponent(*i.operand(1));
  if (!k.has_value()) return nullptr;
  const Literal mask = Literal::Scalar(DTypeOf(i), (uint64_t{1} << *k) - 1);
  return editor.Binary(Opcode::kAnd, i.operand(0), editor.Fill(mask, i.shape().dims()));
}

Instruction* RemainderByOne(Instruction& i, Editor& editor) {
  const std::optional<int64_t> c = UniformInteger(*i.operand(1));
  if (!c.has_value() || (*c != 1 && !(*c == -1 && ir::IsSigned(DTypeOf(i))))) return nullptr;
  return Zero(i, editor);
}

Instruction* PowerZero(Instruction& i, Editor& editor) {
  if (ir::IsComplex(DTypeOf(i))) return nullptr;
  if (!IsUniform(*i.operand(1), 0.0) && !IsUniform(*i.operand(1), -0.0)) return nullptr;
  return editor.Fill(Literal::Scalar(DTypeOf(i), 1), i.shape().dims());
}

// Exact for f32 and narrower, where pow has 16 bits to spare; for f64 nothing proves it.
Instruction* PowerOne(Instruction& i, Editor&) {
  const DType dtype = DTypeOf(i);
  if (ir::IsComplex(dtype) || dtype == DType::kF64) return nullptr;
  return IsUniform(*i.operand(1), 1.0) ? i.operand(0) : nullptr;
}

Instruction* PowerOfOne(Instruction& i, Editor&) {
  if (ir::IsComplex(DTypeOf(i))) return nullptr;
  return IsUniform(*i.operand(0), 1.0) ? i.operand(0) : nullptr;
}

// Small powers of integers, and squares of f16: an f32 holds such a square, so pow is exact there.
Instruction* SmallPower(Instruction& i, Editor& editor) {
  const DType dtype = DTypeOf(i);
  Instruction* x = i.operand(0);
  if (dtype == DType::kF16) {
    return IsUniform(*i.operand(1), 2.0) ? editor.Binary(Opcode::kMultiply, x, x) : nullptr;
  }
  const std::optional<int64_t> n = UniformInteger(*i.operand(1));
  if (!n.has_value() || *n < 2 || *n > 4) return nullptr;
  Instruction* square = editor.Binary(Opcode::kMultiply, x, x);
  if (*n == 2) return square;
  return editor.Binary(Opcode::kMultiply, square, *n == 3 ? x : square);
}

constexpr auto kExact = RewriteClass::kExact;
constexpr auto kNan = RewriteClass::kExactUpToNan;

constexpr Rewrite kRewrites[] = {
    {"constant-to-right", Opcode::kAdd, kNan, &ConstantToRight},
    {"constant-to-right", Opcode::kMultiply, kNan, &ConstantToRight},
    {"add-nothing", Opcode::kAdd, kNan, &AddNothing},
    {"add-negated", Opcode::kAdd, kNan, &AddNegated},
    {"add-back-subtracted", Opcode::kAdd, kExact, &AddBackSubtracted},
    {"join-constants", Opcode::kAdd, kExact, &JoinConstants},
    {"subtract-zero", Opcode::kSubtract, kNan, &SubtractZero},
    {"subtract-self", Opcode::kSubtract, kExact, &SubtractSelf},
    {"subtract-negated", Opcode::kSubtract, kNan, &SubtractNegated},
    {"subtract-from-nothing", Opcode::kSubtract, kNan, &SubtractFromNothing},
    {"subtract-cancels", Opcode::kSubtract, kExact, &SubtractCancels},
    {"subtract-constant", Opcode::kSubtract, kExact, &SubtractConstant},
    {"multiply-by-one", Opcode::kMultiply, kNan, &MultiplyByOne},
    {"multiply-by-zero", Opcode::kMultiply, kExact, &MultiplyByZero},
    {"by-minus-one", Opcode::kMultiply, kNan, &ByMinusOne},
    {"both-negated", Opcode::kMultiply, kNan, &BothNegated},
    {"join-constants", Opcode::kMultiply, kExact, &JoinConstants},
    {"divide-by-one", Opcode::kDivide, kNan, &DivideByOne},
    {"by-minus-one", Opcode::kDivide, kNan, &ByMinusOne},
    {"both-negated", Opcode::kDivide, kNan, &BothNegated},
    {"divide-by-power-of-two", Opcode::kDivide, kNan, &DivideByPowerOfTwo},
    {"divide-unsigned", Opcode::kDivide, kExact, &DivideUnsigned},
    {"remainder-by-one", Opcode::kRemainder, kExact, &RemainderByOne},
    {"remainder-unsigned", Opcode::kRemainder, kExact, &RemainderUnsigned},
    {"power-zero", Opcode::kPower, kExact, &PowerZero},
    {"power-one", Opcode::kPower, kNan, &PowerOne},
    {"power-of-one", Opcode::kPower, kExact, &PowerOfOne},
    {"small-power", Opcode::kPower, kNan, &SmallPower},
};

}  // namespace

std::span<const Rewrite> ArithmeticRewrites() { return kRewrites; }

}  // namespace swage::passes
