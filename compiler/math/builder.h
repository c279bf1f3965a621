// File: compiler/math/builder.h
//
// The builder concept. Every elementwise function of Swage is written once, as a template over a
// builder B, and instantiated twice: HostBuilder computes in plain C++ (evaluator, constant
// folding), LlvmBuilder (codegen/emit) writes LLVM IR for one value or a vector of lanes. So what
// is folded is what is run, bit for bit but for the sign and payload of NaN.
//
//   B::Val<T>   a value of T in {bool, int8_t .. int64_t, uint8_t .. uint64_t, float, double}
//     + - *           floats round once, integers wrap;   / is for floats only
//     unary -         floats flip the sign bit, integers wrap
//     & | ^ ~         integers and bool
//     << >>           the caller keeps the count in [0, width); >> is arithmetic for signed T
//     < <= > >= == != to Val<bool>: IEEE for floats (!= is true for NaN), by T's signedness else
//   The right operand of a binary operator may be a plain constant of T, the left one too.
//
//   Const<T>(x)              a constant
//   Select(c, a, b)          a where c holds, else b; both are computed
//   Fma(a, b, c)             a * b + c, rounded once
//   Sqrt Abs Floor Ceil Trunc RoundEven CopySign(magnitude, sign)
//   Bitcast<U>(v)            the same bits
//   IntConvert<U>(v)         truncates, or extends by the signedness of v's type; from bool: 0 or 1
//   FloatConvert<U>(v)       float <-> double, rounded to nearest even
//   IntToFloat<U>(v)         rounded to nearest even
//   FloatToIntInRange<U>(v)  toward zero; the caller keeps the result in U's range
//   Ctlz(v) Popcount(v)      integers; Ctlz(0) is the width
//   SafeDiv(a, b) SafeRem(a, b)  integers; the caller excludes b = 0 and min / -1
//
// There is no control flow: every lane computes every path and selects.
#ifndef SWAGE_COMPILER_MATH_BUILDER_H_
#define SWAGE_COMPILER_MATH_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace swage::math {

template <class B, class T>
using V = typename B::template Val<T>;

// What the templates need to know of float and double.
template <class T>
struct FloatTraits;

template <>
struct FloatTraits<float> {
  using Bits = uint32_t;
  using Int = int32_t;
  static constexpr int kWidth = 32;
  static constexpr int kMantissaBits = 23;
  static constexpr int kBias = 127;
  // Adding it rounds to an integer, which then stands in the low bits.
  static constexpr float kRoundMagic = 0x1.8p23f;
};

template <>
struct FloatTraits<double> {
  using Bits = uint64_t;
  using Int = int64_t;
  static constexpr int kWidth = 64;
  static constexpr int kMantissaBits = 52;
  static constexpr int kBias = 1023;
  static constexpr double kRoundMagic = 0x1.8p52;
};

template <class T>
using BitsOf = typename FloatTraits<T>::Bits;
template <class T>
using IntOf = typename FloatTraits<T>::Int;

template <class T>
inline constexpr T kInf = std::numeric_limits<T>::infinity();
template <class T>
inline constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();
template <class T>
inline constexpr BitsOf<T> kSignBit = BitsOf<T>{1} << (FloatTraits<T>::kWidth - 1);

template <class T, class B>
V<B, T> Lit(B& b, T x) {
  return b.template Const<T>(x);
}

// The same bits as U.
template <class U, class B, class Value>
V<B, U> As(B& b, Value x) {
  return b.template Bitcast<U>(x);
}

// c[0] + c[1] x + c[2] x^2 ... The recursion unrolls it for good.
template <class T, size_t kFrom = 0, class B, size_t N>
V<B, T> Horner(B& b, V<B, T> x, const T (&c)[N]) {
  if constexpr (kFrom + 1 == N) {
    return Lit<T>(b, c[kFrom]);
  } else {
    return b.Fma(Horner<T, kFrom + 1>(b, x, c), x, Lit<T>(b, c[kFrom]));
  }
}

// 2^n for n in the range of normal exponents.
template <class T, class B>
V<B, T> PowerOfTwo(B& b, V<B, IntOf<T>> n) {
  using F = FloatTraits<T>;
  return As<T>(b, (n + IntOf<T>{F::kBias}) << IntOf<T>{F::kMantissaBits});
}

// An integer of T's width as T, for |n| < 2^22 (float) or 2^51 (double). 64-bit integers go by the
// mantissa of a large number: AVX2 has no such conversion.
template <class T, class B>
V<B, T> SmallIntToFloat(B& b, V<B, IntOf<T>> n) {
  if constexpr (std::is_same_v<T, float>) {
    return b.template IntToFloat<float>(n);
  } else {
    const double magic = FloatTraits<double>::kRoundMagic;
    return As<double>(b, n + As<int64_t>(b, Lit<double>(b, magic))) - magic;
  }
}

template <class T, class B>
V<B, bool> IsNaN(B&, V<B, T> x) {
  return x != x;
}

template <class T, class B>
V<B, bool> SignBitSet(B& b, V<B, T> x) {
  return As<IntOf<T>>(b, x) < IntOf<T>{0};
}

// Whether bit kBit of an integer is set; by way of the sign, which is what vector selects look at.
template <int kBit, class T, class B>
V<B, bool> BitSet(B& b, V<B, T> x) {
  using Signed = std::make_signed_t<T>;
  constexpr int kWidth = static_cast<int>(8 * sizeof(T));
  return b.template IntConvert<Signed>(x << T{kWidth - 1 - kBit}) < Signed{0};
}

// An unevaluated sum: hi is the sum rounded, lo what the rounding lost.
template <class B, class T>
struct Pair {
  V<B, T> hi;
  V<B, T> lo;
};

// a + b for |a| >= |b| or a = 0.
template <class T, class B>
Pair<B, T> FastTwoSum(B&, V<B, T> a, V<B, T> b) {
  V<B, T> hi = a + b;
  return {hi, b - (hi - a)};
}

template <class T, class B>
Pair<B, T> TwoSum(B&, V<B, T> a, V<B, T> b) {
  V<B, T> hi = a + b;
  V<B, T> back = hi - a;
  return {hi, (a - (hi - back)) + (b - back)};
}

template <class T, class B>
Pair<B, T> TwoProduct(B& b, V<B, T> x, V<B, T> y) {
  V<B, T> hi = x * y;
  return {hi, b.Fma(x, y, -hi)};
}

}  // namespace swage::math

#endif  // SWAGE_COMPILER_MATH_BUILDER_H_
