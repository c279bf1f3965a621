// File: compiler/math/ops/special.h
//
// Ops whose operands and result differ in type, or that have attributes.
#ifndef SWAGE_COMPILER_MATH_OPS_SPECIAL_H_
#define SWAGE_COMPILER_MATH_OPS_SPECIAL_H_

#include "compiler/ir/attributes.h"
#include "compiler/math/convert.h"
#include "compiler/math/ops/op.h"
#include "compiler/math/round.h"

namespace swage::math::ops {

struct Compare : OpBase<OpKind::kCompare, 2, kAny> {
  template <ir::CompareDirection kDirection, class Value>
  static auto Apply(Value x, Value y) {
    using enum ir::CompareDirection;
    if constexpr (kDirection == kEq) return x == y;
    if constexpr (kDirection == kNe) return x != y;
    if constexpr (kDirection == kGe) return x >= y;
    if constexpr (kDirection == kGt) return x > y;
    if constexpr (kDirection == kLe) return x <= y;
    if constexpr (kDirection == kLt) return x < y;
  }

  // Pred compares as 0 and 1.
  template <ir::CompareDirection kDirection, class B>
  static V<B, bool> ApplyToPred(B& b, V<B, bool> x, V<B, bool> y) {
    return Apply<kDirection>(b.template IntConvert<uint8_t>(x), b.template IntConvert<uint8_t>(y));
  }

  // Signed is the integer type of the float's width, bits the float's.
  template <ir::CompareDirection kDirection, class Signed, class B>
  static V<B, bool> ApplyTotalOrder(B& b, V<B, Signed> x, V<B, Signed> y) {
    return Apply<kDirection>(TotalOrderKey<Signed>(b, x), TotalOrderKey<Signed>(b, y));
  }
};

// Instantiates fn<direction>() for a direction known at run time.
template <class Fn>
auto DispatchDirection(ir::CompareDirection direction, Fn&& fn) {
  using enum ir::CompareDirection;
  switch (direction) {
    case kEq:
      return fn.template operator()<kEq>();
    case kNe:
      return fn.template operator()<kNe>();
    case kGe:
      return fn.template operator()<kGe>();
    case kGt:
      return fn.template operator()<kGt>();
    case kLe:
      return fn.template operator()<kLe>();
    case kLt:
      break;
  }
  return fn.template operator()<kLt>();
}

struct Select : OpBase<OpKind::kSelect, 3, kAny> {};

struct Convert : OpBase<OpKind::kConvert, 1, kAny> {};

struct IsFinite : OpBase<OpKind::kPredicate, 1, kFloat> {
  template <class E, class B>
  static V<B, bool> Apply(B& b, V<B, typename E::T> x) {
    return b.Abs(x) < kInf<typename E::T>;
  }
};

// The bits of a float type: 1 sign, kExponentBits, kMantissaBits.
template <class Bits_, int kExponentBits_, int kMantissaBits_, bool kInfinity_>
struct FloatLayout {
  using Bits = Bits_;
  static constexpr int kExponentBits = kExponentBits_;
  static constexpr int kMantissaBits = kMantissaBits_;
  static constexpr Bits kSign = static_cast<Bits>(Bits{1} << (kExponentBits + kMantissaBits));
  static constexpr Bits kTop =
      kInfinity_ ? static_cast<Bits>(((Bits{1} << kExponentBits) - 1) << kMantissaBits) : kSign - 1;
};

template <class Traits>
struct LayoutOf {
  using Format = typename Traits::Format;
  using type = FloatLayout<typename Format::Storage, Format::kExponentBits, Format::kMantissaBits,
                           Format::kInfinity>;
};
template <>
struct LayoutOf<ElementOf<ir::DType::kF32>> {
  using type = FloatLayout<uint32_t, 8, 23, true>;
};
template <>
struct LayoutOf<ElementOf<ir::DType::kF64>> {
  using type = FloatLayout<uint64_t, 11, 52, true>;
};

// Rounds the mantissa to nearest even, then sends what the smaller exponent cannot hold as a normal
// number to infinity or signed zero. NaN stays (with no mantissa bits it becomes infinity).
struct ReducePrecision : OpBase<OpKind::kReducePrecision, 1, kFloat> {
  template <class Layout, class B>
  static V<B, typename Layout::Bits> Apply(B& b, V<B, typename Layout::Bits> x,
                                           const ir::ReducePrecisionAttrs& attrs) {
    using U = typename Layout::Bits;
    constexpr U kSign = Layout::kSign;
    constexpr U kTop = Layout::kTop;
    V<B, U> sign = x & kSign;
    V<B, U> magnitude = x & U(~kSign & (kSign - 1 + kSign));
    V<B, U> result = magnitude;
    if (const int drop = Layout::kMantissaBits - attrs.mantissa_bits; drop > 0) {
      const U last = U(U{1} << drop);
      V<B, U> odd = (magnitude >> U(drop)) & U{1};
      result = (magnitude + odd + U((last >> 1) - 1)) & U(~(last - 1));
    }
    if (attrs.exponent_bits < Layout::kExponentBits) {
      const int bias = (1 << (Layout::kExponentBits - 1)) - 1;
      const int reduced = (1 << (attrs.exponent_bits - 1)) - 1;
      const U above = U(U(bias + reduced + 1) << Layout::kMantissaBits);
      const U below = U(U(bias - reduced + 1) << Layout::kMantissaBits);
      result = b.Select(result >= Lit<U>(b, above), Lit<U>(b, kTop), result);
      result = b.Select(result < Lit<U>(b, below), Lit<U>(b, 0), result);
    }
    result = b.Select(result > Lit<U>(b, kTop), Lit<U>(b, kTop), result);
    V<B, bool> nan =
        kTop == U(kSign - 1) ? magnitude == Lit<U>(b, kTop) : magnitude > Lit<U>(b, kTop);
    V<B, U> nan_result = attrs.mantissa_bits > 0 ? magnitude : Lit<U>(b, kTop);
    return b.Select(nan, nan_result, result) | sign;
  }
};

}  // namespace swage::math::ops

#endif  // SWAGE_COMPILER_MATH_OPS_SPECIAL_H_
