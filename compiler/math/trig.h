// File: compiler/math/trig.h
//
// sin, cos, tan for every finite float and double. Largest error in units in the last place: sin
// and cos under 1, tan under 2 (float over all inputs, double sampled). The polynomials are the
// rows sin_*, cos_* and tan_f32 of scripts/minimax.py.
#ifndef SWAGE_COMPILER_MATH_TRIG_H_
#define SWAGE_COMPILER_MATH_TRIG_H_

#include "compiler/math/builder.h"
#include "compiler/math/trig_reduction.h"

namespace swage::math {

template <class T>
struct SinCosTable;

// sin(r) = r + r^3 S(r^2), cos(r) = 1 - r^2 / 2 + r^4 C(r^2), tan(r) = r + r^3 Tan(r^2).
template <>
struct SinCosTable<float> {
  static constexpr float kS[] = {-0x1.555546p-3f, 0x1.11077ep-7f, -0x1.9956a8p-13f};
  static constexpr float kC[] = {0x1.55554ap-5f, -0x1.6c0c22p-10f, 0x1.99e59cp-16f};
  static constexpr float kTan[] = {0x1.555562p-2f, 0x1.110d2ap-3f,   0x1.baebaap-5f, 0x1.5c1b84p-6f,
                                   0x1.65d72ep-7f, -0x1.5f268ep-17f, 0x1.21d7d4p-8f};
};

template <>
struct SinCosTable<double> {
  static constexpr double kS[] = {-0x1.5555555555549p-3,  0x1.111111110f8a5p-7,
                                  -0x1.a01a019c15c6ap-13, 0x1.71de357a9abeap-19,
                                  -0x1.ae5e6806721bep-26, 0x1.5d9368364efcbp-33};
  static constexpr double kC[] = {0x1.555555555554cp-5,  -0x1.6c16c16c1521ep-10,
                                  0x1.a01a019cbf2fcp-16, -0x1.27e4f8128020ep-22,
                                  0x1.1ee9f12299076p-29, -0x1.8fb112d8567c1p-37};
};

namespace trig_internal {

// Both as unevaluated sums.
template <class T, class B>
Pair<B, T> SinOfReduced(B& b, const Pair<B, T>& r) {
  V<B, T> z = r.hi * r.hi;
  return {r.hi, b.Fma(r.hi * z, Horner<T>(b, z, SinCosTable<T>::kS), r.lo)};
}

template <class T, class B>
Pair<B, T> CosOfReduced(B& b, const Pair<B, T>& r) {
  V<B, T> z = r.hi * r.hi;
  V<B, T> half = z * T(0.5);
  V<B, T> w = T{1} - half;
  V<B, T> rest = b.Fma(-r.hi, r.lo, (T{1} - w) - half);
  return {w, b.Fma(z * z, Horner<T>(b, z, SinCosTable<T>::kC), rest)};
}

// sin(x + quarter_turns pi/2) for x >= 0.
template <class T, class B>
V<B, T> SinOfTurned(B& b, V<B, T> x, IntOf<T> quarter_turns) {
  using Int = IntOf<T>;
  TrigReduced<B, T> reduced = ReduceTrig<T>(b, x);
  V<B, Int> quadrant = reduced.n + quarter_turns;
  V<B, bool> use_cos = BitSet<0, Int>(b, quadrant);
  Pair<B, T> sin = SinOfReduced<T>(b, reduced.r);
  Pair<B, T> cos = CosOfReduced<T>(b, reduced.r);
  V<B, T> value = b.Select(use_cos, cos.hi, sin.hi) + b.Select(use_cos, cos.lo, sin.lo);
  return b.Select(BitSet<1, Int>(b, quadrant), -value, value);
}

template <class T, class B>
V<B, T> TanOfReduced(B& b, const Pair<B, T>& r, V<B, bool> odd) {
  if constexpr (std::is_same_v<T, float>) {
    V<B, T> z = r.hi * r.hi;
    V<B, T> tail = b.Fma(r.hi * z, Horner<T>(b, z, SinCosTable<T>::kTan), r.lo);
    Pair<B, T> t = FastTwoSum<T>(b, r.hi, tail);
    // -1 / (t.hi + t.lo), with what the quotient lost put back.
    V<B, T> y = T{-1} / t.hi;
    V<B, T> lost = b.Fma(y, t.lo, b.Fma(y, t.hi, Lit<T>(b, T{1})));
    return b.Select(odd, b.Fma(y, lost, y), t.hi);
  } else {
    Pair<B, T> s = SinOfReduced<T>(b, r);
    Pair<B, T> c = CosOfReduced<T>(b, r);
    s = FastTwoSum<T>(b, s.hi, s.lo);
    c = FastTwoSum<T>(b, c.hi, c.lo);
    Pair<B, T> above = {b.Select(odd, -c.hi, s.hi), b.Select(odd, -c.lo, s.lo)};
    Pair<B, T> below = {b.Select(odd, s.hi, c.hi), b.Select(odd, s.lo, c.lo)};
    V<B, T> inverse = T{1} / below.hi;
    V<B, T> q = above.hi * inverse;
    V<B, T> rest = b.Fma(-q, below.hi, above.hi) + b.Fma(-q, below.lo, above.lo);
    return b.Fma(rest, inverse, q);
  }
}

}  // namespace trig_internal

template <class T, class B>
V<B, T> Sin(B& b, V<B, T> x) {
  V<B, T> value = trig_internal::SinOfTurned<T>(b, b.Abs(x), 0);
  value = b.Select(SignBitSet<T>(b, x), -value, value);
  return b.Select(x == T{0}, x, value);
}

template <class T, class B>
V<B, T> Cos(B& b, V<B, T> x) {
  return trig_internal::SinOfTurned<T>(b, b.Abs(x), 1);
}

template <class T, class B>
V<B, T> Tan(B& b, V<B, T> x) {
  using Int = IntOf<T>;
  TrigReduced<B, T> reduced = ReduceTrig<T>(b, b.Abs(x));
  V<B, bool> odd = BitSet<0, Int>(b, reduced.n);
  V<B, T> value = trig_internal::TanOfReduced<T>(b, reduced.r, odd);
  value = b.Select(SignBitSet<T>(b, x), -value, value);
  return b.Select(x == T{0}, x, value);
}

}  // namespace swage::math

#endif  // SWAGE_COMPILER_MATH_TRIG_H_
