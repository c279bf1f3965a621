// Value-changing rewrites of floats: only under options().fast_math.
#include <cmath>

#include "compiler/passes/algebraic_simplifier/rewrite.h"
#include "compiler/passes/match.h"

namespace swage::passes {
namespace {

using ir::Instruction;
using ir::Literal;
using ir::Opcode;

Instruction* FillFloat(const Instruction& like, double value, Editor& editor) {
  return editor.Fill(Literal::Scalar(like.shape().dtype(), value), like.shape().dims());
}

bool IsFloatArray(const Instruction& i) { return ir::IsFloat(i.shape().dtype()); }

Instruction* AddZero(Instruction& i, Editor&) {
  return IsFloatArray(i) && IsUniform(*i.operand(1), 0.0) ? i.operand(0) : nullptr;
}

Instruction* MultiplyZero(Instruction& i, Editor&) {
  return IsFloatArray(i) && IsUniform(*i.operand(1), 0.0) ? i.operand(1) : nullptr;
}

Instruction* SubtractFloatSelf(Instruction& i, Editor& editor) {
  const bool applies = IsFloatArray(i) && i.operand(0) == i.operand(1);
  return applies ? FillFloat(i, 0.0, editor) : nullptr;
}

Instruction* DivideSelf(Instruction& i, Editor& editor) {
  const bool applies = IsFloatArray(i) && i.operand(0) == i.operand(1);
  return applies ? FillFloat(i, 1.0, editor) : nullptr;
}

Instruction* DivideByConstant(Instruction& i, Editor& editor) {
  if (!IsFloatArray(i) || IsConstantLike(*i.operand(0))) return nullptr;
  const Literal* c = UniformLiteral(*i.operand(1));
  if (c == nullptr) return nullptr;
  const double value = c->GetDouble(0);
  if (!std::isnormal(value) || !std::isnormal(1 / value)) return nullptr;
  return editor.Binary(Opcode::kMultiply, i.operand(0), FillFloat(i, 1 / value, editor));
}

// a / sqrt(b)
Instruction* DivideBySqrt(Instruction& i, Editor& editor) {
  Instruction* y = i.operand(1);
  if (!IsFloatArray(i) || !IsOp(y, Opcode::kSqrt)) return nullptr;
  return editor.Binary(Opcode::kMultiply, i.operand(0),
                       editor.Unary(Opcode::kRsqrt, y->operand(0)));
}

Instruction* PowerConstant(Instruction& i, Editor& editor) {
  if (!IsFloatArray(i)) return nullptr;
  Instruction* x = i.operand(0);
  const Instruction& y = *i.operand(1);
  if (IsUniform(y, 1.0)) return x;
  if (IsUniform(y, 0.5)) return editor.Unary(Opcode::kSqrt, x);
  if (IsUniform(y, -0.5)) return editor.Unary(Opcode::kRsqrt, x);
  if (IsUniform(y, -1.0)) return editor.Binary(Opcode::kDivide, FillFloat(i, 1.0, editor), x);
  if (!IsUniform(y, 2.0) && !IsUniform(y, 3.0)) return nullptr;
  Instruction* square = editor.Binary(Opcode::kMultiply, x, x);
  return IsUniform(y, 2.0) ? square : editor.Binary(Opcode::kMultiply, square, x);
}

Instruction* LogExp(Instruction& i, Editor&) {
  Instruction* x = i.operand(0);
  return IsFloatArray(i) && IsOp(x, Opcode::kExp) ? x->operand(0) : nullptr;
}

Instruction* SqrtTimesSqrt(Instruction& i, Editor&) {
  Instruction* x = i.operand(0);
  const bool applies = IsFloatArray(i) && x == i.operand(1) && IsOp(x, Opcode::kSqrt);
  return applies ? x->operand(0) : nullptr;
}

Instruction* ExpTimesExp(Instruction& i, Editor& editor) {
  Instruction* x = i.operand(0);
  Instruction* y = i.operand(1);
  if (!IsFloatArray(i) || !IsOp(x, Opcode::kExp) || !IsOp(y, Opcode::kExp)) return nullptr;
  return editor.Unary(Opcode::kExp, editor.Binary(Opcode::kAdd, x->operand(0), y->operand(0)));
}

constexpr auto kValueChanging = RewriteClass::kValueChanging;

constexpr Rewrite kRewrites[] = {
    {"fast-add-zero", Opcode::kAdd, kValueChanging, &AddZero},
    {"fast-multiply-zero", Opcode::kMultiply, kValueChanging, &MultiplyZero},
    {"fast-sqrt-squared", Opcode::kMultiply, kValueChanging, &SqrtTimesSqrt},
    {"fast-exp-product", Opcode::kMultiply, kValueChanging, &ExpTimesExp},
    {"fast-subtract-self", Opcode::kSubtract, kValueChanging, &SubtractFloatSelf},
    {"fast-divide-self", Opcode::kDivide, kValueChanging, &DivideSelf},
    {"fast-divide-by-constant", Opcode::kDivide, kValueChanging, &DivideByConstant},
    {"fast-divide-by-sqrt", Opcode::kDivide, kValueChanging, &DivideBySqrt},
    {"fast-power", Opcode::kPower, kValueChanging, &PowerConstant},
    {"fast-log-exp", Opcode::kLog, kValueChanging, &LogExp},
};

}  // namespace

std::span<const Rewrite> FastMathRewrites() { return kRewrites; }

}  // namespace swage::passes
