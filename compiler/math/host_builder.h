// File: compiler/math/host_builder.h
//
// The builder that computes at once, in plain C++. No operation is undefined behaviour, and all of
// it inlines, so that a loop over arrays becomes vector code.
#ifndef SWAGE_COMPILER_MATH_HOST_BUILDER_H_
#define SWAGE_COMPILER_MATH_HOST_BUILDER_H_

#include <bit>
#include <cstdint>
#include <type_traits>

#include "compiler/math/builder.h"

namespace swage::math {

namespace host_internal {

// The type in which T's integer arithmetic wraps without promotion to int.
template <class T>
struct WrapOf {
  using type = std::conditional_t<sizeof(T) < 4, uint32_t, std::make_unsigned_t<T>>;
};
template <>
struct WrapOf<bool> {
  using type = uint32_t;
};
template <>
struct WrapOf<float> {
  using type = float;
};
template <>
struct WrapOf<double> {
  using type = double;
};

}  // namespace host_internal

template <class T>
struct HostVal {
  using Wrap = typename host_internal::WrapOf<T>::type;

  T v;

  HostVal() = default;
  HostVal(T value) : v(value) {}  // NOLINT: a constant is a value

  friend HostVal operator+(HostVal a, HostVal b) { return T(Wrap(a.v) + Wrap(b.v)); }
  friend HostVal operator-(HostVal a, HostVal b) { return T(Wrap(a.v) - Wrap(b.v)); }
  friend HostVal operator*(HostVal a, HostVal b) { return T(Wrap(a.v) * Wrap(b.v)); }
  friend HostVal operator/(HostVal a, HostVal b) {
    static_assert(std::is_floating_point_v<T>, "integers divide by SafeDiv");
    return a.v / b.v;
  }
  HostVal operator-() const {
    if constexpr (std::is_floating_point_v<T>) {
      return -v;
    } else {
      return T(Wrap(0) - Wrap(v));
    }
  }

  friend HostVal operator&(HostVal a, HostVal b) { return T(a.v & b.v); }
  friend HostVal operator|(HostVal a, HostVal b) { return T(a.v | b.v); }
  friend HostVal operator^(HostVal a, HostVal b) { return T(a.v ^ b.v); }
  HostVal operator~() const {
    if constexpr (std::is_same_v<T, bool>) {
      return !v;
    } else {
      return T(~v);
    }
  }
  friend HostVal operator<<(HostVal a, HostVal b) { return T(Wrap(a.v) << b.v); }
  friend HostVal operator>>(HostVal a, HostVal b) { return T(a.v >> b.v); }

  friend HostVal<bool> operator<(HostVal a, HostVal b) { return a.v < b.v; }
  friend HostVal<bool> operator<=(HostVal a, HostVal b) { return a.v <= b.v; }
  friend HostVal<bool> operator>(HostVal a, HostVal b) { return a.v > b.v; }
  friend HostVal<bool> operator>=(HostVal a, HostVal b) { return a.v >= b.v; }
  friend HostVal<bool> operator==(HostVal a, HostVal b) { return a.v == b.v; }
  friend HostVal<bool> operator!=(HostVal a, HostVal b) { return a.v != b.v; }
};

class HostBuilder {
 public:
  template <class T>
  using Val = HostVal<T>;

  template <class T>
  HostVal<T> Const(T x) {
    return x;
  }

  template <class T>
  HostVal<T> Select(HostVal<bool> c, HostVal<T> a, HostVal<T> b) {
    return c.v ? a.v : b.v;
  }

  HostVal<float> Fma(HostVal<float> a, HostVal<float> b, HostVal<float> c) {
    return __builtin_fmaf(a.v, b.v, c.v);
  }
  HostVal<double> Fma(HostVal<double> a, HostVal<double> b, HostVal<double> c) {
    return __builtin_fma(a.v, b.v, c.v);
  }
  HostVal<float> Sqrt(HostVal<float> x) { return __builtin_sqrtf(x.v); }
  HostVal<double> Sqrt(HostVal<double> x) { return __builtin_sqrt(x.v); }
  HostVal<float> Abs(HostVal<float> x) { return __builtin_fabsf(x.v); }
  HostVal<double> Abs(HostVal<double> x) { return __builtin_fabs(x.v); }
  HostVal<float> Floor(HostVal<float> x) { return __builtin_floorf(x.v); }
  HostVal<double> Floor(HostVal<double> x) { return __builtin_floor(x.v); }
  HostVal<float> Ceil(HostVal<float> x) { return __builtin_ceilf(x.v); }
  HostVal<double> Ceil(HostVal<double> x) { return __builtin_ceil(x.v); }
  HostVal<float> Trunc(HostVal<float> x) { return __builtin_truncf(x.v); }
  HostVal<double> Trunc(HostVal<double> x) { return __builtin_trunc(x.v); }
  // The rounding mode is to nearest even wherever Swage computes.
  HostVal<float> RoundEven(HostVal<float> x) { return __builtin_nearbyintf(x.v); }
  HostVal<double> RoundEven(HostVal<double> x) { return __builtin_nearbyint(x.v); }
  HostVal<float> CopySign(HostVal<float> x, HostVal<float> sign) {
    return __builtin_copysignf(x.v, sign.v);
  }
  HostVal<double> CopySign(HostVal<double> x, HostVal<double> sign) {
    return __builtin_copysign(x.v, sign.v);
  }

  template <class U, class T>
  HostVal<U> Bitcast(HostVal<T> x) {
    return std::bit_cast<U>(x.v);
  }
  template <class U, class T>
  HostVal<U> IntConvert(HostVal<T> x) {
    return static_cast<U>(x.v);
  }
  template <class U, class T>
  HostVal<U> FloatConvert(HostVal<T> x) {
    return static_cast<U>(x.v);
  }
  template <class U, class T>
  HostVal<U> IntToFloat(HostVal<T> x) {
    return static_cast<U>(x.v);
  }
  template <class U, class T>
  HostVal<U> FloatToIntInRange(HostVal<T> x) {
    return static_cast<U>(x.v);
  }
  template <class T>
  HostVal<T> Ctlz(HostVal<T> x) {
    return static_cast<T>(std::countl_zero(static_cast<std::make_unsigned_t<T>>(x.v)));
  }
  template <class T>
  HostVal<T> Popcount(HostVal<T> x) {
    return static_cast<T>(std::popcount(static_cast<std::make_unsigned_t<T>>(x.v)));
  }
  template <class T>
  HostVal<T> SafeDiv(HostVal<T> a, HostVal<T> b) {
    return static_cast<T>(a.v / b.v);
  }
  template <class T>
  HostVal<T> SafeRem(HostVal<T> a, HostVal<T> b) {
    return static_cast<T>(a.v % b.v);
  }
};

}  // namespace swage::math

#endif  // SWAGE_COMPILER_MATH_HOST_BUILDER_H_
