// File: compiler/math/ops/arithmetic.h
//
// Arithmetic ops. Integers wrap; x / 0 is all ones, x % 0 is x, min / -1 is min, min % -1 is 0.
#ifndef SWAGE_COMPILER_MATH_OPS_ARITHMETIC_H_
#define SWAGE_COMPILER_MATH_OPS_ARITHMETIC_H_

#include "compiler/math/ops/op.h"
#include "compiler/math/pow.h"
#include "compiler/math/remainder.h"
#include "compiler/math/round.h"

namespace swage::math::ops {

struct Abs : MapOp<1, kNumber> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x) {
    using T = typename E::T;
    if constexpr (E::kIsFloat) {
      return b.Abs(x);
    } else if constexpr (E::kIsSigned) {
      return b.Select(x < Lit<T>(b, 0), -x, x);
    } else {
      return x;
    }
  }
};

struct Add : MapOp<2, kAny> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B&, V<B, typename E::T> x, V<B, typename E::T> y) {
    if constexpr (E::kIsPred) {
      return x | y;
    } else {
      return x + y;
    }
  }
};

struct Subtract : MapOp<2, kNumber> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B&, V<B, typename E::T> x, V<B, typename E::T> y) {
    return x - y;
  }
};

struct Multiply : MapOp<2, kAny> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B&, V<B, typename E::T> x, V<B, typename E::T> y) {
    if constexpr (E::kIsPred) {
      return x & y;
    } else {
      return x * y;
    }
  }
};

// An integer divisor that cannot trap, and where the original would have.
template <class B, class T>
struct SafeDivisor {
  V<B, T> value;
  V<B, bool> zero;
  V<B, bool> overflow;  // min / -1
};

template <class E, class B>
SafeDivisor<B, typename E::T> MakeSafeDivisor(B& b, V<B, typename E::T> x, V<B, typename E::T> y) {
  using T = typename E::T;
  V<B, bool> zero = y == Lit<T>(b, 0);
  V<B, bool> overflow = b.template Const<bool>(false);
  if constexpr (E::kIsSigned) {
    overflow = (x == Lit<T>(b, std::numeric_limits<T>::min())) & (y == Lit<T>(b, T(-1)));
  }
  return {b.Select(zero | overflow, Lit<T>(b, 1), y), zero, overflow};
}

struct Divide : MapOp<2, kNumber> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x, V<B, typename E::T> y) {
    using T = typename E::T;
    if constexpr (E::kIsFloat) {
      return x / y;
    } else {
      SafeDivisor<B, T> divisor = MakeSafeDivisor<E>(b, x, y);
      // On overflow min / 1 is the answer already.
      return b.Select(divisor.zero, Lit<T>(b, static_cast<T>(-1)), b.SafeDiv(x, divisor.value));
    }
  }
};

struct Remainder : MapOp<2, kNumber> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x, V<B, typename E::T> y) {
    using T = typename E::T;
    if constexpr (E::kIsFloat) {
      return math::Remainder<T>(b, x, y);
    } else {
      SafeDivisor<B, T> divisor = MakeSafeDivisor<E>(b, x, y);
      // On overflow min % 1 = 0 is the answer already.
      return b.Select(divisor.zero, x, b.SafeRem(x, divisor.value));
    }
  }
};

struct Negate : MapOp<1, kNumber> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B&, V<B, typename E::T> x) {
    return -x;
  }
};

struct Sign : MapOp<1, kNumber> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x) {
    using T = typename E::T;
    if constexpr (E::kIsFloat) {
      return SignOf<T>(b, x);
    } else {
      V<B, T> zero = Lit<T>(b, 0), one = Lit<T>(b, 1);
      V<B, T> sign = b.Select(x == zero, zero, one);
      if constexpr (E::kIsSigned) sign = b.Select(x < zero, Lit<T>(b, T(-1)), sign);
      return sign;
    }
  }
};

struct Maximum : MapOp<2, kAny> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x, V<B, typename E::T> y) {
    using T = typename E::T;
    if constexpr (E::kIsFloat) {
      return FloatMax<T>(b, x, y);
    } else if constexpr (E::kIsPred) {
      return x | y;
    } else {
      return b.Select(x > y, x, y);
    }
  }
};

struct Minimum : MapOp<2, kAny> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x, V<B, typename E::T> y) {
    using T = typename E::T;
    if constexpr (E::kIsFloat) {
      return FloatMin<T>(b, x, y);
    } else if constexpr (E::kIsPred) {
      return x & y;
    } else {
      return b.Select(x < y, x, y);
    }
  }
};

// Operands: low, x, high. Crossed bounds give high, as minimum(maximum(x, low), high) does.
struct Clamp : MapOp<3, kAny> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> low, V<B, typename E::T> x,
                                   V<B, typename E::T> high) {
    return Minimum::Apply<E>(b, Maximum::Apply<E>(b, x, low), high);
  }
};

struct Power : MapOp<2, kNumber> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x, V<B, typename E::T> y) {
    using T = typename E::T;
    if constexpr (E::kIsFloat) {
      return Pow<T>(b, x, y);
    } else {
      return IntegerPow<T>(b, x, y);
    }
  }
};

}  // namespace swage::math::ops

#endif  // SWAGE_COMPILER_MATH_OPS_ARITHMETIC_H_
