// File: compiler/math/log.h
//
// log and log1p for float and double. Largest error: under 1 unit in the last place (float over all
// inputs, double sampled).
//
// x = 2^e m with m in [sqrt(1/2), sqrt(2)), f = m - 1, and log(1 + f) by a polynomial in f (float)
// or by 2 atanh(f / (2 + f)) (double): rows log_f32 and log_f64 of scripts/minimax.py.
#ifndef SWAGE_COMPILER_MATH_LOG_H_
#define SWAGE_COMPILER_MATH_LOG_H_

#include "compiler/math/builder.h"
#include "compiler/math/exp.h"

namespace swage::math {

template <class T>
struct LogTable;

template <>
struct LogTable<float> {
  // log(1 + f) = f - f^2 / 2 + f^3 P(f).
  static constexpr float kP[] = {0x1.555546p-2f,  -0x1.ffffeep-3f, 0x1.99a544p-3f,
                                 -0x1.5562dcp-3f, 0x1.2332d4p-3f,  -0x1.fb4416p-4f,
                                 0x1.e65066p-4f,  -0x1.e2e5e8p-4f, 0x1.1b402cp-4f};
  static constexpr uint32_t kSqrtHalf = 0x3f3504f3;
  static constexpr float kMinNormal = 0x1p-126f;
  static constexpr float kHuge = 0x1p100f;
};

template <>
struct LogTable<double> {
  // 2 atanh(s) = 2 s + s^3 P(s^2).
  static constexpr double kP[] = {0x1.5555555555558p-1, 0x1.99999999952bep-2, 0x1.2492492dfabd9p-2,
                                  0x1.c71c62d742a17p-3, 0x1.7462b8ef8d881p-3, 0x1.39fdd0d8e058cp-3,
                                  0x1.2b5f3008620f0p-3};
  static constexpr uint64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
  static constexpr double kMinNormal = 0x1p-1022;
  static constexpr double kHuge = 0x1p1000;
};

// A positive finite x as 2^e m, m in [sqrt(1/2), sqrt(2)). Others give an arbitrary finite m > 0.
template <class B, class T>
struct LogReduced {
  V<B, IntOf<T>> e;
  V<B, T> m;
};

template <class T, class B>
LogReduced<B, T> SplitExponent(B& b, V<B, T> x) {
  using F = FloatTraits<T>;
  using Int = IntOf<T>;
  constexpr Int kSqrtHalf = static_cast<Int>(LogTable<T>::kSqrtHalf);
  constexpr Int kMantissa = (Int{1} << F::kMantissaBits) - 1;
  V<B, Int> bits = As<Int>(b, x) - kSqrtHalf;
  return {bits >> Int{F::kMantissaBits}, As<T>(b, (bits & kMantissa) + kSqrtHalf)};
}

// The same for every positive x, denormals too.
template <class T, class B>
LogReduced<B, T> SplitAnyExponent(B& b, V<B, T> x) {
  using F = FloatTraits<T>;
  using Int = IntOf<T>;
  V<B, bool> tiny = x < LogTable<T>::kMinNormal;
  V<B, T> scale = Lit<T>(b, T(Int{1} << F::kMantissaBits));
  LogReduced<B, T> split = SplitExponent<T>(b, b.Select(tiny, x * scale, x));
  split.e = split.e - b.Select(tiny, Lit<Int>(b, F::kMantissaBits), Lit<Int>(b, 0));
  return split;
}

// log(1 + f + f_low) + e ln2 for f in [sqrt(1/2) - 1, sqrt(2) - 1]; rest = log(1 + f + f_low) -
// log(1 + f).
template <class T, class B>
V<B, T> LogOfReduced(B& b, V<B, T> f, V<B, T> rest, V<B, T> e) {
  V<B, T> half_square = f * f * T(0.5);
  V<B, T> tail = [&] {
    if constexpr (std::is_same_v<T, float>) {
      V<B, T> p = Horner<T>(b, f, LogTable<T>::kP);
      return b.Fma(half_square * f * T{2}, p, -half_square);
    } else {
      V<B, T> s = f / (f + T{2});
      V<B, T> z = s * s;
      return b.Fma(s, b.Fma(z, Horner<T>(b, z, LogTable<T>::kP), half_square), -half_square);
    }
  }();
  Pair<B, T> sum = FastTwoSum<T>(b, e * ExpTable<T>::kLn2Hi, f);
  return sum.hi + (tail + b.Fma(e, Lit<T>(b, ExpTable<T>::kLn2Lo), sum.lo + rest));
}

template <class T, class B>
V<B, T> Log(B& b, V<B, T> x) {
  LogReduced<B, T> split = SplitAnyExponent<T>(b, x);
  V<B, T> result =
      LogOfReduced<T>(b, split.m - T{1}, Lit<T>(b, T{0}), SmallIntToFloat<T>(b, split.e));
  result = b.Select(x < kInf<T>, result, x);  // +inf and NaN
  result = b.Select(x < T{0}, Lit<T>(b, kNaN<T>), result);
  return b.Select(x == T{0}, Lit<T>(b, -kInf<T>), result);
}

template <class T, class B>
V<B, T> Log1p(B& b, V<B, T> x) {
  using Int = IntOf<T>;
  // A huge x is scaled down, so that 2^-e stays normal; the 1 does not count there.
  V<B, bool> huge = x > LogTable<T>::kHuge;
  V<B, T> y = b.Select(huge, x * T(0x1p-30), x);
  // 1 + y = 2^e (1 + f): the exponent comes from the rounded sum, f from y itself.
  LogReduced<B, T> split = SplitExponent<T>(b, y + T{1});
  V<B, T> scale = PowerOfTwo<T>(b, Lit<Int>(b, 0) - split.e);
  Pair<B, T> f = TwoSum<T>(b, scale - T{1}, y * scale);
  V<B, Int> e = split.e + b.Select(huge, Lit<Int>(b, 30), Lit<Int>(b, 0));
  V<B, T> rest = f.lo * b.Fma(f.hi, f.hi, T{1} - f.hi);  // f.lo / (1 + f.hi)
  V<B, T> result = LogOfReduced<T>(b, f.hi, rest, SmallIntToFloat<T>(b, e));
  result = b.Select(x < kInf<T>, result, x);
  result = b.Select(x < T{-1}, Lit<T>(b, kNaN<T>), result);
  result = b.Select(x == T{-1}, Lit<T>(b, -kInf<T>), result);
  return b.Select(x == T{0}, x, result);
}

}  // namespace swage::math

#endif  // SWAGE_COMPILER_MATH_LOG_H_
