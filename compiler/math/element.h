// File: compiler/math/element.h
//
// What the elementwise functions know of an element type: ElementOf<DType> gives
//   Carried   the C++ type of the value between ops: bool for pred, an integer (s4 and u4 in a
//   byte,
//             sign- or zero-extended), float, double, or the bits of a small float
//   Storage   the same in memory (a byte for pred)
//   Compute   an Elem<T, bits>, in which ops compute: small floats compute in float
// and Load / Store go between Carried and Compute.
#ifndef SWAGE_COMPILER_MATH_ELEMENT_H_
#define SWAGE_COMPILER_MATH_ELEMENT_H_

#include <type_traits>

#include "compiler/ir/dtype.h"
#include "compiler/math/builder.h"
#include "compiler/math/small_float.h"

namespace swage::math {

template <class T_, int kBits_ = static_cast<int>(8 * sizeof(T_))>
struct Elem {
  using T = T_;
  static constexpr int kBits = kBits_;
  static constexpr bool kIsPred = std::is_same_v<T, bool>;
  static constexpr bool kIsFloat = std::is_floating_point_v<T>;
  static constexpr bool kIsInt = !kIsPred && !kIsFloat;
  static constexpr bool kIsSigned = std::is_signed_v<T>;
};

using PredElem = Elem<bool>;
using S4Elem = Elem<int8_t, 4>;
using U4Elem = Elem<uint8_t, 4>;

template <class T, class Compute_ = Elem<T>, class Format_ = void, class Storage_ = T>
struct ElementTraits {
  using Carried = T;
  using Storage = Storage_;
  using Compute = Compute_;
  using Format = Format_;  // of a small float
  static constexpr bool kSmallFloat = !std::is_void_v<Format>;
};

template <class Format>
using SmallFloatTraits = ElementTraits<typename Format::Storage, Elem<float>, Format>;

template <ir::DType D>
struct ElementOf;
template <>
struct ElementOf<ir::DType::kPred> : ElementTraits<bool, PredElem, void, uint8_t> {};
template <>
struct ElementOf<ir::DType::kS4> : ElementTraits<int8_t, S4Elem> {};
template <>
struct ElementOf<ir::DType::kS8> : ElementTraits<int8_t> {};
template <>
struct ElementOf<ir::DType::kS16> : ElementTraits<int16_t> {};
template <>
struct ElementOf<ir::DType::kS32> : ElementTraits<int32_t> {};
template <>
struct ElementOf<ir::DType::kS64> : ElementTraits<int64_t> {};
template <>
struct ElementOf<ir::DType::kU4> : ElementTraits<uint8_t, U4Elem> {};
template <>
struct ElementOf<ir::DType::kU8> : ElementTraits<uint8_t> {};
template <>
struct ElementOf<ir::DType::kU16> : ElementTraits<uint16_t> {};
template <>
struct ElementOf<ir::DType::kU32> : ElementTraits<uint32_t> {};
template <>
struct ElementOf<ir::DType::kU64> : ElementTraits<uint64_t> {};
template <>
struct ElementOf<ir::DType::kF8E4M3FN> : SmallFloatTraits<F8E4M3FNFormat> {};
template <>
struct ElementOf<ir::DType::kF8E5M2> : SmallFloatTraits<F8E5M2Format> {};
template <>
struct ElementOf<ir::DType::kF16> : SmallFloatTraits<F16Format> {};
template <>
struct ElementOf<ir::DType::kBF16> : SmallFloatTraits<BF16Format> {};
template <>
struct ElementOf<ir::DType::kF32> : ElementTraits<float> {};
template <>
struct ElementOf<ir::DType::kF64> : ElementTraits<double> {};

// The element types that elementwise functions know, as V(enumerator).
#define SWAGE_MATH_DTYPES(V) \
  V(Pred)                    \
  V(S4)                      \
  V(S8)                      \
  V(S16)                     \
  V(S32)                     \
  V(S64)                     \
  V(U4)                      \
  V(U8)                      \
  V(U16)                     \
  V(U32)                     \
  V(U64)                     \
  V(F8E4M3FN)                \
  V(F8E5M2)                  \
  V(F16)                     \
  V(BF16)                    \
  V(F32)                     \
  V(F64)

template <class Traits, class B>
V<B, typename Traits::Compute::T> Load(B& b, V<B, typename Traits::Carried> x) {
  if constexpr (Traits::kSmallFloat) {
    return WidenSmallFloat<typename Traits::Format>(b, x);
  } else {
    return x;
  }
}

template <class Traits, class B>
V<B, typename Traits::Carried> Store(B& b, V<B, typename Traits::Compute::T> x) {
  if constexpr (Traits::kSmallFloat) {
    return NarrowToSmallFloat<typename Traits::Format>(b, x);
  } else {
    return x;
  }
}

// A 4-bit integer wraps to 4 bits.
template <class E, class B>
V<B, typename E::T> WrapToBits(B& b, V<B, typename E::T> x) {
  using T = typename E::T;
  if constexpr (!E::kIsInt || E::kBits == 8 * sizeof(T)) {
    return x;
  } else if constexpr (E::kIsSigned) {
    constexpr T kShift = 8 * sizeof(T) - E::kBits;
    return (x << kShift) >> kShift;
  } else {
    return x & T((1 << E::kBits) - 1);
  }
}

}  // namespace swage::math

#endif  // SWAGE_COMPILER_MATH_ELEMENT_H_
