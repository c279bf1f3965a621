// File: compiler/math/small_float.h
//
// f16, bf16, f8e4m3fn and f8e5m2 as integers: widening to float and rounding from float and double
// by integer code, to nearest even, with denormals. Overflow gives infinity; f8e4m3fn has none and
// gives NaN. A double rounds once: it goes to float by rounding to odd, which keeps what the second
// rounding must know.
#ifndef SWAGE_COMPILER_MATH_SMALL_FLOAT_H_
#define SWAGE_COMPILER_MATH_SMALL_FLOAT_H_

#include "compiler/math/builder.h"

namespace swage::math {

// One sign bit, kExponentBits, kMantissaBits; kInfinity: the highest exponent means infinity and
// NaN (else only the code of all ones is NaN).
template <class Storage_, int kExponentBits_, int kMantissaBits_, bool kInfinity_>
struct SmallFormat {
  using Storage = Storage_;
  static constexpr int kExponentBits = kExponentBits_;
  static constexpr int kMantissaBits = kMantissaBits_;
  static constexpr bool kInfinity = kInfinity_;
  static constexpr int kWidth = 1 + kExponentBits + kMantissaBits;
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  static constexpr uint32_t kSign = 1u << (kWidth - 1);
  // The code of infinity, or of NaN where there is no infinity.
  static constexpr uint32_t kTop =
      kInfinity ? ((1u << kExponentBits) - 1) << kMantissaBits : kSign - 1;
  static constexpr uint32_t kNaNCode = kInfinity ? kTop | (1u << (kMantissaBits - 1)) : kTop;
};

using F16Format = SmallFormat<uint16_t, 5, 10, true>;
using BF16Format = SmallFormat<uint16_t, 8, 7, true>;
using F8E4M3FNFormat = SmallFormat<uint8_t, 4, 3, false>;
using F8E5M2Format = SmallFormat<uint8_t, 5, 2, true>;

// 2^n as float, for constants.
constexpr float ConstPowerOfTwo(int n) {
  float power = 1.0f;
  for (int i = 0; i < n; ++i) power *= 2.0f;
  for (int i = 0; i > n; --i) power *= 0.5f;
  return power;
}

template <class Format, class B>
V<B, float> WidenSmallFloat(B& b, V<B, typename Format::Storage> x) {
  using U = uint32_t;
  constexpr int kShift = 23 - Format::kMantissaBits;
  V<B, U> bits = b.template IntConvert<U>(x);
  if constexpr (Format::kBias == 127) {
    return As<float>(b, bits << U{kShift});
  } else {
    V<B, U> magnitude = bits & (Format::kSign - 1);
    V<B, U> sign = (bits & Format::kSign) << U{32 - Format::kWidth};
    V<B, U> shifted = magnitude << U{kShift};
    V<B, U> wide = shifted + (U{127 - Format::kBias} << 23);
    V<B, U> top = Format::kInfinity ? shifted | U{0x7f800000} : Lit<U>(b, 0x7fc00000);
    wide = b.Select(magnitude >= Format::kTop, top, wide);
    constexpr float kUnit = ConstPowerOfTwo(1 - Format::kBias - Format::kMantissaBits);
    V<B, float> denormal = b.template IntToFloat<float>(As<int32_t>(b, magnitude)) * kUnit;
    wide = b.Select(magnitude < U{1u << Format::kMantissaBits}, As<U>(b, denormal), wide);
    return As<float>(b, wide | sign);
  }
}

template <class Format, class B>
V<B, typename Format::Storage> NarrowToSmallFloat(B& b, V<B, float> x) {
  using U = uint32_t;
  constexpr int kShift = 23 - Format::kMantissaBits;
  V<B, U> bits = As<U>(b, x);
  V<B, U> magnitude = bits & U{0x7fffffff};
  V<B, U> sign = (bits >> U{32 - Format::kWidth}) & Format::kSign;
  // Half of the last kept bit, less one, and the last bit itself: ties go to even.
  V<B, U> rounded = magnitude + ((magnitude >> U{kShift}) & U{1}) + U{(1u << (kShift - 1)) - 1};
  V<B, U> code = (rounded >> U{kShift}) - (U{127 - Format::kBias} << Format::kMantissaBits);
  if constexpr (Format::kBias != 127) {
    code = b.Select(code > Format::kTop, Lit<U>(b, Format::kTop), code);
    // Adding a power of two whose last bit is the format's smallest denormal rounds there.
    constexpr float kMagic = ConstPowerOfTwo(1 - Format::kBias - Format::kMantissaBits + 23);
    constexpr U kFirstNormal = U{127 + 1 - Format::kBias} << 23;
    V<B, float> sum = As<float>(b, magnitude) + kMagic;
    V<B, U> denormal = As<U>(b, sum) - As<U>(b, Lit<float>(b, kMagic));
    code = b.Select(magnitude < kFirstNormal, denormal, code);
  }
  code = b.Select(magnitude > U{0x7f800000}, Lit<U>(b, Format::kNaNCode), code);
  return b.template IntConvert<typename Format::Storage>(code | sign);
}

// To float; an inexact result is the neighbour with an odd last bit.
template <class B>
V<B, float> RoundToOdd(B& b, V<B, double> x) {
  using U = uint32_t;
  V<B, float> nearest = b.template FloatConvert<float>(x);
  V<B, double> back = b.template FloatConvert<double>(nearest);
  V<B, U> bits = As<U>(b, nearest);
  V<B, U> toward_zero = b.Select(b.Abs(back) > b.Abs(x), bits - U{1}, bits);
  return As<float>(b, b.Select(back == x, bits, toward_zero | U{1}));
}

template <class Format, class B>
V<B, typename Format::Storage> NarrowToSmallFloat(B& b, V<B, double> x) {
  return NarrowToSmallFloat<Format>(b, RoundToOdd(b, x));
}

}  // namespace swage::math

#endif  // SWAGE_COMPILER_MATH_SMALL_FLOAT_H_
