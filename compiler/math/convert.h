// File: compiler/math/convert.h
//
// Conversion between any two element types. Floats to integers truncate, saturate and send NaN to
// 0; integers and floats round once, to nearest even; to pred is x != 0; integers to integers wrap.
#ifndef SWAGE_COMPILER_MATH_CONVERT_H_
#define SWAGE_COMPILER_MATH_CONVERT_H_

#include "compiler/math/builder.h"
#include "compiler/math/element.h"
#include "compiler/math/small_float.h"

namespace swage::math {

namespace convert_internal {

// 2^n in T.
template <class T>
constexpr T Power(int n) {
  T power = 1;
  for (int i = 0; i < n; ++i) power *= 2;
  return power;
}

// To: an integer Elem.
template <class To, class T, class B>
V<B, typename To::T> FloatToInt(B& b, V<B, T> x) {
  using U = typename To::T;
  constexpr int kValueBits = To::kIsSigned ? To::kBits - 1 : To::kBits;
  constexpr T kAbove = Power<T>(kValueBits);  // the first value out of range
  constexpr T kLowest = To::kIsSigned ? -kAbove : T{0};
  constexpr U kMax = static_cast<U>(~uint64_t{0} >> (64 - kValueBits));
  constexpr U kMin = To::kIsSigned ? static_cast<U>(-static_cast<int64_t>(kMax) - 1) : U{0};
  // Narrow integers go by way of int32, which vectors convert to.
  using Wide = std::conditional_t<(sizeof(U) < 4), int32_t, U>;
  V<B, bool> in_range = (x >= kLowest) & (x < kAbove);  // false for NaN
  V<B, T> safe = b.Select(in_range, x, Lit<T>(b, T{0}));
  V<B, U> result = b.template IntConvert<U>(b.template FloatToIntInRange<Wide>(safe));
  result = b.Select(x >= kAbove, Lit<U>(b, kMax), result);
  return b.Select(x < kLowest, Lit<U>(b, kMin), result);
}

// An integer as a double that differs only below the 53rd bit, where it is rounded to odd.
template <class T, class B>
V<B, double> IntToDoubleOdd(B& b, V<B, T> x) {
  if constexpr (sizeof(T) < 8) {
    return b.template IntToFloat<double>(x);
  } else {
    using U = uint64_t;
    V<B, U> bits = b.template IntConvert<U>(x);
    V<B, U> zero = Lit<U>(b, 0);
    V<B, U> magnitude = bits;
    if constexpr (std::is_signed_v<T>) {
      magnitude = b.Select(x < Lit<T>(b, 0), zero - bits, bits);
    }
    V<B, U> sticky = b.Select((magnitude & U{0x7ff}) != zero, Lit<U>(b, 0x800), zero);
    V<B, U> odd = (magnitude & U{~U{0x7ff}}) | sticky;
    V<B, U> exact = b.Select(magnitude < U{U{1} << 53}, magnitude, odd);
    V<B, double> result = b.template IntToFloat<double>(exact);
    if constexpr (std::is_signed_v<T>) {
      result = b.Select(x < Lit<T>(b, 0), -result, result);
    }
    return result;
  }
}

// From: an integer Elem; To: element traits of a float.
template <class From, class To, class B>
V<B, typename To::Carried> IntToAnyFloat(B& b, V<B, typename From::T> x) {
  if constexpr (!To::kSmallFloat) {
    return b.template IntToFloat<typename To::Carried>(x);
  } else if constexpr (sizeof(typename From::T) < 4) {
    return NarrowToSmallFloat<typename To::Format>(b, b.template IntToFloat<float>(x));
  } else {
    return NarrowToSmallFloat<typename To::Format>(b, IntToDoubleOdd<typename From::T>(b, x));
  }
}

}  // namespace convert_internal

// From: the compute element of the source (a small float is widened first); To: element traits.
template <class From, class To, class B>
V<B, typename To::Carried> ConvertFrom(B& b, V<B, typename From::T> x) {
  using T = typename From::T;
  using ToElem = typename To::Compute;
  using U = typename To::Carried;
  if constexpr (std::is_same_v<From, ToElem> && !To::kSmallFloat) {
    return x;
  } else if constexpr (ToElem::kIsPred) {
    return x != Lit<T>(b, T{0});
  } else if constexpr (From::kIsPred && ToElem::kIsFloat) {
    using F = typename ToElem::T;
    return Store<To>(b, b.Select(x, Lit<F>(b, F{1}), Lit<F>(b, F{0})));
  } else if constexpr (ToElem::kIsInt && From::kIsFloat) {
    return convert_internal::FloatToInt<ToElem, T>(b, x);
  } else if constexpr (ToElem::kIsInt) {
    return WrapToBits<ToElem>(b, b.template IntConvert<U>(x));
  } else if constexpr (From::kIsInt) {
    return convert_internal::IntToAnyFloat<From, To>(b, x);
  } else if constexpr (To::kSmallFloat) {
    return NarrowToSmallFloat<typename To::Format>(b, x);
  } else {
    return b.template FloatConvert<U>(x);
  }
}

// Between element traits.
template <class From, class To, class B>
V<B, typename To::Carried> ConvertElement(B& b, V<B, typename From::Carried> x) {
  if constexpr (std::is_same_v<From, To>) {
    return x;
  } else {
    return ConvertFrom<typename From::Compute, To>(b, Load<From>(b, x));
  }
}

}  // namespace swage::math

#endif  // SWAGE_COMPILER_MATH_CONVERT_H_
