#include "compiler/passes/lossless.h"

namespace swage::passes {

using ir::DType;

namespace {

// Significant bits (the hidden one included), exponents of the largest finite and the smallest
// denormal value.
struct FloatFormat {
  int precision;
  int largest;
  int smallest;
  bool has_infinity;
};

FloatFormat FormatOf(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return {53, 1023, -1074, true};
    case DType::kF32:
      return {24, 127, -149, true};
    case DType::kBF16:
      return {8, 127, -133, true};
    case DType::kF16:
      return {11, 15, -24, true};
    case DType::kF8E5M2:
      return {3, 15, -16, true};
    default:
      return {4, 8, -9, false};  // f8e4m3fn
  }
}

bool FloatFits(DType from, DType to) {
  if (from == to) return true;
  const FloatFormat a = FormatOf(from), b = FormatOf(to);
  // The largest values share an exponent only where the precision decides, and f8e4m3fn gives one
  // of its largest to NaN: nothing with its exponent range fits into it.
  return a.precision <= b.precision && a.largest <= b.largest && a.smallest >= b.smallest &&
         (b.has_infinity || !a.has_infinity) && (to != DType::kF8E4M3FN);
}

bool IntegerFits(DType from, DType to) {
  const int a = ir::DTypeBits(from), b = ir::DTypeBits(to);
  if (ir::IsSigned(from)) return ir::IsSigned(to) && a <= b;
  return ir::IsSigned(to) ? a < b : a <= b;
}

bool IntegerFitsFloat(DType from, DType to) {
  // Magnitudes up to 2^bits; a signed least value is a power of two.
  const int bits = ir::DTypeBits(from) - (ir::IsSigned(from) ? 1 : 0);
  const FloatFormat format = FormatOf(to);
  return bits <= format.precision && bits <= format.largest;
}

}  // namespace

bool IsLossless(DType from, DType to) {
  if (from == to) return true;
  if (ir::IsComplex(from) || ir::IsComplex(to) || to == DType::kPred) return false;
  if (from == DType::kPred) return true;
  if (ir::IsFloat(from)) return ir::IsFloat(to) && FloatFits(from, to);
  return ir::IsFloat(to) ? IntegerFitsFloat(from, to) : IntegerFits(from, to);
}

bool SkipsVia(DType from, DType via, DType to) {
  if (ir::IsComplex(from) || ir::IsComplex(via) || ir::IsComplex(to)) return false;
  if (IsLossless(from, via)) {
    // An integer wraps into an integer, but a float that holds one saturates.
    const bool saturates = ir::IsInteger(from) && ir::IsFloat(via) && ir::IsInteger(to);
    return !saturates || IsLossless(from, to);
  }
  // Wrapping twice, if the second time is at least as narrow.
  return ir::IsInteger(from) && ir::IsInteger(via) && ir::IsInteger(to) &&
         ir::DTypeBits(to) <= ir::DTypeBits(via);
}

}  // namespace swage::passes
