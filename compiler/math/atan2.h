// File: compiler/math/atan2.h
//
// The angle of the point (x, y) for float and double, by C99 Annex F. Largest error in units in the
// last place: float under 1 (computed in double), double under 2 (both sampled).
//
// The angle of the smaller over the larger of |x|, |y| by atan(q) = q + q^3 P(q^2) on [0, 1], rows
// atan_fast and atan_f64 of scripts/minimax.py, then moved to the right octant.
#ifndef SWAGE_COMPILER_MATH_ATAN2_H_
#define SWAGE_COMPILER_MATH_ATAN2_H_

#include "compiler/math/builder.h"

namespace swage::math {

struct AtanTable {
  // To 2^-42, for float.
  static constexpr double kFast[] = {
      -0x1.55555554275acp-2,  0x1.999998b84670ap-3, -0x1.24922b9ac5195p-3, 0x1.c7188280e5cb0p-4,
      -0x1.7435006dc8fd9p-4,  0x1.3a0842033fe24p-4, -0x1.0c3b51898b565p-4, 0x1.c19235a3ebe5ep-5,
      -0x1.5ed762019876ep-5,  0x1.db4a85903674cp-6, -0x1.019ccca7c88d9p-6, 0x1.96528f30cf5a6p-8,
      -0x1.965b97893f80ap-10, 0x1.7e40156d20fe2p-13};
  static constexpr double kFull[] = {
      -0x1.555555555554ep-2, 0x1.9999999998db5p-3, -0x1.249249245c67bp-3,  0x1.c71c71b78b57dp-4,
      -0x1.745d15ea46ee5p-4, 0x1.3b139d1684af3p-4, -0x1.11103dc764542p-4,  0x1.e1d51b4bbcbddp-5,
      -0x1.aedd2ab69e770p-5, 0x1.84bf140f4f8b4p-5, -0x1.5f43ddaa72716p-5,  0x1.394dca6ecae72p-5,
      -0x1.0d1a267c09a28p-5, 0x1.adf9a24207cd4p-6, -0x1.32ab7d448b439p-6,  0x1.75ce5fc6d0d28p-7,
      -0x1.73b34267b7fdap-8, 0x1.1dc2bdbc82544p-9, -0x1.3bd51d6380551p-11, 0x1.bbd85e69a62f0p-14,
      -0x1.289c48aae6f01p-17};
  static constexpr double kPi = 0x1.921fb54442d18p+1;
  static constexpr double kPiLow = 0x1.1a62633145c07p-53;
};

template <bool kFast, class B>
V<B, double> Atan2InDouble(B& b, V<B, double> y, V<B, double> x) {
  using D = V<B, double>;
  D ax = b.Abs(x), ay = b.Abs(y);
  V<B, bool> steep = ay > ax;
  D small = b.Select(steep, ax, ay), large = b.Select(steep, ay, ax);
  D q = small / large;
  q = b.Select(small == large, Lit<double>(b, 1.0), q);  // inf / inf
  q = b.Select(small == 0.0, Lit<double>(b, 0.0), q);    // 0 / 0; a NaN is put back at the end
  D z = q * q;
  // What the rounding of q lost; not for quotients whose residual would underflow.
  D lost = Lit<double>(b, 0.0);
  if constexpr (!kFast) {
    V<B, bool> regular = (q > 0x1p-400) & (large < 0x1p900) & (large > 0x1p-500);
    lost = b.Fma(-q, large, small) / (large * (z + 1.0));
    lost = b.Select(regular, lost, Lit<double>(b, 0.0));
  }
  D tail = [&] {
    if constexpr (kFast) return b.Fma(q * z, Horner<double>(b, z, AtanTable::kFast), lost);
    return b.Fma(q * z, Horner<double>(b, z, AtanTable::kFull), lost);
  }();
  // angle = base +- (q + tail), with base a multiple of pi/2 in two parts.
  V<B, bool> left = SignBitSet<double>(b, x);
  D zero = Lit<double>(b, 0.0);
  D half_pi = Lit<double>(b, AtanTable::kPi * 0.5),
    half_pi_low = Lit<double>(b, AtanTable::kPiLow * 0.5);
  D base = b.Select(steep, half_pi, b.Select(left, Lit<double>(b, AtanTable::kPi), zero));
  D base_low =
      b.Select(steep, half_pi_low, b.Select(left, Lit<double>(b, AtanTable::kPiLow), zero));
  V<B, bool> minus = steep ^ left;
  q = b.Select(minus, -q, q);
  tail = b.Select(minus, -tail, tail);
  Pair<B, double> sum = FastTwoSum<double>(b, base, q);
  D angle = sum.hi + (sum.lo + (base_low + tail));
  angle = b.CopySign(angle, y);
  return b.Select(IsNaN<double>(b, x) | IsNaN<double>(b, y), Lit<double>(b, kNaN<double>), angle);
}

template <class T, class B>
V<B, T> Atan2(B& b, V<B, T> y, V<B, T> x) {
  if constexpr (std::is_same_v<T, float>) {
    return b.template FloatConvert<float>(Atan2InDouble<true>(b, b.template FloatConvert<double>(y),
                                                              b.template FloatConvert<double>(x)));
  } else {
    return Atan2InDouble<false>(b, y, x);
  }
}

}  // namespace swage::math

#endif  // SWAGE_COMPILER_MATH_ATAN2_H_
