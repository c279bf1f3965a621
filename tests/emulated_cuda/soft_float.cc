#include "tests/emulated_cuda/soft_float.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

namespace swage::emulated_cuda {
namespace {

struct Format {
  int exponent_bits, mantissa_bits;
};

Format FormatOf(SmallFloat format) {
  return format == SmallFloat::kHalf ? Format{5, 10} : Format{8, 7};
}

// The sum, with its last bit set if the sum is not exact: rounding that to fewer bits is right
// (round to odd).
double AddToOdd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  const double part = sum - a;
  const double error = (a - (sum - part)) + (b - part);
  const uint64_t bits = std::bit_cast<uint64_t>(sum);
  if (error == 0 || (bits & 1) != 0) return sum;
  const bool away = (error > 0) == (sum > 0);
  return std::bit_cast<double>(away ? bits + 1 : bits - 1);
}

// Runs `compute` under the mode of RoundingMode.
template <typename Compute>
auto Rounded(int32_t mode, Compute compute) {
  static constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  std::fesetround(kModes[mode]);
  const auto result = compute();
  std::fesetround(FE_TONEAREST);
  return result;
}

// Volatile keeps the compiler from computing under another mode.
template <typename T>
T Arithmetic(int32_t op, int32_t mode, T a, T b, T c) {
  volatile T x = a, y = b, z = c;
  return Rounded(mode, [&]() -> T {
    volatile T result;
    switch (op) {
      case kSoftAdd:
        result = x + y;
        break;
      case kSoftSub:
        result = x - y;
        break;
      case kSoftMul:
        result = x * y;
        break;
      case kSoftDiv:
        result = x / y;
        break;
      case kSoftSqrt:
        result = std::sqrt(T{x});
        break;
      default:
        result = std::fma(T{x}, T{y}, T{z});
        break;
    }
    return result;
  });
}

}  // namespace

double SmallToDouble(SmallFloat format, uint16_t bits) {
  if (format == SmallFloat::kBfloat) return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const int exponent = bits >> 10 & 31;
  const int mantissa = bits & 1023;
  if (exponent == 31)
    return mantissa == 0 ? sign * HUGE_VAL : std::numeric_limits<double>::quiet_NaN();
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(mantissa + 1024, exponent - 25);
}

namespace {

// Rounded to nearest even, or truncated; NaN becomes 0x7fff.
uint16_t DoubleToSmall(SmallFloat format, double value, bool toward_zero = false) {
  if (std::isnan(value)) return 0x7fff;
  const auto [exponent_bits, mantissa_bits] = FormatOf(format);
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const uint16_t infinity = static_cast<uint16_t>(((1 << exponent_bits) - 1) << mantissa_bits);
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return sign | infinity;
  if (magnitude == 0) return sign;
  // The exponent of the last bit that the format keeps.
  const int last = std::max(std::ilogb(magnitude), 1 - bias) - mantissa_bits;
  const double scaled = std::ldexp(magnitude, -last);
  const double whole = toward_zero ? std::trunc(scaled) : std::nearbyint(scaled);
  // `whole` has at most mantissa_bits + 2 bits; adding it as an integer carries into the exponent.
  const int biased = last + mantissa_bits + bias;  // of a number with the leading bit set
  const int64_t bits =
      static_cast<int64_t>(whole) + (static_cast<int64_t>(biased - 1) << mantissa_bits);
  if (bits >= infinity)
    return sign | (toward_zero ? static_cast<uint16_t>(infinity - 1) : infinity);
  return sign | static_cast<uint16_t>(bits);
}

// a * b + c with one rounding.
uint16_t SmallFma(SmallFloat format, uint16_t a, uint16_t b, uint16_t c) {
  // The product of two such numbers is exact in double.
  const double product = SmallToDouble(format, a) * SmallToDouble(format, b);
  return DoubleToSmall(format, AddToOdd(product, SmallToDouble(format, c)));
}

// An integer as T, rounded once.
template <typename T>
T RoundedInteger(int32_t mode, int32_t is_signed, int64_t value) {
  volatile int64_t exact = value;
  return Rounded(mode, [&]() -> T {
    volatile T result =
        is_signed != 0 ? static_cast<T>(exact) : static_cast<T>(static_cast<uint64_t>(exact));
    return result;
  });
}

SmallFloat SmallFormat(int32_t bfloat) {
  return bfloat != 0 ? SmallFloat::kBfloat : SmallFloat::kHalf;
}

}  // namespace

extern "C" {

uint32_t emu_fma_small(int32_t bfloat, uint32_t a, uint32_t b, uint32_t c) {
  return SmallFma(SmallFormat(bfloat), static_cast<uint16_t>(a), static_cast<uint16_t>(b),
                  static_cast<uint16_t>(c));
}
uint32_t emu_narrow(int32_t bfloat, int32_t toward_zero, double value) {
  return DoubleToSmall(SmallFormat(bfloat), value, toward_zero != 0);
}
// An integer to f16 or bf16, rounded once: a long double holds all of 64 bits.
uint32_t emu_narrow_int(int32_t bfloat, int32_t is_signed, int64_t value) {
  const long double exact = is_signed != 0 ? static_cast<long double>(value)
                                           : static_cast<long double>(static_cast<uint64_t>(value));
  const double head = static_cast<double>(exact);
  return emu_narrow(bfloat, 0, AddToOdd(head, static_cast<double>(exact - head)));
}
float emu_round_f32(int32_t mode, double value) {
  volatile double exact = value;
  return Rounded(mode, [&]() -> float {
    volatile float result = static_cast<float>(exact);
    return result;
  });
}
float emu_int_f32(int32_t mode, int32_t is_signed, int64_t value) {
  return RoundedInteger<float>(mode, is_signed, value);
}
double emu_int_f64(int32_t mode, int32_t is_signed, int64_t value) {
  return RoundedInteger<double>(mode, is_signed, value);
}
float emu_op_f32(int32_t op, int32_t mode, float a, float b, float c) {
  return Arithmetic(op, mode, a, b, c);
}
double emu_op_f64(int32_t op, int32_t mode, double a, double b, double c) {
  return Arithmetic(op, mode, a, b, c);
}
double emu_ex2(double x) { return std::exp2(x); }
double emu_lg2(double x) { return std::log2(x); }
double emu_sin(double x) { return std::sin(x); }
double emu_cos(double x) { return std::cos(x); }
double emu_tanh(double x) { return std::tanh(x); }
double emu_rsqrt(double x) { return 1.0 / std::sqrt(x); }
}

const std::vector<RuntimeCall>& MathCalls() {
  const auto address = [](auto* function) { return reinterpret_cast<void*>(function); };
  static const auto* const calls = new std::vector<RuntimeCall>{
      {"emu_fma_small", address(&emu_fma_small)},
      {"emu_narrow", address(&emu_narrow)},
      {"emu_narrow_int", address(&emu_narrow_int)},
      {"emu_round_f32", address(&emu_round_f32)},
      {"emu_int_f32", address(&emu_int_f32)},
      {"emu_int_f64", address(&emu_int_f64)},
      {"emu_op_f32", address(&emu_op_f32)},
      {"emu_op_f64", address(&emu_op_f64)},
      {"emu_ex2", address(&emu_ex2)},
      {"emu_lg2", address(&emu_lg2)},
      {"emu_sin", address(&emu_sin)},
      {"emu_cos", address(&emu_cos)},
      {"emu_tanh", address(&emu_tanh)},
      {"emu_rsqrt", address(&emu_rsqrt)},
  };
  return *calls;
}

}  // namespace swage::emulated_cuda
