#include "compiler/passes/algebraic_simplifier/constants.h"

#include <cmath>

#include "compiler/passes/match.h"

namespace swage::passes {
namespace {

using ir::DType;
using ir::Instruction;
using ir::Literal;
using ir::Opcode;

// a < b where -0.0 < 0.0; neither is NaN.
bool Less(const Literal& a, const Literal& b) {
  if (!ir::IsFloat(a.dtype())) return IntegerLess(a.dtype(), a.GetInt(0), b.GetInt(0));
  const double x = a.GetDouble(0), y = b.GetDouble(0);
  return x < y || (x == y && std::signbit(x) && !std::signbit(y));
}

std::optional<Literal> JoinBounds(Opcode opcode, const Literal& a, const Literal& b) {
  for (const Literal* one : {&a, &b}) {
    if (ir::IsFloat(one->dtype()) && std::isnan(one->GetDouble(0))) return one->ElementAt(0);
  }
  return (Less(a, b) == (opcode == Opcode::kMaximum) ? b : a).ElementAt(0);
}

std::optional<Literal> Join(Opcode opcode, const Literal& a, const Literal& b) {
  const DType dtype = a.dtype();
  if (ir::IsComplex(dtype)) return std::nullopt;
  if (opcode == Opcode::kMaximum || opcode == Opcode::kMinimum) return JoinBounds(opcode, a, b);
  if (!ir::IsInteger(dtype)) return std::nullopt;
  const uint64_t x = a.GetInt(0), y = b.GetInt(0);
  uint64_t joined;
  switch (opcode) {
    case Opcode::kAdd:
      joined = x + y;
      break;
    case Opcode::kMultiply:
      joined = x * y;
      break;
    case Opcode::kAnd:
      joined = x & y;
      break;
    case Opcode::kOr:
      joined = x | y;
      break;
    case Opcode::kXor:
      joined = x ^ y;
      break;
    default:
      return std::nullopt;
  }
  return Literal::Scalar(dtype, static_cast<int64_t>(joined));
}

}  // namespace

Instruction* ConstantToRight(Instruction& i, Editor& editor) {
  Instruction* x = i.operand(0);
  Instruction* y = i.operand(1);
  if (!IsConstantLike(*x) || IsConstantLike(*y)) return nullptr;
  return editor.Binary(i.opcode(), y, x);
}

Instruction* JoinConstants(Instruction& i, Editor& editor) {
  const Instruction* inner = i.operand(0);
  if (inner->opcode() != i.opcode() || IsConstantLike(*inner->operand(0))) return nullptr;
  const Literal* outer_constant = UniformLiteral(*i.operand(1));
  if (outer_constant == nullptr) return nullptr;
  const Literal* inner_constant = UniformLiteral(*inner->operand(1));
  if (inner_constant == nullptr) return nullptr;
  const std::optional<Literal> joined = Join(i.opcode(), *inner_constant, *outer_constant);
  if (!joined.has_value()) return nullptr;
  return editor.Binary(i.opcode(), inner->operand(0), editor.Fill(*joined, i.shape().dims()));
}

}  // namespace swage::passes
