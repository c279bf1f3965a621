// File: compiler/math/pow.h
//
// pow for float and double by C99 Annex F, and pow for integers. Largest error in units in the last
// place: float under 1 (computed in double), double under 2 (both sampled).
//
// |x|^y = exp(y log|x|). For double the logarithm carries about 66 bits, as an unevaluated sum.
#ifndef SWAGE_COMPILER_MATH_POW_H_
#define SWAGE_COMPILER_MATH_POW_H_

#include "compiler/math/builder.h"
#include "compiler/math/exp.h"
#include "compiler/math/log.h"

namespace swage::math {

struct PowTable {
  // 2 atanh(s) = 2 s + s^3 P(s^2), to 2^-51: row log_fast of scripts/minimax.py.
  static constexpr double kLog[] = {0x1.5555555553923p-1, 0x1.999999a2a07adp-2,
                                    0x1.2492417030779p-2, 0x1.c7227c2500820p-3,
                                    0x1.732ba0f211253p-3, 0x1.587defbf4f345p-3};
  // 2^r = 1 + r P(r) on |r| <= 1/2, to 2^-40: row exp2_fast.
  static constexpr double kExp2[] = {
      0x1.62e42fef84c0bp-1,  0x1.ebfbdff81aeb3p-3,  0x1.c6b08dd7200b9p-5,  0x1.3b2ab72772617p-7,
      0x1.5d874572a6275p-10, 0x1.43088fb3b11e4p-13, 0x1.00dc71a2b7c92p-16, 0x1.63f1076956e6ap-20};
  // 2 atanh(s) = 2 s + s^3 (2/3 + s^2 P(s^2)), to 2^-72: row log_pow.
  static constexpr double kLogTail[] = {
      0x1.9999999999996p-2, 0x1.2492492492f53p-2, 0x1.c71c71c5962b6p-3, 0x1.745d1829933b2p-3,
      0x1.3b1364b6b8d06p-3, 0x1.112072391ebb7p-3, 0x1.de3cedec42397p-4, 0x1.eaca25c0544b3p-4};
  static constexpr double kTwoThirds = 0x1.5555555555555p-1;
  static constexpr double kTwoThirdsLow = 0x1.5555555555555p-55;
};

// x^y for x >= 0 that came from a float; the result is for narrowing to float.
template <class B>
V<B, double> PowPositiveFast(B& b, V<B, double> x, V<B, double> y) {
  using D = V<B, double>;
  LogReduced<B, double> split = SplitExponent<double>(b, x);
  D f = split.m - 1.0;
  D s = f / (f + 2.0);
  D z = s * s;
  D log = b.Fma(s * z, Horner<double>(b, z, PowTable::kLog), s + s);
  D log2 =
      b.Fma(log, Lit<double>(b, ExpTable<double>::kLog2E), SmallIntToFloat<double>(b, split.e));
  log2 = b.Select(x == 0.0, Lit<double>(b, -kInf<double>), log2);
  log2 = b.Select(x == kInf<double>, x, log2);
  D w = Limit<double>(b, y * log2, -400.0, 400.0);
  const double magic = FloatTraits<double>::kRoundMagic;
  D shifted = w + magic;
  D r = w - (shifted - magic);
  D p = b.Fma(r, Horner<double>(b, r, PowTable::kExp2), Lit<double>(b, 1.0));
  V<B, int64_t> n = As<int64_t>(b, shifted) - As<int64_t>(b, Lit<double>(b, magic));
  return p * PowerOfTwo<double>(b, n);
}

// log(x) for positive finite x, as an unevaluated sum.
template <class B>
Pair<B, double> LogInParts(B& b, V<B, double> x) {
  using D = V<B, double>;
  LogReduced<B, double> split = SplitAnyExponent<double>(b, x);
  D e = SmallIntToFloat<double>(b, split.e);
  D f = split.m - 1.0;
  // s = f / (2 + f)
  Pair<B, double> d = FastTwoSum<double>(b, Lit<double>(b, 2.0), f);
  D s = f / d.hi;
  D s_low = (b.Fma(-s, d.hi, f) - s * d.lo) / d.hi;
  // log(m) = 2 s + s z (2/3 + z (2/5 + ...)), z = s^2
  Pair<B, double> z = TwoProduct<double>(b, s, s);
  z.lo = b.Fma(s + s, s_low, z.lo);
  D inner = z.hi * Horner<double>(b, z.hi, PowTable::kLogTail);
  D two_thirds = Lit<double>(b, PowTable::kTwoThirds);
  Pair<B, double> u = FastTwoSum<double>(b, two_thirds, inner + PowTable::kTwoThirdsLow);
  Pair<B, double> v = TwoProduct<double>(b, z.hi, u.hi);
  v.lo = v.lo + b.Fma(z.hi, u.lo, z.lo * u.hi);
  Pair<B, double> t = TwoProduct<double>(b, s, v.hi);
  t.lo = t.lo + b.Fma(s, v.lo, s_low * v.hi);
  Pair<B, double> log_m = FastTwoSum<double>(b, s + s, t.hi);
  log_m.lo = log_m.lo + (t.lo + (s_low + s_low));
  Pair<B, double> sum = FastTwoSum<double>(b, e * ExpTable<double>::kLn2Hi, log_m.hi);
  D low = sum.lo + b.Fma(e, Lit<double>(b, ExpTable<double>::kLn2Lo), log_m.lo);
  return FastTwoSum<double>(b, sum.hi, low);
}

// x^y for x >= 0.
template <class B>
V<B, double> PowPositive(B& b, V<B, double> x, V<B, double> y) {
  using D = V<B, double>;
  using E = ExpTable<double>;
  Pair<B, double> log = LogInParts(b, x);
  V<B, bool> regular = (x > 0.0) & (x < kInf<double>);
  D log_special = b.Select(x == 0.0, Lit<double>(b, -kInf<double>), x);
  log.hi = b.Select(regular, log.hi, log_special);
  D w = y * log.hi;
  D w_low = b.Fma(y, log.hi, -w) + y * log.lo;
  w_low = b.Select(regular & (b.Abs(w) < 1000.0), w_low, Lit<double>(b, 0.0));
  ExpReduced<B, double> e = ReduceExp<double>(b, Limit<double>(b, w, E::kMin, E::kMax));
  // w_low may be large beside r.hi's last bit, so it goes into r.
  Pair<B, double> r = FastTwoSum<double>(b, e.r.hi, e.r.lo + w_low);
  D tail = b.Fma(r.hi * r.hi, Horner<double>(b, r.hi, E::kP), b.Fma(r.hi, r.lo, r.lo));
  return ScaleByPowerOfTwo<double>(b, (r.hi + tail) + 1.0, e.n);
}

template <class T, class B>
V<B, T> Pow(B& b, V<B, T> x, V<B, T> y) {
  V<B, T> a = b.Abs(x);
  V<B, T> one = Lit<T>(b, T{1});
  V<B, T> result = [&] {
    if constexpr (std::is_same_v<T, float>) {
      return b.template FloatConvert<float>(PowPositiveFast(b, b.template FloatConvert<double>(a),
                                                            b.template FloatConvert<double>(y)));
    } else {
      return PowPositive(b, a, y);
    }
  }();
  result = b.Select(a == T{1}, one, result);
  V<B, bool> whole = b.Trunc(y) == y;
  V<B, T> half = y * T(0.5);
  V<B, bool> odd = whole & (b.Trunc(half) != half);
  result = b.Select(SignBitSet<T>(b, x) & odd, -result, result);
  V<B, bool> no_root = (x < T{0}) & (x > -kInf<T>)&~whole;
  V<B, T> nan = Lit<T>(b, kNaN<T>);
  result = b.Select(no_root | IsNaN<T>(b, x) | IsNaN<T>(b, y), nan, result);
  return b.Select((y == T{0}) | (x == T{1}), one, result);
}

// power * base^exponent by squaring, over kBits bits of the exponent. The recursion unrolls it for
// good.
template <int kBits, class U, class B>
V<B, U> PowBySquaring(B& b, V<B, U> power, V<B, U> base, V<B, U> exponent) {
  if constexpr (kBits == 0) {
    return power;
  } else {
    V<B, U> next = b.Select(BitSet<0, U>(b, exponent), power * base, power);
    return PowBySquaring<kBits - 1, U>(b, next, base * base, exponent >> U{1});
  }
}

// x^n with wrapping. A negative power of 1 or -1 is 1 or -1, of anything else 0.
template <class T, class B>
V<B, T> IntegerPow(B& b, V<B, T> x, V<B, T> n) {
  using U = std::make_unsigned_t<T>;
  V<B, U> power = PowBySquaring<static_cast<int>(8 * sizeof(T)), U>(
      b, Lit<U>(b, 1), b.template IntConvert<U>(x), b.template IntConvert<U>(n));
  V<B, T> result = b.template IntConvert<T>(power);
  if constexpr (std::is_signed_v<T>) {
    V<B, T> t_zero = Lit<T>(b, 0), t_one = Lit<T>(b, 1), minus_one = Lit<T>(b, -1);
    V<B, T> sign = b.Select(BitSet<0, T>(b, n), minus_one, t_one);
    V<B, T> inverse = b.Select(x == t_one, t_one, b.Select(x == minus_one, sign, t_zero));
    result = b.Select(n < t_zero, inverse, result);
  }
  return result;
}

}  // namespace swage::math

#endif  // SWAGE_COMPILER_MATH_POW_H_
