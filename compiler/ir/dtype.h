// File: compiler/ir/dtype.h
//
// Element types, in XLA's names. One table gives each its text name, size in bits and kind.
// A 4-bit type takes one byte per element in memory.
#ifndef SWAGE_COMPILER_IR_DTYPE_H_
#define SWAGE_COMPILER_IR_DTYPE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace swage::ir {

enum class DTypeKind : uint8_t { kPred, kSigned, kUnsigned, kFloat, kComplex, kToken };

// V(enumerator, text name, bits, kind)
#define SWAGE_DTYPE_LIST(V)           \
  V(Pred, "pred", 8, Pred)            \
  V(S4, "s4", 4, Signed)              \
  V(S8, "s8", 8, Signed)              \
  V(S16, "s16", 16, Signed)           \
  V(S32, "s32", 32, Signed)           \
  V(S64, "s64", 64, Signed)           \
  V(U4, "u4", 4, Unsigned)            \
  V(U8, "u8", 8, Unsigned)            \
  V(U16, "u16", 16, Unsigned)         \
  V(U32, "u32", 32, Unsigned)         \
  V(U64, "u64", 64, Unsigned)         \
  V(F8E4M3FN, "f8e4m3fn", 8, Float)   \
  V(F8E5M2, "f8e5m2", 8, Float)       \
  V(F16, "f16", 16, Float)            \
  V(BF16, "bf16", 16, Float)          \
  V(F32, "f32", 32, Float)            \
  V(F64, "f64", 64, Float)            \
  V(C64, "c64", 64, Complex)          \
  V(C128, "c128", 128, Complex)       \
  V(Token, "token", 0, Token)

enum class DType : uint8_t {
#define SWAGE_DTYPE_ENUM(name, text, bits, kind) k##name,
  SWAGE_DTYPE_LIST(SWAGE_DTYPE_ENUM)
#undef SWAGE_DTYPE_ENUM
};

inline constexpr DType kAllDTypes[] = {
#define SWAGE_DTYPE_ENTRY(name, text, bits, kind) DType::k##name,
    SWAGE_DTYPE_LIST(SWAGE_DTYPE_ENTRY)
#undef SWAGE_DTYPE_ENTRY
};

// "f32" for DType::kF32.
std::string_view DTypeName(DType dtype);

// The dtype of a text name; nullopt when there is none.
std::optional<DType> ParseDType(std::string_view name);

// Width of the value in bits (4 for s4), and bytes per element in memory (1 for s4 and pred).
int DTypeBits(DType dtype);
int DTypeBytes(DType dtype);

DTypeKind KindOf(DType dtype);
inline bool IsFloat(DType t) { return KindOf(t) == DTypeKind::kFloat; }
inline bool IsSigned(DType t) { return KindOf(t) == DTypeKind::kSigned; }
inline bool IsUnsigned(DType t) { return KindOf(t) == DTypeKind::kUnsigned; }
inline bool IsInteger(DType t) { return IsSigned(t) || IsUnsigned(t); }
inline bool IsComplex(DType t) { return KindOf(t) == DTypeKind::kComplex; }
// Floats that are kept as integer bits and computed in f32: f16, bf16, f8e4m3fn, f8e5m2.
inline bool IsSmallFloat(DType t) { return IsFloat(t) && DTypeBits(t) < 32; }

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_DTYPE_H_
