// File: codegen/emit/emit_functor.h
//
// The template that emits an opcode's functor on one Elem; included by the files that instantiate
// it.
#ifndef SWAGE_CODEGEN_EMIT_EMIT_FUNCTOR_H_
#define SWAGE_CODEGEN_EMIT_EMIT_FUNCTOR_H_

#include "codegen/emit/functor_emitters.h"

namespace swage::emit {

template <class E, class Op>
llvm::Value* EmitMap(LlvmBuilder& b, Operands operands) {
  using T = typename E::T;
  auto value = [&](int i) { return b.Wrap<T>(operands[i]); };
  auto apply = [&](auto... x) { return math::WrapToBits<E>(b, Op::template Apply<E>(b, x...)).v; };
  if constexpr (Op::kArity == 1) return apply(value(0));
  if constexpr (Op::kArity == 2) return apply(value(0), value(1));
  if constexpr (Op::kArity == 3) return apply(value(0), value(1), value(2));
}

template <class E>
llvm::Value* EmitCompare(LlvmBuilder& b, ir::CompareDirection direction, Operands operands) {
  using T = typename E::T;
  const LlvmVal<T> x = b.Wrap<T>(operands[0]), y = b.Wrap<T>(operands[1]);
  return math::ops::DispatchDirection(direction, [&]<ir::CompareDirection kDirection>() {
    if constexpr (E::kIsPred) {
      return math::ops::Compare::ApplyToPred<kDirection>(b, x, y).v;
    } else {
      return math::ops::Compare::Apply<kDirection>(x, y).v;
    }
  });
}

template <class E>
llvm::Value* EmitFunctor(LlvmBuilder& b, ir::Opcode opcode, const math::ElementwiseAttrs& attrs,
                         Operands operands) {
  using math::ops::OpKind;
  llvm::Value* const none = nullptr;
  return math::DispatchFunctor(opcode, none, [&]<class Op>() -> llvm::Value* {
    if constexpr (!math::ops::kDefinedOn<Op, E>) {
      return nullptr;
    } else if constexpr (Op::kKind == OpKind::kMap) {
      return EmitMap<E, Op>(b, operands);
    } else if constexpr (Op::kKind == OpKind::kPredicate) {
      return Op::template Apply<E>(b, b.Wrap<typename E::T>(operands[0])).v;
    } else if constexpr (Op::kKind == OpKind::kCompare) {
      return EmitCompare<E>(b, attrs.compare.direction, operands);
    } else {
      return nullptr;
    }
  });
}

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_EMIT_FUNCTOR_H_
