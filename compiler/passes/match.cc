#include "compiler/passes/match.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>

namespace swage::passes {

using ir::DType;
using ir::Instruction;
using ir::Literal;
using ir::Opcode;

namespace {

// Longer chains are rewritten before anybody asks.
constexpr int kMaxSteps = 8;
// Larger constants are looked at by constant-broadcast-canonicalizer, once.
constexpr int64_t kMaxElements = 16;

const Literal* UniformOfConstant(const Instruction& constant) {
  const Literal& literal = constant.literal();
  if (literal.is_tuple() || literal.element_count() > kMaxElements) return nullptr;
  return literal.IsUniform() ? &literal : nullptr;
}

}  // namespace

const Literal* UniformLiteral(const Instruction& x) {
  const Instruction* at = &x;
  for (int i = 0; i < kMaxSteps; ++i) {
    switch (at->opcode()) {
      case Opcode::kConstant:
        return UniformOfConstant(*at);
      case Opcode::kBroadcast:
      case Opcode::kCopy:
      case Opcode::kReshape:
      case Opcode::kReverse:
      case Opcode::kSlice:
      case Opcode::kTranspose:
        at = at->operand(0);
        break;
      default:
        return nullptr;
    }
  }
  return nullptr;
}

bool IsUniform(const Instruction& x, double value) {
  const Literal* literal = UniformLiteral(x);
  if (literal == nullptr) return false;
  const DType dtype = literal->dtype();
  if (dtype == DType::kPred || ir::IsInteger(dtype)) {
    return literal->GetInt(0) == static_cast<int64_t>(value);
  }
  const std::complex<double> found = literal->GetComplex(0);
  return std::bit_cast<uint64_t>(found.real()) == std::bit_cast<uint64_t>(value) &&
         std::bit_cast<uint64_t>(found.imag()) == 0;
}

bool IsAllOnes(const Instruction& x) {
  const DType dtype = x.shape().dtype();
  if (dtype == DType::kPred) return IsUniform(x, 1.0);
  const std::optional<int64_t> value = UniformInteger(x);
  return value.has_value() && *value == (ir::IsSigned(dtype) ? -1 : LargestInteger(dtype));
}

std::optional<int64_t> UniformInteger(const Instruction& x) {
  if (!x.shape().is_array() || !ir::IsInteger(x.shape().dtype())) return std::nullopt;
  const Literal* literal = UniformLiteral(x);
  if (literal == nullptr) return std::nullopt;
  return literal->GetInt(0);
}

std::optional<double> UniformPowerOfTwo(const Instruction& x) {
  if (!x.shape().is_array() || !ir::IsFloat(x.shape().dtype())) return std::nullopt;
  const Literal* literal = UniformLiteral(x);
  if (literal == nullptr) return std::nullopt;
  const double value = literal->GetDouble(0);
  int exponent;
  if (!std::isfinite(value) || std::abs(std::frexp(value, &exponent)) != 0.5) return std::nullopt;
  return value;
}

bool IsConstantLike(const Instruction& x) {
  const Instruction* at = &x;
  for (int i = 0;
       i < kMaxSteps && (at->opcode() == Opcode::kBroadcast || at->opcode() == Opcode::kReshape);
       ++i) {
    at = at->operand(0);
  }
  return at->opcode() == Opcode::kConstant;
}

bool IsOp(const Instruction* x, Opcode opcode) { return x->opcode() == opcode; }

bool IsEmpty(const ir::Shape& shape) {
  for (ir::Dim dim : shape.dims()) {
    if (dim == ir::Dim(0)) return true;
  }
  return false;
}

bool Has(const ir::DimList& list, int64_t d) {
  return std::find(list.begin(), list.end(), d) != list.end();
}

int64_t LeastInteger(DType dtype) {
  if (ir::IsUnsigned(dtype)) return 0;
  return std::bit_cast<int64_t>(~uint64_t{0} << (ir::DTypeBits(dtype) - 1));
}

int64_t LargestInteger(DType dtype) {
  const int bits = ir::DTypeBits(dtype) - (ir::IsSigned(dtype) ? 1 : 0);
  return std::bit_cast<int64_t>(~uint64_t{0} >> (64 - bits));
}

bool IntegerLess(DType dtype, int64_t a, int64_t b) {
  if (ir::IsSigned(dtype)) return a < b;
  return static_cast<uint64_t>(a) < static_cast<uint64_t>(b);
}

}  // namespace swage::passes
