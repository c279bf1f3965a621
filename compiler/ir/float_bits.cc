#include "compiler/ir/float_bits.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/status.h"

namespace swage::ir {
namespace {

uint64_t MantissaMask(FloatFormat format) { return (uint64_t{1} << format.mantissa_bits) - 1; }

uint64_t ExponentField(FloatFormat format) {
  return ((uint64_t{1} << format.exponent_bits) - 1) << format.mantissa_bits;
}

int WidthOf(FloatFormat format) { return 1 + format.exponent_bits + format.mantissa_bits; }

// All bits but the sign.
uint64_t MagnitudeMask(FloatFormat format) { return (uint64_t{1} << (WidthOf(format) - 1)) - 1; }

// f16, bf16, f8: the magnitude of a finite or infinite double, rounded to nearest even.
uint64_t RoundMagnitude(FloatFormat format, uint64_t magnitude) {
  const uint64_t overflow = format.has_infinity ? ExponentField(format) : MagnitudeMask(format);
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  if (exponent == 1024) return overflow;
  if (exponent == -1023) return 0;  // zeros and denormals of double are below half of any denormal
  const uint64_t mantissa = (magnitude & ((uint64_t{1} << 52) - 1)) | (uint64_t{1} << 52);
  const int kept_exponent = std::max(exponent, 1 - bias);
  const int drop = 52 - format.mantissa_bits + (kept_exponent - exponent);
  if (drop > 54) return 0;
  uint64_t kept = mantissa >> drop;
  const uint64_t rest = mantissa & ((uint64_t{1} << drop) - 1);
  const uint64_t half = uint64_t{1} << (drop - 1);
  if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  // A carry out of the mantissa lands in the exponent, which is what it means.
  const uint64_t bits =
      (static_cast<uint64_t>(kept_exponent + bias - 1) << format.mantissa_bits) + kept;
  return std::min(bits, overflow);
}

}  // namespace

FloatFormat FormatOf(DType dtype) {
  switch (dtype) {
    case DType::kF8E4M3FN:
      return {4, 3, false};
    case DType::kF8E5M2:
      return {5, 2, true};
    case DType::kF16:
      return {5, 10, true};
    case DType::kBF16:
      return {8, 7, true};
    case DType::kF32:
      return {8, 23, true};
    case DType::kF64:
      return {11, 52, true};
    default:
      Fatal(__FILE__, __LINE__, "not a float dtype");
  }
}

uint64_t EncodeFloat(DType dtype, double value) {
  if (dtype == DType::kF64) return std::bit_cast<uint64_t>(value);
  if (dtype == DType::kF32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  const FloatFormat format = FormatOf(dtype);
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t magnitude = bits & ~(uint64_t{1} << 63);
  const uint64_t sign = (bits >> 63) << (WidthOf(format) - 1);
  if (!std::isnan(value)) return sign | RoundMagnitude(format, magnitude);
  const uint64_t payload = (magnitude >> (52 - format.mantissa_bits)) & MantissaMask(format);
  return sign | QuietNanBits(dtype) | payload;
}

double DecodeFloat(DType dtype, uint64_t bits) {
  if (dtype == DType::kF64) return std::bit_cast<double>(bits);
  if (dtype == DType::kF32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  const FloatFormat format = FormatOf(dtype);
  const uint64_t sign = ((bits >> (WidthOf(format) - 1)) & 1) << 63;
  const uint64_t mantissa = bits & MantissaMask(format);
  if (IsNanBits(dtype, bits)) {
    return std::bit_cast<double>(sign | uint64_t{0x7ff8000000000000} |
                                 (mantissa << (52 - format.mantissa_bits)));
  }
  if (IsInfBits(dtype, bits)) return std::bit_cast<double>(sign | uint64_t{0x7ff0000000000000});
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const int field = static_cast<int>((bits & ExponentField(format)) >> format.mantissa_bits);
  const uint64_t whole = field == 0 ? mantissa : mantissa | (uint64_t{1} << format.mantissa_bits);
  const double value =
      std::ldexp(static_cast<double>(whole), std::max(field, 1) - bias - format.mantissa_bits);
  return sign != 0 ? -value : value;
}

bool IsNanBits(DType dtype, uint64_t bits) {
  const FloatFormat format = FormatOf(dtype);
  const uint64_t magnitude = bits & MagnitudeMask(format);
  return format.has_infinity ? magnitude > ExponentField(format)
                             : magnitude == MagnitudeMask(format);
}

bool IsInfBits(DType dtype, uint64_t bits) {
  const FloatFormat format = FormatOf(dtype);
  return format.has_infinity && (bits & MagnitudeMask(format)) == ExponentField(format);
}

uint64_t InfBits(DType dtype, bool negative) {
  const FloatFormat format = FormatOf(dtype);
  SWAGE_CHECK(format.has_infinity);
  return ExponentField(format) | (static_cast<uint64_t>(negative) << (WidthOf(format) - 1));
}

uint64_t QuietNanBits(DType dtype) {
  const FloatFormat format = FormatOf(dtype);
  if (!format.has_infinity) return MagnitudeMask(format);
  return ExponentField(format) | (uint64_t{1} << (format.mantissa_bits - 1));
}

}  // namespace swage::ir
