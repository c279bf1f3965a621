// File: compiler/math/trig_reduction.h
//
// Reduces any finite |x| to x = n pi/2 + r with |r| <= pi/4 and r as an unevaluated sum of two T.
// Below a limit by Cody and Waite's method (pi/2 in three parts, fma), above it by Payne and
// Hanek's: the mantissa times those bits of 2/pi that matter at the exponent. Both are computed,
// one is selected.
#ifndef SWAGE_COMPILER_MATH_TRIG_REDUCTION_H_
#define SWAGE_COMPILER_MATH_TRIG_REDUCTION_H_

#include <array>
#include <utility>

#include "compiler/math/builder.h"

namespace swage::math {

template <class T>
struct TrigTable;

template <>
struct TrigTable<float> {
  static constexpr float kTwoOverPi = 0x1.45f306p-1f;
  static constexpr float kHalfPi[] = {0x1.921fb6p+0f, -0x1.777a5cp-25f, -0x1.ee59dap-50f};
  static constexpr float kCodyWaiteLimit = 0x1p16f;
  // The bits of 2/pi behind 25 zeros: word j of 32 bits starts at bit 32 j.
  static constexpr uint32_t kWords[] = {0x00000051, 0x7cc1b727, 0x220a94fe, 0x13abe8fa,
                                        0x9a6ee06d, 0xb14acc9e, 0x21c820ff};
};

template <>
struct TrigTable<double> {
  static constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  static constexpr double kHalfPi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                       -0x1.f1976b7ed8fbcp-110};
  static constexpr double kCodyWaiteLimit = 0x1p30;
  // The bits of 2/pi behind 54 zeros: word j of 64 bits starts at bit 64 j.
  static constexpr uint64_t kWords[] = {
      0x000000000000028b, 0xe60db9391054a7f0, 0x9d5f47d4d377036d, 0x8a5664f10e4107f9,
      0x458eaf7aef1586dc, 0x91b8e909374b8019, 0x24bba827464873f8, 0x77ac72c4a69cfba2,
      0x08d7d4baed1213a6, 0x71c09ad17df904e6, 0x4758e60d4ce7d272, 0x117e2ef7e4a0ec7f,
      0xe25fff7816603fbc, 0xbc462d6829b47db4, 0xd9fb3c9f2c26dd3d, 0x18fd9a797fa8b5d4,
      0x9eeb1faf97c5ecf4, 0x1ce7de294a4ba9af, 0xed7ec47e35742158};
};

template <class B, class T>
struct TrigReduced {
  V<B, IntOf<T>> n;  // only its low two bits count
  Pair<B, T> r;
};

namespace trig_internal {

// Halves the candidates by one bit of the index: word i or word i + 2^kBit.
template <class Bits, int kBit, class B, size_t N, size_t... kI>
std::array<V<B, Bits>, sizeof...(kI)> PickByBit(B& b, V<B, Bits> index,
                                                const std::array<V<B, Bits>, N>& words,
                                                std::index_sequence<kI...>) {
  V<B, bool> set = BitSet<kBit, Bits>(b, index);
  return {b.Select(set, words[kI + (1 << kBit)], words[kI])...};
}

// Four neighbouring words from word `index` on, highest bit of the index first.
template <class Bits, int kBit, class B, size_t N>
std::array<V<B, Bits>, 4> PickWords(B& b, V<B, Bits> index,
                                    const std::array<V<B, Bits>, N>& words) {
  if constexpr (kBit < 0) {
    return words;
  } else {
    return PickWords<Bits, kBit - 1>(
        b, index,
        PickByBit<Bits, kBit>(b, index, words, std::make_index_sequence<(1 << kBit) + 3>()));
  }
}

template <class T, class B, size_t... kI>
auto AllWords(B& b, std::index_sequence<kI...>) {
  using Bits = BitsOf<T>;
  return std::array<V<B, Bits>, sizeof...(kI)>{Lit<Bits>(b, TrigTable<T>::kWords[kI])...};
}

// The bits of kWords from bit `position` on, as three full words.
template <class T, int kIndexBits, class B>
std::array<V<B, BitsOf<T>>, 3> Window(B& b, V<B, BitsOf<T>> position) {
  using Bits = BitsOf<T>;
  constexpr int kWidth = FloatTraits<T>::kWidth;
  constexpr int kLogWidth = kWidth == 32 ? 5 : 6;
  const auto all = AllWords<T>(b, std::make_index_sequence<(1 << kIndexBits) + 3>());
  const auto words = PickWords<Bits, kIndexBits - 1>(b, position >> Bits{kLogWidth}, all);
  V<B, Bits> left = position & Bits{kWidth - 1};
  V<B, Bits> right = Lit<Bits>(b, kWidth - 1) - left;
  auto joined = [&](int i) { return (words[i] << left) | ((words[i + 1] >> Bits{1}) >> right); };
  return {joined(0), joined(1), joined(2)};
}

// The full product of a (below 2^53) and c, high and low word.
template <class B>
void WideMultiply(B& b, V<B, uint64_t> a, V<B, uint64_t> c, V<B, uint64_t>& high,
                  V<B, uint64_t>& low) {
  using U = uint64_t;
  constexpr U kLow = 0xffffffff;
  V<B, U> a0 = a & kLow, a1 = a >> U{32}, c0 = c & kLow, c1 = c >> U{32};
  V<B, U> low_low = a0 * c0;
  V<B, U> middle = a1 * c0 + (low_low >> U{32});
  V<B, U> carry = a0 * c1 + (middle & kLow);
  high = a1 * c1 + (middle >> U{32}) + (carry >> U{32});
  low = (carry << U{32}) | (low_low & kLow);
}

// The high half of x as a signed number, and the low half as an unsigned one, in double: set into
// the mantissa of 2^52, which is then subtracted.
template <class B>
V<B, double> HighWord(B& b, V<B, uint64_t> x) {
  constexpr uint64_t kMagic = 0x4330000000000000;
  V<B, uint64_t> biased = (x >> uint64_t{32}) ^ uint64_t { kMagic | 0x80000000 };
  return As<double>(b, biased) - (0x1p52 + 0x1p31);
}
template <class B>
V<B, double> LowWord(B& b, V<B, uint64_t> x) {
  constexpr uint64_t kMagic = 0x4330000000000000;
  return As<double>(b, (x & uint64_t{0xffffffff}) | kMagic) - 0x1p52;
}

// The fraction's first 64 bits suffice for float: no float is nearer than 2^-31 to a multiple.
template <class B>
TrigReduced<B, float> PayneHanek(B& b, V<B, float> x) {
  using U = uint64_t;
  V<B, uint32_t> bits = As<uint32_t>(b, x);
  V<B, uint32_t> mantissa = (bits & uint32_t{0x7fffff}) | uint32_t{0x800000};
  const auto window = Window<float, 2>(b, ((bits >> uint32_t{23}) - uint32_t{127}) & uint32_t{127});
  V<B, U> m = b.template IntConvert<U>(mantissa);
  V<B, U> top = b.template IntConvert<U>(mantissa * window[0]) << U{32};
  V<B, U> product = top + m * b.template IntConvert<U>(window[1]) +
                    ((m * b.template IntConvert<U>(window[2])) >> U{32});
  // Two bits of quadrant, 62 of fraction; a fraction of a half and above counts as negative.
  V<B, U> n = (product + (U{1} << 61)) >> U{62};
  V<B, U> fraction = product << U{2};
  V<B, double> r = b.Fma(HighWord(b, fraction), Lit<double>(b, 0x1p32), LowWord(b, fraction)) *
                   (TrigTable<double>::kHalfPi[0] * 0x1p-64);
  V<B, float> hi = b.template FloatConvert<float>(r);
  V<B, float> lo = b.template FloatConvert<float>(r - b.template FloatConvert<double>(hi));
  return {As<int32_t>(b, b.template IntConvert<uint32_t>(n)), {hi, lo}};
}

// No double is nearer than 2^-62 to a multiple, so 126 bits of fraction are kept.
template <class B>
TrigReduced<B, double> PayneHanek(B& b, V<B, double> x) {
  using U = uint64_t;
  V<B, U> bits = As<U>(b, x);
  V<B, U> m = (bits & U{0xfffffffffffff}) | U{0x10000000000000};
  const auto window = Window<double, 4>(b, ((bits >> U{52}) - U{1023}) & U{1023});
  V<B, U> high, low, low_high, unused;
  WideMultiply(b, m, window[1], high, low);
  WideMultiply(b, m, window[2], low_high, unused);
  high = high + m * window[0];
  V<B, U> sum = low + low_high;
  high = high + b.Select(sum < low, Lit<U>(b, 1), Lit<U>(b, 0));
  V<B, U> n = (high + (U{1} << 61)) >> U{62};
  V<B, U> first = (high << U{2}) | (sum >> U{62});
  V<B, U> second = sum << U{2};
  Pair<B, double> f =
      FastTwoSum<double>(b, HighWord(b, first) * 0x1p-32, LowWord(b, first) * 0x1p-64);
  V<B, double> rest = LowWord(b, second >> U{32}) * 0x1p-96 + LowWord(b, second) * 0x1p-128;
  f = FastTwoSum<double>(b, f.hi, f.lo + rest);
  Pair<B, double> r = TwoProduct<double>(b, f.hi, Lit<double>(b, TrigTable<double>::kHalfPi[0]));
  r.lo = r.lo + b.Fma(f.hi, Lit<double>(b, TrigTable<double>::kHalfPi[1]),
                      f.lo * TrigTable<double>::kHalfPi[0]);
  return {As<int64_t>(b, n), r};
}

template <class T, class B>
TrigReduced<B, T> CodyWaite(B& b, V<B, T> x) {
  using Table = TrigTable<T>;
  const T magic = FloatTraits<T>::kRoundMagic;
  V<B, T> shifted = b.Fma(x, Lit<T>(b, Table::kTwoOverPi), Lit<T>(b, magic));
  V<B, T> minus_n = magic - shifted;
  V<B, T> first = b.Fma(minus_n, Lit<T>(b, Table::kHalfPi[0]), x);  // exact
  Pair<B, T> second = TwoProduct<T>(b, minus_n, Lit<T>(b, Table::kHalfPi[1]));
  Pair<B, T> r = TwoSum<T>(b, first, second.hi);
  r.lo = b.Fma(minus_n, Lit<T>(b, Table::kHalfPi[2]), r.lo + second.lo);
  return {As<IntOf<T>>(b, shifted), r};
}

}  // namespace trig_internal

// For x >= 0; infinity and NaN give r = NaN.
template <class T, class B>
TrigReduced<B, T> ReduceTrig(B& b, V<B, T> x) {
  TrigReduced<B, T> near = trig_internal::CodyWaite<T>(b, x);
  TrigReduced<B, T> far = trig_internal::PayneHanek(b, x);
  V<B, bool> is_near = x < TrigTable<T>::kCodyWaiteLimit;
  V<B, T> hi = b.Select(is_near, near.r.hi, far.r.hi);
  hi = b.Select(x < kInf<T>, hi, Lit<T>(b, kNaN<T>));
  return {b.Select(is_near, near.n, far.n), {hi, b.Select(is_near, near.r.lo, far.r.lo)}};
}

}  // namespace swage::math

#endif  // SWAGE_COMPILER_MATH_TRIG_REDUCTION_H_
