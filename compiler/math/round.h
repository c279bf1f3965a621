// File: compiler/math/round.h
//
// Rounding to integers, sign, minimum, maximum and order of floats; all exact.
#ifndef SWAGE_COMPILER_MATH_ROUND_H_
#define SWAGE_COMPILER_MATH_ROUND_H_

#include "compiler/math/builder.h"

namespace swage::math {

// To the nearest integer, ties away from zero.
template <class T, class B>
V<B, T> RoundNearestAfz(B& b, V<B, T> x) {
  V<B, T> whole = b.Trunc(x);
  V<B, bool> up = b.Abs(x - whole) >= T(0.5);
  return b.Select(up, whole + b.CopySign(Lit<T>(b, T{1}), x), whole);
}

// -1, 0 or 1 with the sign of x; zeros and NaN stay.
template <class T, class B>
V<B, T> SignOf(B& b, V<B, T> x) {
  V<B, bool> nonzero = (x < T{0}) | (x > T{0});
  return b.Select(nonzero, b.CopySign(Lit<T>(b, T{1}), x), x);
}

// The larger value; NaN wins; -0 < +0.
template <class T, class B>
V<B, T> FloatMax(B& b, V<B, T> x, V<B, T> y) {
  // Equal values have equal bits but for zeros, where any +0 clears the sign.
  V<B, T> equal = As<T>(b, As<BitsOf<T>>(b, x) & As<BitsOf<T>>(b, y));
  V<B, T> result = b.Select(x > y, x, y);  // y if either is NaN
  result = b.Select(x == y, equal, result);
  return b.Select(x != x, x, result);
}

// The smaller value; NaN wins; -0 < +0.
template <class T, class B>
V<B, T> FloatMin(B& b, V<B, T> x, V<B, T> y) {
  V<B, T> equal = As<T>(b, As<BitsOf<T>>(b, x) | As<BitsOf<T>>(b, y));
  V<B, T> result = b.Select(x < y, x, y);
  result = b.Select(x == y, equal, result);
  return b.Select(x != x, x, result);
}

// An integer that orders the bits of a float (any sign-magnitude format) as
// -NaN < -inf < ... < -0 < +0 < ... < inf < NaN.
template <class Int, class B>
V<B, Int> TotalOrderKey(B& b, V<B, Int> bits) {
  constexpr Int kMagnitude = std::numeric_limits<Int>::max();
  return b.Select(bits < Lit<Int>(b, 0), bits ^ Lit<Int>(b, kMagnitude), bits);
}

}  // namespace swage::math

#endif  // SWAGE_COMPILER_MATH_ROUND_H_
