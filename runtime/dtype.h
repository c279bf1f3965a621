// File: runtime/dtype.h
//
// Element types of tensors: swage::f32, swage::s32, swage::pred ... and which C++ type holds each.
//   bool pred; int8_t..int64_t s8..s64; uint8_t..uint64_t u8..u64; float f32; double f64;
//   swage::float16 f16; swage::bfloat16 bf16; swage::float8_e4m3fn; swage::float8_e5m2 (bits only)
#ifndef SWAGE_RUNTIME_DTYPE_H_
#define SWAGE_RUNTIME_DTYPE_H_

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "runtime/export.h"

namespace swage {

enum class DType : uint8_t {
  kPred,
  kS4,
  kS8,
  kS16,
  kS32,
  kS64,
  kU4,
  kU8,
  kU16,
  kU32,
  kU64,
  kF8E4M3FN,
  kF8E5M2,
  kF16,
  kBF16,
  kF32,
  kF64,
  kC64,
  kC128,
};

inline constexpr DType pred = DType::kPred;
inline constexpr DType s8 = DType::kS8, s16 = DType::kS16, s32 = DType::kS32, s64 = DType::kS64;
inline constexpr DType u8 = DType::kU8, u16 = DType::kU16, u32 = DType::kU32, u64 = DType::kU64;
inline constexpr DType f8e4m3fn = DType::kF8E4M3FN, f8e5m2 = DType::kF8E5M2;
inline constexpr DType f16 = DType::kF16, bf16 = DType::kBF16, f32 = DType::kF32, f64 = DType::kF64;

// "f32"; bytes per element (4-bit types and pred take one).
SWAGE_API std::string_view DTypeName(DType dtype);
SWAGE_API int DTypeBytes(DType dtype);

// Small floats on the host side: their bits, and conversion from and to float (nearest even).
struct SWAGE_API float16 {
  uint16_t bits = 0;
  float16() = default;
  explicit float16(float value);
  explicit operator float() const;
};
struct SWAGE_API bfloat16 {
  uint16_t bits = 0;
  bfloat16() = default;
  explicit bfloat16(float value);
  explicit operator float() const;
};
struct SWAGE_API float8_e4m3fn {
  uint8_t bits = 0;
  float8_e4m3fn() = default;
  explicit float8_e4m3fn(float value);
  explicit operator float() const;
};
struct SWAGE_API float8_e5m2 {
  uint8_t bits = 0;
  float8_e5m2() = default;
  explicit float8_e5m2(float value);
  explicit operator float() const;
};

// The dtype of a C++ element type: DTypeOf<float>() == f32. Other types do not compile.
template <typename T>
constexpr DType DTypeOf() {
  if constexpr (std::is_same_v<T, bool>)
    return DType::kPred;
  else if constexpr (std::is_same_v<T, float>)
    return DType::kF32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::kF64;
  else if constexpr (std::is_same_v<T, float16>)
    return DType::kF16;
  else if constexpr (std::is_same_v<T, bfloat16>)
    return DType::kBF16;
  else if constexpr (std::is_same_v<T, float8_e4m3fn>)
    return DType::kF8E4M3FN;
  else if constexpr (std::is_same_v<T, float8_e5m2>)
    return DType::kF8E5M2;
  else {
    static_assert(std::is_integral_v<T>, "no tensor element type for this C++ type");
    constexpr bool is_signed = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1)
      return is_signed ? DType::kS8 : DType::kU8;
    else if constexpr (sizeof(T) == 2)
      return is_signed ? DType::kS16 : DType::kU16;
    else if constexpr (sizeof(T) == 4)
      return is_signed ? DType::kS32 : DType::kU32;
    else
      return is_signed ? DType::kS64 : DType::kU64;
  }
}

}  // namespace swage

#endif  // SWAGE_RUNTIME_DTYPE_H_
