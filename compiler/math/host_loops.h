// File: compiler/math/host_loops.h
//
// Templates of the inner loops; included by the files that instantiate them.
#ifndef SWAGE_COMPILER_MATH_HOST_LOOPS_H_
#define SWAGE_COMPILER_MATH_HOST_LOOPS_H_

#include "compiler/math/host_builder.h"
#include "compiler/math/host_kernels.h"

// Kernels are flattened: a call that is left in a loop keeps it scalar.
// The result may overwrite an operand, but only the element that is being read.
#define SWAGE_VECTOR_LOOP _Pragma("GCC ivdep")

namespace swage::math {

template <class T>
struct StorageOf {
  using type = T;
};
template <>
struct StorageOf<bool> {
  using type = uint8_t;
};

// A value as it lies in memory; pred is a byte, of which any nonzero value is true.
template <class T>
HostVal<T> FromMemory(typename StorageOf<T>::type x) {
  if constexpr (std::is_same_v<T, bool>) {
    return x != 0;
  } else {
    return x;
  }
}

template <class In, class Out, class Fn>
void UnaryLoop(const void* const* in, void* out, int64_t n, Fn fn) {
  const auto* x = static_cast<const typename StorageOf<In>::type*>(in[0]);
  auto* result = static_cast<typename StorageOf<Out>::type*>(out);
  SWAGE_VECTOR_LOOP
  for (int64_t i = 0; i < n; ++i) result[i] = fn(FromMemory<In>(x[i])).v;
}

template <class In, class Out, class Fn>
void BinaryLoop(const void* const* in, void* out, int64_t n, Fn fn) {
  const auto* x = static_cast<const typename StorageOf<In>::type*>(in[0]);
  const auto* y = static_cast<const typename StorageOf<In>::type*>(in[1]);
  auto* result = static_cast<typename StorageOf<Out>::type*>(out);
  SWAGE_VECTOR_LOOP
  for (int64_t i = 0; i < n; ++i) result[i] = fn(FromMemory<In>(x[i]), FromMemory<In>(y[i])).v;
}

template <class In, class Out, class Fn>
void TernaryLoop(const void* const* in, void* out, int64_t n, Fn fn) {
  const auto* x = static_cast<const typename StorageOf<In>::type*>(in[0]);
  const auto* y = static_cast<const typename StorageOf<In>::type*>(in[1]);
  const auto* z = static_cast<const typename StorageOf<In>::type*>(in[2]);
  auto* result = static_cast<typename StorageOf<Out>::type*>(out);
  SWAGE_VECTOR_LOOP
  for (int64_t i = 0; i < n; ++i) {
    result[i] = fn(FromMemory<In>(x[i]), FromMemory<In>(y[i]), FromMemory<In>(z[i])).v;
  }
}

template <class Op, class E>
[[gnu::flatten]] void MapKernel(const void* const* in, void* out, int64_t n,
                                const ElementwiseAttrs&) {
  using T = typename E::T;
  HostBuilder b;
  auto apply = [&](auto... x) { return WrapToBits<E>(b, Op::template Apply<E>(b, x...)); };
  if constexpr (Op::kArity == 1) UnaryLoop<T, T>(in, out, n, apply);
  if constexpr (Op::kArity == 2) BinaryLoop<T, T>(in, out, n, apply);
  if constexpr (Op::kArity == 3) TernaryLoop<T, T>(in, out, n, apply);
}

template <class Op, class E>
[[gnu::flatten]] void PredicateKernel(const void* const* in, void* out, int64_t n,
                                      const ElementwiseAttrs&) {
  HostBuilder b;
  UnaryLoop<typename E::T, bool>(in, out, n, [&](auto x) { return Op::template Apply<E>(b, x); });
}

template <ir::CompareDirection kDirection, class E>
void CompareKernel(const void* const* in, void* out, int64_t n, const ElementwiseAttrs&) {
  HostBuilder b;
  BinaryLoop<typename E::T, bool>(in, out, n, [&](auto x, auto y) {
    if constexpr (E::kIsPred) {
      return ops::Compare::ApplyToPred<kDirection>(b, x, y);
    } else {
      return ops::Compare::Apply<kDirection>(x, y);
    }
  });
}

// The kernel of an opcode on E; nullptr where the op is not defined.
template <class E>
HostKernel FindKernel(ir::Opcode opcode, const ElementwiseAttrs& attrs) {
  return DispatchFunctor(opcode, HostKernel{nullptr}, [&]<class Op>() -> HostKernel {
    if constexpr (!ops::kDefinedOn<Op, E>) {
      return nullptr;
    } else if constexpr (Op::kKind == ops::OpKind::kMap) {
      return MapKernel<Op, E>;
    } else if constexpr (Op::kKind == ops::OpKind::kPredicate) {
      return PredicateKernel<Op, E>;
    } else if constexpr (Op::kKind == ops::OpKind::kCompare) {
      return ops::DispatchDirection(attrs.compare.direction,
                                    []<ir::CompareDirection kDirection>() -> HostKernel {
                                      return CompareKernel<kDirection, E>;
                                    });
    } else {
      return nullptr;
    }
  });
}

}  // namespace swage::math

#endif  // SWAGE_COMPILER_MATH_HOST_LOOPS_H_
