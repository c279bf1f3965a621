#include "compiler/passes/padding/fill.h"

#include <complex>
#include <limits>

#include "compiler/evaluator/evaluator.h"

namespace swage::passes::padding {
namespace {

using ir::DType;
using ir::Literal;
using ir::Opcode;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The stored bits of an integer or pred: 4-bit types are sign-extended in their byte.
Literal OfBits(DType dtype, uint64_t bits) {
  Literal literal = Literal::Scalar(dtype, 0);
  literal.SetBits(0, bits);
  return literal;
}

uint64_t LowBits(int count) { return count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }

Literal AllOnes(DType dtype) {
  const bool extended = ir::IsSigned(dtype) && ir::DTypeBits(dtype) < 8;
  return OfBits(dtype, LowBits(extended ? 8 : ir::DTypeBits(dtype)));
}

Literal Smallest(DType dtype) {
  if (!ir::IsSigned(dtype)) return OfBits(dtype, 0);
  const int bits = ir::DTypeBits(dtype);
  const uint64_t sign = uint64_t{1} << (bits - 1);
  return OfBits(dtype, bits < 8 ? (0xff & ~(sign - 1)) : sign);
}

Literal Largest(DType dtype) {
  return OfBits(dtype,
                LowBits(ir::IsSigned(dtype) ? ir::DTypeBits(dtype) - 1 : ir::DTypeBits(dtype)));
}

// f8e4m3fn has no infinity: its largest value is as good.
Literal Infinity(DType dtype, double sign) {
  return Literal::Scalar(dtype, sign * (dtype == DType::kF8E4M3FN ? 448.0 : kInf));
}

double LargeFloat(DType dtype) {
  switch (dtype) {
    case DType::kF8E4M3FN:
      return 448;
    case DType::kF8E5M2:
    case DType::kF16:
      return 57344;
    case DType::kF64:
    case DType::kC128:
      return 1e300;
    default:
      return 3e38;
  }
}

}  // namespace

Literal FillValue(PaddingFill fill, DType dtype) {
  if (ir::IsComplex(dtype)) {
    const double part = fill == PaddingFill::kZero       ? 0
                        : fill == PaddingFill::kNan      ? kNan
                        : fill == PaddingFill::kInfinity ? kInf
                                                         : LargeFloat(dtype);
    return Literal::Scalar(dtype, std::complex<double>(part, part));
  }
  if (fill == PaddingFill::kZero) return Literal::Scalar(dtype, 0);
  if (dtype == DType::kPred) return Literal::Scalar(dtype, fill == PaddingFill::kLarge ? 0 : 1);
  if (ir::IsInteger(dtype)) {
    if (fill == PaddingFill::kLarge) return Largest(dtype);
    return fill == PaddingFill::kNan && ir::IsSigned(dtype) ? Smallest(dtype) : AllOnes(dtype);
  }
  switch (fill) {
    case PaddingFill::kNan:
      return Literal::Scalar(dtype, kNan);
    case PaddingFill::kInfinity:
      return Infinity(dtype, 1);
    default:
      return Literal::Scalar(dtype, LargeFloat(dtype));
  }
}

Literal FillValue(double value, DType dtype) {
  if (ir::IsComplex(dtype)) return Literal::Scalar(dtype, std::complex<double>(value, 0));
  return Literal::Scalar(dtype, value);
}

std::optional<Literal> IdentityOf(Opcode opcode, DType dtype) {
  if (ir::IsComplex(dtype)) return std::nullopt;
  const bool is_float = ir::IsFloat(dtype);
  switch (opcode) {
    case Opcode::kAdd:
      return Literal::Scalar(dtype, is_float ? -0.0 : 0.0);
    case Opcode::kMultiply:
      return Literal::Scalar(dtype, 1);
    case Opcode::kMaximum:
      return is_float ? Infinity(dtype, -1) : Smallest(dtype);
    case Opcode::kMinimum:
      if (dtype == DType::kPred) return Literal::Scalar(dtype, 1);
      return is_float ? Infinity(dtype, 1) : Largest(dtype);
    case Opcode::kAnd:
      return dtype == DType::kPred ? Literal::Scalar(dtype, 1) : AllOnes(dtype);
    case Opcode::kOr:
    case Opcode::kXor:
      return Literal::Scalar(dtype, 0);
    default:
      return std::nullopt;
  }
}

Fill FoldFill(const ir::Instruction& op, absl::Span<const Fill> operands) {
  std::vector<Literal> values;
  bool uniform = true;
  for (const Fill& operand : operands) {
    if (!operand.known()) return Fill::Unknown();
    uniform = uniform && operand.kind == Fill::Kind::kUniform;
    values.push_back(operand.value);
  }
  ir::Module module("fill");
  ir::Computation* entry = module.AddComputation("fill");
  std::vector<ir::Instruction*> parameters;
  for (const Literal& value : values) {
    parameters.push_back(
        entry->AddParameter(static_cast<int64_t>(parameters.size()), value.shape()));
  }
  entry->set_root(
      entry->Add(op.opcode(), ir::Shape::Scalar(op.shape().dtype()), parameters, op.attributes()));
  module.set_entry(entry);
  StatusOr<Literal> value = evaluator::Evaluate(module, values);
  if (!value.ok()) return Fill::Unknown();
  return uniform ? Fill::Uniform(*std::move(value)) : Fill::Padding(*std::move(value));
}

}  // namespace swage::passes::padding
