// File: compiler/math/ops.h
//
// The functor of every elementwise opcode. The op table names it; a name of the table that has no
// functor is declared here and stays incomplete, so that the dispatchers can be generated from the
// whole table.
#ifndef SWAGE_COMPILER_MATH_OPS_H_
#define SWAGE_COMPILER_MATH_OPS_H_

#include <string_view>
#include <utility>

#include "compiler/ir/opcode.h"
#include "compiler/math/ops/arithmetic.h"
#include "compiler/math/ops/bits.h"
#include "compiler/math/ops/float.h"
#include "compiler/math/ops/special.h"

namespace swage::math {

namespace ops {
#define SWAGE_OP(name, text, arity, attrs, traits, shape, eval, padding, cost, emit, ...) \
  struct emit;
#include "compiler/ir/opcodes.def"
#undef SWAGE_OP
}  // namespace ops

// Attributes of the elementwise ops that have any.
struct ElementwiseAttrs {
  ir::CompareAttrs compare;
  ir::ReducePrecisionAttrs reduce_precision;
};

// Calls fn.operator()<Functor>() for an elementwise opcode and returns its result; for any other
// opcode returns `otherwise`.
template <class Result, class Fn>
Result DispatchFunctor(ir::Opcode opcode, Result otherwise, Fn&& fn) {
  auto call = [&]<bool kElementwise, class Functor>() -> Result {
    if constexpr (kElementwise) {
      return fn.template operator()<Functor>();
    } else {
      return std::move(otherwise);
    }
  };
  switch (opcode) {
#define SWAGE_OP(name, text, arity, attrs, traits, shape, eval, padding, cost, emit, ...) \
  case ir::Opcode::k##name:                                                               \
    return call.template operator()<std::string_view(#eval) == "Elementwise", ops::emit>();
#include "compiler/ir/opcodes.def"
#undef SWAGE_OP
  }
  return otherwise;
}

}  // namespace swage::math

#endif  // SWAGE_COMPILER_MATH_OPS_H_
