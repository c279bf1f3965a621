#include "tests/compiler/math/reference.h"

#include <mpfr.h>

#include <bit>
#include <cmath>
#include <limits>

namespace swage::math {

namespace {

using ir::Opcode;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Number {
 public:
  Number() { mpfr_init2(value_, 160); }
  ~Number() { mpfr_clear(value_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  operator mpfr_ptr() { return value_; }

 private:
  mpfr_t value_;
};

void Logistic(Number& result, Number& x) {
  mpfr_neg(result, x, MPFR_RNDN);
  mpfr_exp(result, result, MPFR_RNDN);
  mpfr_add_ui(result, result, 1, MPFR_RNDN);
  mpfr_ui_div(result, 1, result, MPFR_RNDN);
}

void Exact(Opcode opcode, double x_value, double y_value, Number& result) {
  Number x, y;
  mpfr_set_d(x, x_value, MPFR_RNDN);
  mpfr_set_d(y, y_value, MPFR_RNDN);
  switch (opcode) {
    case Opcode::kAtan2:
      mpfr_atan2(result, x, y, MPFR_RNDN);
      break;
    case Opcode::kCbrt:
      mpfr_cbrt(result, x, MPFR_RNDN);
      break;
    case Opcode::kCos:
      mpfr_cos(result, x, MPFR_RNDN);
      break;
    case Opcode::kErf:
      mpfr_erf(result, x, MPFR_RNDN);
      break;
    case Opcode::kExp:
      mpfr_exp(result, x, MPFR_RNDN);
      break;
    case Opcode::kExpm1:
      mpfr_expm1(result, x, MPFR_RNDN);
      break;
    case Opcode::kLog:
      mpfr_log(result, x, MPFR_RNDN);
      break;
    case Opcode::kLog1p:
      mpfr_log1p(result, x, MPFR_RNDN);
      break;
    case Opcode::kLogistic:
      Logistic(result, x);
      break;
    case Opcode::kPower:
      mpfr_pow(result, x, y, MPFR_RNDN);
      break;
    case Opcode::kRsqrt:
      mpfr_rec_sqrt(result, x, MPFR_RNDN);
      break;
    case Opcode::kSin:
      mpfr_sin(result, x, MPFR_RNDN);
      break;
    case Opcode::kSqrt:
      mpfr_sqrt(result, x, MPFR_RNDN);
      break;
    case Opcode::kTan:
      mpfr_tan(result, x, MPFR_RNDN);
      break;
    default:
      mpfr_tanh(result, x, MPFR_RNDN);
      break;
  }
}

// Units in the last place of a format with `bits` of mantissa, exponents from `lowest` and up to
// `top`.
double Ulps(Number& exact, double got, int bits, int lowest, int top) {
  if (mpfr_nan_p(exact) != 0 || std::isnan(got)) {
    return mpfr_nan_p(exact) != 0 && std::isnan(got) ? 0.0 : kInfinity;
  }
  const bool huge =
      mpfr_inf_p(exact) != 0 || (mpfr_zero_p(exact) == 0 && mpfr_get_exp(exact) > top);
  if (huge || std::isinf(got)) {
    // Rounding up to infinity is right within half a unit of the largest value.
    Number limit;
    mpfr_set_d(limit, 1.0 - std::ldexp(1.0, -bits - 1), MPFR_RNDN);
    mpfr_mul_2si(limit, limit, top, MPFR_RNDN);
    const bool overflows = mpfr_inf_p(exact) != 0 || mpfr_cmpabs(exact, limit) >= 0;
    const bool same_sign = std::signbit(got) == (mpfr_signbit(exact) != 0);
    return overflows && std::isinf(got) && same_sign ? 0.0 : kInfinity;
  }
  if (mpfr_zero_p(exact) != 0) return got == 0.0 ? 0.0 : kInfinity;
  const long last = std::max<long>(mpfr_get_exp(exact) - bits, lowest);
  Number difference;
  mpfr_sub_d(difference, exact, got, MPFR_RNDN);
  mpfr_mul_2si(difference, difference, -last, MPFR_RNDN);
  return std::fabs(mpfr_get_d(difference, MPFR_RNDN));
}

}  // namespace

const std::vector<FunctionCase>& FunctionCases() {
  static const std::vector<FunctionCase> cases = {
      {Opcode::kAtan2, 1.5, -10, 10},   {Opcode::kCbrt, 1, -1000, 1000},
      {Opcode::kCos, 1, -1000, 1000},   {Opcode::kErf, 1, -6, 6},
      {Opcode::kExp, 1, -745, 710},     {Opcode::kExpm1, 1, -40, 40},
      {Opcode::kLog, 1, 0, 10},         {Opcode::kLog1p, 1, -1, 5},
      {Opcode::kLogistic, 1, -100, 40}, {Opcode::kPower, 1, -20, 20},
      {Opcode::kRsqrt, 1, 0, 100},      {Opcode::kSin, 1, -1000, 1000},
      {Opcode::kSqrt, 0.5, 0, 1000},    {Opcode::kTan, 1.5, -1000, 1000},
      {Opcode::kTanh, 1.5, -20, 20},
  };
  return cases;
}

double MaxFloatUlp(Opcode opcode) {
  const int bound = ir::InfoOf(opcode).max_ulp;
  return bound == 0 ? 0.5 : bound;
}

double UlpError(Opcode opcode, double x, double y, double got) {
  Number exact;
  Exact(opcode, x, y, exact);
  return Ulps(exact, got, 53, -1074, 1024);
}

double UlpErrorOfFloat(Opcode opcode, float x, float y, float got) {
  Number exact;
  Exact(opcode, x, y, exact);
  return Ulps(exact, got, 24, -149, 128);
}

double ReferenceInDouble(Opcode opcode, double x) {
  switch (opcode) {
    case Opcode::kCbrt:
      return std::cbrt(x);
    case Opcode::kCos:
      return std::cos(x);
    case Opcode::kErf:
      return std::erf(x);
    case Opcode::kExp:
      return std::exp(x);
    case Opcode::kExpm1:
      return std::expm1(x);
    case Opcode::kLog:
      return std::log(x);
    case Opcode::kLog1p:
      return std::log1p(x);
    case Opcode::kLogistic:
      return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
    case Opcode::kRsqrt:
      return 1 / std::sqrt(x);
    case Opcode::kSin:
      return std::sin(x);
    case Opcode::kSqrt:
      return std::sqrt(x);
    case Opcode::kTan:
      return std::tan(x);
    default:
      return std::tanh(x);
  }
}

double FloatUlps(float got, double exact) {
  if (std::isnan(exact) || std::isnan(got)) {
    return std::isnan(exact) && std::isnan(got) ? 0.0 : kInfinity;
  }
  const bool overflows = std::fabs(exact) >= 0x1p128 * (1 - 0x1p-25);
  if (overflows || std::isinf(got)) {
    const bool same_sign = std::signbit(got) == std::signbit(exact);
    return overflows && std::isinf(got) && same_sign ? 0.0 : kInfinity;
  }
  if (exact == 0.0) return got == 0.0f ? 0.0 : kInfinity;
  const int last = std::max(std::ilogb(exact) - 23, -149);
  return std::ldexp(std::fabs(double{got} - exact), -last);
}

std::vector<double> SampledDoubles(const FunctionCase& function, int64_t count, uint64_t seed) {
  std::vector<double> x(count);
  uint64_t state = seed;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const uint64_t random = state ^ (state >> 32);
    const double unit = static_cast<double>(random >> 11) * 0x1p-53;
    if (i % 3 == 0) {
      x[i] = std::bit_cast<double>(random);
    } else if (i % 3 == 1) {
      x[i] = function.low + unit * (function.high - function.low);
    } else {
      const double multiple = static_cast<double>(random % 1000) * 0.78539816339744831;
      const double near = i % 2 == 0 ? multiple : 1.0;
      x[i] = near + (unit - 0.5) * std::ldexp(1.0, -static_cast<int>(random % 50));
    }
  }
  return x;
}

}  // namespace swage::math
