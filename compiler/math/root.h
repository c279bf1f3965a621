// File: compiler/math/root.h
//
// sqrt (exact), rsqrt and cbrt for float and double. Largest error in units in the last place:
// under 1 (float over all inputs, double sampled).
#ifndef SWAGE_COMPILER_MATH_ROOT_H_
#define SWAGE_COMPILER_MATH_ROOT_H_

#include "compiler/math/builder.h"

namespace swage::math {

template <class T, class B>
V<B, T> Rsqrt(B& b, V<B, T> x) {
  constexpr bool kFloat = std::is_same_v<T, float>;
  // Small x is scaled by an even power of two, so that the residuals below do not underflow.
  const T limit = kFloat ? T(0x1p-60) : T(0x1p-500);
  const T up = kFloat ? T(0x1p96) : T(0x1p600);
  const T back = kFloat ? T(0x1p48) : T(0x1p300);
  V<B, bool> small = x < limit;
  V<B, T> v = b.Select(small, x * up, x);
  V<B, T> one = Lit<T>(b, T{1});
  V<B, T> s = b.Sqrt(v);
  V<B, T> y = one / s;
  // y is 1/s and s is sqrt(v), each rounded; both losses are known exactly to first order:
  // 1/sqrt(v) = y (1 + (1 - y s) - (v - s^2) y^2 / 2).
  V<B, T> lost_by_s = b.Fma(-s, s, v) * (y * y * T(0.5));
  V<B, T> correction = b.Fma(-y, s, one) - lost_by_s;
  V<B, T> result = b.Fma(y, correction, y);
  result = b.Select(small, result * back, result);
  // 0, infinity, negatives and NaN have no use for a correction.
  return b.Select((x > T{0}) & (x < kInf<T>), result, y);
}

// m^(1/3) for m in [1/2, 4], to 2^-9: row cbrt_start of scripts/minimax.py.
struct CbrtTable {
  static constexpr double kStart[] = {0x1.fdeb2da78c6e4p-2, 0x1.6cefe21efb84cp-1,
                                      -0x1.1011cb0165b16p-2, 0x1.f1b4853f2d196p-5,
                                      -0x1.66dc89afe3908p-8};
};

// One step of Halley's method; each triples the number of good bits.
template <class B>
V<B, double> HalleyStep(B& b, V<B, double> y, V<B, double> m) {
  V<B, double> cube = y * y * y;
  V<B, double> twice = cube + cube;
  return y + y * ((m - cube) / (twice + m));
}

template <bool kFast, class B>
V<B, double> CbrtInDouble(B& b, V<B, double> x) {
  V<B, double> a = b.Abs(x);
  V<B, bool> tiny = a < 0x1p-1000;
  a = b.Select(tiny, a * 0x1p54, a);
  // a = 2^(3k) m with m in [1/2, 4); the exponent is made positive before it is divided by 3.
  V<B, uint64_t> bits = As<uint64_t>(b, a);
  V<B, uint64_t> e = (bits >> uint64_t{52}) + uint64_t{1};
  V<B, uint64_t> third = (e * uint64_t{43691}) >> uint64_t{17};
  V<B, uint64_t> rest = e - third * uint64_t{3};
  V<B, double> m =
      As<double>(b, (bits & uint64_t{0xfffffffffffff}) | ((rest + uint64_t{1022}) << uint64_t{52}));
  V<B, double> y = HalleyStep(b, Horner<double>(b, m, CbrtTable::kStart), m);
  if constexpr (!kFast) {
    y = HalleyStep(b, y, m);
    // The cube's rounding errors are put back for a last step.
    Pair<B, double> square = TwoProduct<double>(b, y, y);
    V<B, double> residual = b.Fma(-square.lo, y, b.Fma(-square.hi, y, m));
    y = y + residual / (square.hi * 3.0);
  }
  // e = exponent + 1024, so k = third - 341 with (1024 - 1) / 3 = 341.
  V<B, int64_t> k = As<int64_t>(b, third) - int64_t{341};
  V<B, double> result = y * PowerOfTwo<double>(b, k);
  result = b.CopySign(b.Select(tiny, result * 0x1p-18, result), x);
  return b.Select((x == 0.0) | (b.Abs(x) == kInf<double>) | IsNaN<double>(b, x), x, result);
}

template <class T, class B>
V<B, T> Cbrt(B& b, V<B, T> x) {
  if constexpr (std::is_same_v<T, float>) {
    return b.template FloatConvert<float>(
        CbrtInDouble<true>(b, b.template FloatConvert<double>(x)));
  } else {
    return CbrtInDouble<false>(b, x);
  }
}

}  // namespace swage::math

#endif  // SWAGE_COMPILER_MATH_ROOT_H_
