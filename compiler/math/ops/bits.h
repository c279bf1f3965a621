// File: compiler/math/ops/bits.h
//
// Ops on bits. A shift by the width or more gives 0 (arithmetic right shift: the sign); a count
// counts as unsigned.
#ifndef SWAGE_COMPILER_MATH_OPS_BITS_H_
#define SWAGE_COMPILER_MATH_OPS_BITS_H_

#include "compiler/math/ops/op.h"

namespace swage::math::ops {

struct And : MapOp<2, kPred | kInt> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B&, V<B, typename E::T> x, V<B, typename E::T> y) {
    return x & y;
  }
};

struct Or : MapOp<2, kPred | kInt> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B&, V<B, typename E::T> x, V<B, typename E::T> y) {
    return x | y;
  }
};

struct Xor : MapOp<2, kPred | kInt> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B&, V<B, typename E::T> x, V<B, typename E::T> y) {
    return x ^ y;
  }
};

struct Not : MapOp<1, kPred | kInt> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B&, V<B, typename E::T> x) {
    return ~x;
  }
};

// The value's own bits, zero-extended (a negative s4 is kept sign-extended).
template <class E, class B>
V<B, std::make_unsigned_t<typename E::T>> OwnBits(B& b, V<B, typename E::T> x) {
  using U = std::make_unsigned_t<typename E::T>;
  V<B, U> bits = b.template IntConvert<U>(x);
  if constexpr (E::kBits < static_cast<int>(8 * sizeof(U))) {
    return bits & U((1u << E::kBits) - 1);
  } else {
    return bits;
  }
}

// A count that is safe to shift by, and whether the original was below the width.
template <class B, class U>
struct SafeCount {
  V<B, U> value;
  V<B, bool> in_range;
};

template <class E, class B>
SafeCount<B, std::make_unsigned_t<typename E::T>> MakeSafeCount(B& b, V<B, typename E::T> n) {
  using U = std::make_unsigned_t<typename E::T>;
  V<B, U> count = b.template IntConvert<U>(n);
  V<B, bool> in_range = count < Lit<U>(b, U(E::kBits));
  return {b.Select(in_range, count, Lit<U>(b, 0)), in_range};
}

struct ShiftLeft : MapOp<2, kInt> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x, V<B, typename E::T> n) {
    using T = typename E::T;
    auto count = MakeSafeCount<E>(b, n);
    return b.Select(count.in_range, x << b.template IntConvert<T>(count.value), Lit<T>(b, 0));
  }
};

struct ShiftRightLogical : MapOp<2, kInt> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x, V<B, typename E::T> n) {
    using T = typename E::T;
    auto count = MakeSafeCount<E>(b, n);
    V<B, T> shifted = b.template IntConvert<T>(OwnBits<E>(b, x) >> count.value);
    return b.Select(count.in_range, shifted, Lit<T>(b, 0));
  }
};

// The sign of an unsigned type is its highest bit.
struct ShiftRightArithmetic : MapOp<2, kInt> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x, V<B, typename E::T> n) {
    using T = typename E::T;
    using S = std::make_signed_t<T>;
    auto count = MakeSafeCount<E>(b, n);
    V<B, S> value = WrapToBits<Elem<S, E::kBits>>(b, b.template IntConvert<S>(x));
    V<B, S> last = Lit<S>(b, S(E::kBits - 1));
    V<B, S> amount = b.Select(count.in_range, b.template IntConvert<S>(count.value), last);
    return b.template IntConvert<T>(value >> amount);
  }
};

struct Clz : MapOp<1, kInt> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x) {
    using T = typename E::T;
    using U = std::make_unsigned_t<T>;
    constexpr U kUnused = 8 * sizeof(U) - E::kBits;
    return b.template IntConvert<T>(b.Ctlz(OwnBits<E>(b, x)) - kUnused);
  }
};

struct PopulationCount : MapOp<1, kInt> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x) {
    using T = typename E::T;
    return b.template IntConvert<T>(b.Popcount(OwnBits<E>(b, x)));
  }
};

}  // namespace swage::math::ops

#endif  // SWAGE_COMPILER_MATH_OPS_BITS_H_
