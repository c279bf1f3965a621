// File: compiler/math/ops/op.h
//
// What an elementwise functor looks like. The op table names one per elementwise opcode, in
// math::ops. A functor of kind kMap states where it is defined and how to compute it:
//
//   struct Exp : MapOp<1, kFloat> {
//     template <class E, class B>                       // E: an Elem (compiler/math/element.h)
//     static V<B, typename E::T> Apply(B& b, V<B, typename E::T> x);
//   };
//
// Operands and result have the same Elem; 4-bit integers are wrapped behind Apply. The other kinds
// have rules of their own in the two dispatchers (host_elementwise,
// codegen/emit/elementwise_emitter).
#ifndef SWAGE_COMPILER_MATH_OPS_OP_H_
#define SWAGE_COMPILER_MATH_OPS_OP_H_

#include "compiler/math/builder.h"
#include "compiler/math/element.h"

namespace swage::math::ops {

enum class OpKind {
  kMap,              // all of one element type
  kPredicate,        // one operand, result pred
  kCompare,          // CompareAttrs, result pred
  kSelect,           // pred, then two of one element type; bits are moved as they are
  kConvert,          // between any two element types
  kReducePrecision,  // ReducePrecisionAttrs; on the bits
};

// Kinds of element types.
inline constexpr unsigned kPred = 1;
inline constexpr unsigned kInt = 2;
inline constexpr unsigned kFloat = 4;
inline constexpr unsigned kNumber = kInt | kFloat;
inline constexpr unsigned kAny = kPred | kInt | kFloat;

template <OpKind kKind_, int kArity_, unsigned kDomain_>
struct OpBase {
  static constexpr OpKind kKind = kKind_;
  static constexpr int kArity = kArity_;
  static constexpr unsigned kDomain = kDomain_;
};

template <int kArity, unsigned kDomain>
using MapOp = OpBase<OpKind::kMap, kArity, kDomain>;

template <class E>
inline constexpr unsigned kKindOfElem = E::kIsPred  ? kPred
                                        : E::kIsInt ? kInt
                                                    : kFloat;

template <class Op, class E>
inline constexpr bool kDefinedOn = (Op::kDomain & kKindOfElem<E>) != 0;

}  // namespace swage::math::ops

#endif  // SWAGE_COMPILER_MATH_OPS_OP_H_
