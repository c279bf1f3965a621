// File: compiler/math/remainder.h
//
// The exact remainder x - trunc(x / y) y for float and double of any magnitude (C's fmod): sign of
// the dividend, x for an infinite divisor, NaN for y = 0 or an infinite dividend.
//
// Long division in base 2^52: the divisor is taken times 2^(52 k) for falling k; each step's
// quotient has at most 52 bits, is off by at most one, and leaves an exact remainder (one fma).
#ifndef SWAGE_COMPILER_MATH_REMAINDER_H_
#define SWAGE_COMPILER_MATH_REMAINDER_H_

#include "compiler/math/builder.h"

namespace swage::math {

// 2^(52 k)
constexpr double PowerOf52(int k) {
  double power = 1.0;
  for (int i = 0; i < k; ++i) power *= 0x1p52;
  return power;
}

// One step: r mod d for r < 2^52 d. An infinite d leaves r.
template <class B>
V<B, double> RemainderStep(B& b, V<B, double> r, V<B, double> d) {
  V<B, double> q = b.Trunc(r / d);
  V<B, double> finite = b.Select(d == kInf<double>, Lit<double>(b, 0.0), d);
  V<B, double> rest = b.Fma(-q, finite, r);
  return b.Select(rest < 0.0, rest + finite, rest);
}

// Steps kFrom ... 0. The recursion unrolls them for good; so does that of RemainderOfDoubles.
template <int kFrom, class B>
V<B, double> RemainderSteps(B& b, V<B, double> r, V<B, double> y) {
  if constexpr (kFrom == 0) {
    return RemainderStep(b, r, y);
  } else {
    return RemainderSteps<kFrom - 1>(b, RemainderStep(b, r, y * PowerOf52(kFrom)), y);
  }
}

template <class B>
V<B, double> RemainderOfFloats(B& b, V<B, double> x, V<B, double> y) {
  // The largest float is below 2^(52 * 5 + 52) times the smallest.
  return RemainderSteps<5>(b, x, y);
}

template <class B>
V<B, double> RemainderOfDoubles(B& b, V<B, double> x, V<B, double> y) {
  // The largest double is below 2^(52 * 40 + 52) times the smallest. 2^(52 k) itself overflows
  // above k = 19, so the divisor is raised beforehand; a step k of the raised one is a step k + 19
  // or 38.
  V<B, double> far = y * PowerOf52(19);
  V<B, double> farther = far * PowerOf52(19);
  V<B, double> r = RemainderSteps<2>(b, x, farther);
  r = RemainderSteps<18>(b, r, far);
  return RemainderSteps<18>(b, r, y);
}

template <class T, class B>
V<B, T> Remainder(B& b, V<B, T> x, V<B, T> y) {
  V<B, T> ax = b.Abs(x), ay = b.Abs(y);
  V<B, T> r = [&] {
    if constexpr (std::is_same_v<T, float>) {
      return b.template FloatConvert<float>(RemainderOfFloats(
          b, b.template FloatConvert<double>(ax), b.template FloatConvert<double>(ay)));
    } else {
      return RemainderOfDoubles(b, ax, ay);
    }
  }();
  r = b.CopySign(b.Select(ay == kInf<T>, ax, r), x);
  V<B, bool> regular = (ax < kInf<T>)&(ay > T{0});  // false for NaN
  return b.Select(regular, r, Lit<T>(b, kNaN<T>));
}

}  // namespace swage::math

#endif  // SWAGE_COMPILER_MATH_REMAINDER_H_
