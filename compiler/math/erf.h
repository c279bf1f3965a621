// File: compiler/math/erf.h
//
// The error function for float and double. Largest error in units in the last place: float under 1
// over all inputs, double under 2 (sampled).
//
// Small |x|: x + x P(x^2). Else 1 - erfc(|x|) with erfc as exp(P(x)) (float) or as
// exp(-x^2) P((x - 2) / (x + 2)) (double). Rows erf_*, erfc_f32 and erfcx_f64 of
// scripts/minimax.py.
#ifndef SWAGE_COMPILER_MATH_ERF_H_
#define SWAGE_COMPILER_MATH_ERF_H_

#include "compiler/math/builder.h"
#include "compiler/math/exp.h"

namespace swage::math {

template <class T>
struct ErfTable;

template <>
struct ErfTable<float> {
  static constexpr float kP[] = {0x1.06eba8p-3f,  -0x1.812740p-2f, 0x1.ce2d6ep-4f,
                                 -0x1.b80354p-6f, 0x1.5474ccp-8f,  -0x1.a8de50p-11f,
                                 0x1.6543ecp-14f, -0x1.f66e36p-20f};
  static constexpr float kTail[] = {0x1.8dce40p-13f, -0x1.212c88p+0f, -0x1.44339cp-1f,
                                    -0x1.bc23a0p-4f, 0x1.9d25a0p-6f,  -0x1.13bd10p-8f,
                                    0x1.cf5886p-12f, -0x1.6c91c0p-16f};
  static constexpr float kSmall = 1.0f;
  static constexpr float kOne = 4.0f;  // erf rounds to 1 from here on
};

template <>
struct ErfTable<double> {
  static constexpr double kP[] = {
      0x1.06eba8214db69p-3,  -0x1.812746b037a24p-2,  0x1.ce2f21a0457b1p-4,  -0x1.b82ce3134df90p-6,
      0x1.565bcd2b3250ap-8,  -0x1.c02db8f8293b3p-11, 0x1.f9a3b2647031ap-14, -0x1.f4dc6c29acf69p-17,
      0x1.ba62932b7f2a8p-20, -0x1.635c20f1f2f41p-23, 0x1.121759f052358p-26, -0x1.bed3d16c3a909p-30,
      0x1.346853c248c5fp-33};
  static constexpr double kTail[] = {
      0x1.058671b52c776p-2,   -0x1.b57034efd3f71p-2, 0x1.eeea7dc8a7835p-3,   -0x1.437f0b68c1e2cp-4,
      0x1.e9471597ff0f9p-9,   0x1.ca95ed5c3e78bp-8,  -0x1.bc25a37c19aa1p-11, -0x1.016b61bb5f068p-10,
      0x1.6d5a5936bfef7p-15,  0x1.6da93461d129cp-13, 0x1.ce744ced59774p-16,  -0x1.cca7b28150846p-16,
      -0x1.d69c9647c9446p-17, 0x1.9003dd023bc13p-22, 0x1.d72eb1e0ad261p-20};
  static constexpr double kSmall = 1.0;
  static constexpr double kOne = 6.0;
};

template <class T, class B>
V<B, T> Erf(B& b, V<B, T> x) {
  using Table = ErfTable<T>;
  V<B, T> a = b.Abs(x);
  V<B, T> small = b.Fma(x, Horner<T>(b, x * x, Table::kP), x);
  V<B, T> y = b.Select(a > Table::kOne, Lit<T>(b, Table::kOne), a);
  V<B, T> erfc = [&] {
    if constexpr (std::is_same_v<T, float>) {
      // The exponent's last rounding is put back behind exp.
      V<B, T> slope = Horner<T, 1>(b, y, Table::kTail);
      V<B, T> p = b.Fma(slope, y, Lit<T>(b, Table::kTail[0]));
      V<B, T> lost = b.Fma(slope, y, -p) + Table::kTail[0];
      V<B, T> e = Exp<T>(b, p);
      return b.Fma(e, lost, e);
    } else {
      Pair<B, T> square = TwoProduct<T>(b, y, y);
      V<B, T> e = Exp<T>(b, -square.hi);
      e = b.Fma(-e, square.lo, e);
      return e * Horner<T>(b, (y - T{2}) / (y + T{2}), Table::kTail);
    }
  }();
  return b.Select(a < Table::kSmall, small, b.CopySign(T{1} - erfc, x));
}

}  // namespace swage::math

#endif  // SWAGE_COMPILER_MATH_ERF_H_
