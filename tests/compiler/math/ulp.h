// File: tests/compiler/math/ulp.h
//
// Errors in units in the last place, and arrays of floats by their bits.
#ifndef SWAGE_TESTS_COMPILER_MATH_ULP_H_
#define SWAGE_TESTS_COMPILER_MATH_ULP_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace swage::math {

// |got - exact| in units in the last place of float at `exact`. Both infinite of one sign or both
// NaN is 0; one infinite or NaN alone is infinity; overflow is allowed where `exact` rounds to
// infinity.
inline double FloatUlpError(float got, double exact) {
  if (std::isnan(exact) || std::isnan(got)) {
    return std::isnan(exact) && std::isnan(got) ? 0.0 : std::numeric_limits<double>::infinity();
  }
  const double kTop = 0x1p128;
  if (std::isinf(got)) {
    return std::signbit(got) == std::signbit(exact) && std::fabs(exact) >= kTop * (1 - 0x1p-24)
               ? 0.0
               : std::numeric_limits<double>::infinity();
  }
  if (std::fabs(exact) >= kTop) return std::numeric_limits<double>::infinity();
  const int exponent = exact == 0.0 ? -149 : std::max(std::ilogb(exact), -126) - 23;
  return std::fabs(double{got} - exact) / std::ldexp(1.0, std::max(exponent, -149));
}

}  // namespace swage::math

#endif  // SWAGE_TESTS_COMPILER_MATH_ULP_H_
