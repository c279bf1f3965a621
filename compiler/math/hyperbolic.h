// File: compiler/math/hyperbolic.h
//
// tanh for float and double. Largest error in units in the last place: float under 1 over all
// inputs, double under 2 (sampled).
//
// Small |x|: x + x^3 P(x^2), rows tanh_f32 and tanh_f64 of scripts/minimax.py; else
// 1 - 2 / (exp(2 |x|) + 1), where the quotient is small enough that its rounding counts for less.
#ifndef SWAGE_COMPILER_MATH_HYPERBOLIC_H_
#define SWAGE_COMPILER_MATH_HYPERBOLIC_H_

#include "compiler/math/builder.h"
#include "compiler/math/exp.h"

namespace swage::math {

template <class T>
struct TanhTable;

template <>
struct TanhTable<float> {
  static constexpr float kP[] = {-0x1.555556p-2f,  0x1.111134p-3f,  -0x1.ba2022p-5f,
                                 0x1.666b3p-6f,    -0x1.226c44p-7f, 0x1.cf98acp-9f,
                                 -0x1.53ed28p-10f, 0x1.7eec10p-12f, -0x1.c7264ep-15f};
  static constexpr float kSmall = 1.0f;
  static constexpr float kOne = 10.0f;  // tanh rounds to 1 from here on
};

template <>
struct TanhTable<double> {
  static constexpr double kP[] = {
      -0x1.5555555555555p-2,  0x1.1111111111083p-3,  -0x1.ba1ba1ba1139dp-5,  0x1.664f487fac90fp-6,
      -0x1.226e34d4ec15ep-7,  0x1.d6d3b233612b3p-9,  -0x1.7da118efb9f94p-10, 0x1.3539f6e86cf5dp-11,
      -0x1.f3582f90586e3p-13, 0x1.891b974fed282p-14, -0x1.11e8c9c3ed8efp-15, 0x1.e8081f9752c59p-18};
  static constexpr double kSmall = 0.55;
  static constexpr double kOne = 20.0;
};

template <class T, class B>
V<B, T> Tanh(B& b, V<B, T> x) {
  using Table = TanhTable<T>;
  V<B, T> a = b.Abs(x);
  V<B, T> z = x * x;
  V<B, T> small = b.Fma(x * z, Horner<T>(b, z, Table::kP), x);
  V<B, T> limited = b.Select(a > Table::kOne, Lit<T>(b, Table::kOne), a);
  V<B, T> large = T{1} - T{2} / (Exp<T>(b, limited + limited) + T{1});
  // fma(-0, ...) above may lose the sign of a zero.
  return b.CopySign(b.Select(a < Table::kSmall, small, large), x);
}

}  // namespace swage::math

#endif  // SWAGE_COMPILER_MATH_HYPERBOLIC_H_
