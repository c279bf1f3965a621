// File: compiler/math/ops/float.h
//
// Ops on floats alone. Small floats compute in float and round once more, which is exact for the
// correctly rounded ones.
#ifndef SWAGE_COMPILER_MATH_OPS_FLOAT_H_
#define SWAGE_COMPILER_MATH_OPS_FLOAT_H_

#include "compiler/math/atan2.h"
#include "compiler/math/erf.h"
#include "compiler/math/exp.h"
#include "compiler/math/hyperbolic.h"
#include "compiler/math/log.h"
#include "compiler/math/ops/op.h"
#include "compiler/math/root.h"
#include "compiler/math/round.h"
#include "compiler/math/trig.h"

namespace swage::math::ops {

struct Atan2 : MapOp<2, kFloat> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> y, V<B, typename E::T> x) {
    return math::Atan2<typename E::T>(b, y, x);
  }
};

struct Cbrt : MapOp<1, kFloat> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x) {
    return math::Cbrt<typename E::T>(b, x);
  }
};

struct Ceil : MapOp<1, kFloat> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x) {
    return b.Ceil(x);
  }
};

struct Cos : MapOp<1, kFloat> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x) {
    return math::Cos<typename E::T>(b, x);
  }
};

struct Erf : MapOp<1, kFloat> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x) {
    return math::Erf<typename E::T>(b, x);
  }
};

struct Exp : MapOp<1, kFloat> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x) {
    return math::Exp<typename E::T>(b, x);
  }
};

struct Expm1 : MapOp<1, kFloat> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x) {
    return math::Expm1<typename E::T>(b, x);
  }
};

struct Floor : MapOp<1, kFloat> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x) {
    return b.Floor(x);
  }
};

struct Log : MapOp<1, kFloat> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x) {
    return math::Log<typename E::T>(b, x);
  }
};

struct Log1p : MapOp<1, kFloat> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x) {
    return math::Log1p<typename E::T>(b, x);
  }
};

struct Logistic : MapOp<1, kFloat> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x) {
    return math::Logistic<typename E::T>(b, x);
  }
};

struct RoundNearestAfz : MapOp<1, kFloat> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x) {
    return math::RoundNearestAfz<typename E::T>(b, x);
  }
};

struct RoundNearestEven : MapOp<1, kFloat> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x) {
    return b.RoundEven(x);
  }
};

struct Rsqrt : MapOp<1, kFloat> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x) {
    return math::Rsqrt<typename E::T>(b, x);
  }
};

struct Sin : MapOp<1, kFloat> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x) {
    return math::Sin<typename E::T>(b, x);
  }
};

struct Sqrt : MapOp<1, kFloat> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x) {
    return b.Sqrt(x);
  }
};

struct Tan : MapOp<1, kFloat> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x) {
    return math::Tan<typename E::T>(b, x);
  }
};

struct Tanh : MapOp<1, kFloat> {
  template <class E, class B>
  static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x) {
    return math::Tanh<typename E::T>(b, x);
  }
};

}  // namespace swage::math::ops

#endif  // SWAGE_COMPILER_MATH_OPS_FLOAT_H_
