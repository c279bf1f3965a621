// File: compiler/math/exp.h
//
// exp, expm1 and logistic for float and double. Largest error in units in the last place (float
// over all inputs, double sampled): exp 0.89, 0.84; expm1 0.89, 0.91; logistic 0.81, 0.66.
//
// exp(x) = 2^n exp(r) with n = x / ln2 to the nearest integer and |r| <= ln2 / 2. The polynomials
// are the rows exp_* and expm1_* of scripts/minimax.py.
#ifndef SWAGE_COMPILER_MATH_EXP_H_
#define SWAGE_COMPILER_MATH_EXP_H_

#include "compiler/math/builder.h"

namespace swage::math {

template <class T>
struct ExpTable;

template <>
struct ExpTable<float> {
  // exp(r) = 1 + r + r^2 P(r).
  static constexpr float kP[] = {0x1.000000p-1f, 0x1.55548ep-3f, 0x1.5554e4p-5f, 0x1.123bfap-7f,
                                 0x1.6d49dep-10f};
  // The same to more bits, for expm1.
  static constexpr float kFine[] = {0x1.000000p-1f, 0x1.555556p-3f,  0x1.5554e6p-5f,
                                    0x1.110fe8p-7f, 0x1.6d4f10p-10f, 0x1.a2811ap-13f};
  static constexpr float kLog2E = 0x1.715476p+0f;
  // ln2 in two parts; n * kLn2Hi is exact.
  static constexpr float kLn2Hi = 0x1.62e4p-1f;
  static constexpr float kLn2Lo = 0x1.7f7d1cp-20f;
  // Beyond these the result is infinite, or rounds to 0 (or, for expm1, to -1).
  static constexpr float kMax = 89.0f;
  static constexpr float kMin = -104.0f;
  static constexpr float kMinusOne = -18.0f;
};

template <>
struct ExpTable<double> {
  static constexpr double kP[] = {
      0x1.000000000000cp-1,  0x1.555555555555cp-3,  0x1.555555554fde6p-5,  0x1.111111110e8c9p-7,
      0x1.6c16c18611c66p-10, 0x1.a01a01b4eabf4p-13, 0x1.a019959984d05p-16, 0x1.71ddeca6f204ap-19,
      0x1.28b1166169f59p-22, 0x1.af71b60382ff1p-26};
  static constexpr double kFine[] = {
      0x1.0000000000000p-1,  0x1.555555555555cp-3,  0x1.5555555555556p-5,  0x1.111111110e9bap-7,
      0x1.6c16c16c1605bp-10, 0x1.a01a01b468a37p-13, 0x1.a01a01a7d292cp-16, 0x1.71ddee0d44727p-19,
      0x1.27e4d900cc527p-22, 0x1.af6f391e2dde2p-26, 0x1.1f770894cf694p-29};
  static constexpr double kLog2E = 0x1.71547652b82fep+0;
  static constexpr double kLn2Hi = 0x1.62e42fefa2000p-1;
  static constexpr double kLn2Lo = 0x1.9ef35793c7673p-41;
  static constexpr double kMax = 710.0;
  static constexpr double kMin = -746.0;
  static constexpr double kMinusOne = -38.0;
};

// x = n ln2 + r.hi + r.lo. NaN gives an arbitrary n and a NaN r.
template <class B, class T>
struct ExpReduced {
  V<B, IntOf<T>> n;
  Pair<B, T> r;
};

template <class T, class B>
ExpReduced<B, T> ReduceExp(B& b, V<B, T> x) {
  using E = ExpTable<T>;
  const T magic = FloatTraits<T>::kRoundMagic;
  V<B, T> shifted = b.Fma(x, Lit<T>(b, E::kLog2E), Lit<T>(b, magic));
  V<B, IntOf<T>> n = As<IntOf<T>>(b, shifted) - As<IntOf<T>>(b, Lit<T>(b, magic));
  V<B, T> minus_n = magic - shifted;
  V<B, T> high = b.Fma(minus_n, Lit<T>(b, E::kLn2Hi), x);
  V<B, T> r = b.Fma(minus_n, Lit<T>(b, E::kLn2Lo), high);
  V<B, T> low = b.Fma(minus_n, Lit<T>(b, E::kLn2Lo), high - r);
  return {n, {r, low}};
}

// v * 2^n in two steps, so that n may reach twice the range of exponents and the result rounds
// once.
template <class T, class B>
V<B, T> ScaleByPowerOfTwo(B& b, V<B, T> v, V<B, IntOf<T>> n) {
  V<B, IntOf<T>> half = n >> IntOf<T>{1};
  return v * PowerOfTwo<T>(b, half) * PowerOfTwo<T>(b, n - half);
}

// Keeps x in [low, high]; NaN stays.
template <class T, class B>
V<B, T> Limit(B& b, V<B, T> x, T low, T high) {
  x = b.Select(x > high, Lit<T>(b, high), x);
  return b.Select(x < low, Lit<T>(b, low), x);
}

template <class T, class B>
V<B, T> Exp(B& b, V<B, T> x) {
  using E = ExpTable<T>;
  ExpReduced<B, T> e = ReduceExp<T>(b, Limit<T>(b, x, E::kMin, E::kMax));
  V<B, T> r = e.r.hi;
  V<B, T> tail = b.Fma(r * r, Horner<T>(b, r, E::kP), e.r.lo);
  return ScaleByPowerOfTwo<T>(b, (r + tail) + T{1}, e.n);
}

// exp(x) = (hi + lo) 2^n to about 8 bits more than T has.
template <class B, class T>
struct ExpParts {
  Pair<B, T> value;
  V<B, IntOf<T>> n;
};

template <class T, class B>
ExpParts<B, T> ExpInParts(B& b, V<B, T> x) {
  ExpReduced<B, T> e = ReduceExp<T>(b, x);
  V<B, T> r = e.r.hi;
  V<B, T> tail = b.Fma(r * r, Horner<T>(b, r, ExpTable<T>::kP), e.r.lo);
  Pair<B, T> sum = FastTwoSum<T>(b, Lit<T>(b, T{1}), r);
  return {FastTwoSum<T>(b, sum.hi, sum.lo + tail), e.n};
}

template <class T, class B>
V<B, T> Expm1(B& b, V<B, T> x) {
  using E = ExpTable<T>;
  ExpReduced<B, T> e = ReduceExp<T>(b, Limit<T>(b, x, E::kMinusOne, E::kMax));
  // exp(r) - 1 = hi + lo.
  V<B, T> r = e.r.hi;
  V<B, T> tail = b.Fma(r * r, Horner<T>(b, r, E::kFine), e.r.lo);
  Pair<B, T> p = FastTwoSum<T>(b, r, tail);
  // Half of 2^n (hi + lo) + (2^n - 1): 2^n itself may overflow.
  V<B, T> half = PowerOfTwo<T>(b, e.n - IntOf<T>{1});
  Pair<B, T> offset = FastTwoSum<T>(b, half, Lit<T>(b, T(-0.5)));
  Pair<B, T> sum = TwoSum<T>(b, offset.hi, half * p.hi);
  V<B, T> result = T{2} * (sum.hi + (b.Fma(half, p.lo, sum.lo) + offset.lo));
  // Small x, signed zero among them, keep what the sums above would lose.
  result = b.Select(e.n == IntOf<T>{0}, r + tail, result);
  return b.Select(x == T{0}, x, result);
}

// 1 / (1 + exp(-x)), from t = exp(-|x|) <= 1: 1 / (1 + t) or t / (1 + t).
template <class T, class B>
V<B, T> Logistic(B& b, V<B, T> x) {
  using E = ExpTable<T>;
  ExpParts<B, T> e = ExpInParts<T>(b, Limit<T>(b, -b.Abs(x), E::kMin, T{0}));
  V<B, T> t = ScaleByPowerOfTwo<T>(b, e.value.hi, e.n);
  V<B, T> t_low = ScaleByPowerOfTwo<T>(b, e.value.lo, e.n);
  Pair<B, T> d = FastTwoSum<T>(b, Lit<T>(b, T{1}), t);
  d.lo = d.lo + t_low;
  // 1 / d = y + y_low.
  V<B, T> y = T{1} / d.hi;
  V<B, T> y_low = y * b.Fma(-y, d.lo, b.Fma(-y, d.hi, Lit<T>(b, T{1})));
  V<B, T> negative = b.Fma(t, y, b.Fma(t, y_low, t_low * y));
  return b.Select(x < T{0}, negative, y + y_low);
}

}  // namespace swage::math

#endif  // SWAGE_COMPILER_MATH_EXP_H_
