// File: compiler/ir/literal.h
//
// Literal: a value known at compile time, an array of static shape or a tuple of literals. Copies
// share one block of bytes; changing a literal that shares it copies first, so a literal never
// changes under another's feet.
//
// Elements lie in row-major order of the logical shape (a layout is dropped), DTypeBytes each: pred
// is one byte 0 or 1, s4 and u4 one byte each (s4 sign-extended), small floats their bits. Blocks
// are aligned to 64 bytes. Equality and hashes are of bits: -0.0 differs from +0.0, a NaN equals
// itself.
//
//   Literal half = Literal::Scalar(DType::kBF16, 0.5);
//   SWAGE_ASSIGN_OR_RETURN(Literal table, Literal::Create(shape));     // zeros
//   absl::Span<float> out = table.mutable_data<float>();
#ifndef SWAGE_COMPILER_IR_LITERAL_H_
#define SWAGE_COMPILER_IR_LITERAL_H_

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/hash.h"
#include "base/status.h"
#include "compiler/ir/dtype.h"
#include "compiler/ir/shape.h"

namespace swage::ir {

// No literal is larger; more is ResourceExhausted.
inline constexpr int64_t kMaxLiteralBytes = int64_t{16} << 30;

// Whether each byte is a value of `dtype`, where not every byte is: pred, s4, u4.
Status CheckElementBytes(DType dtype, absl::Span<const uint8_t> bytes);

class Literal {
 public:
  // The empty tuple.
  Literal();

  // All bits zero. `shape` must be static; layouts are dropped.
  static StatusOr<Literal> Create(const Shape& shape);
  // A copy of `bytes`, which must be exactly the array's dense size. A pred, s4 or u4 byte that is
  // out of range is an error.
  static StatusOr<Literal> FromBytes(const Shape& shape, absl::Span<const uint8_t> bytes);
  static Literal Tuple(std::vector<Literal> elements);

  // A scalar of `dtype` with this numeric value: floats round to nearest even; to an integer, a
  // float truncates and clamps (NaN is 0) and an integer wraps; to pred, anything but zero is true.
  template <typename T>
  static Literal Scalar(DType dtype, T value) {
    static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8);
    if constexpr (std::is_floating_point_v<T>) return FromDouble(dtype, value);
    if constexpr (std::is_signed_v<T>) return FromInt(dtype, value, value < 0);
    return FromInt(dtype, static_cast<int64_t>(static_cast<uint64_t>(value)), false);
  }
  static Literal Scalar(DType dtype, std::complex<double> value);
  // `count` equal elements' worth of `scalar` in `dims`.
  static StatusOr<Literal> Broadcast(const Literal& scalar, absl::Span<const Dim> dims);

  const Shape& shape() const { return shape_; }
  DType dtype() const { return shape_.dtype(); }
  bool is_tuple() const { return shape_.is_tuple(); }
  const std::vector<Literal>& elements() const { return elements_; }  // of a tuple
  int64_t element_count() const { return element_count_; }            // of an array

  absl::Span<const uint8_t> bytes() const { return {block_.get(), byte_size_}; }
  absl::Span<uint8_t> mutable_bytes();
  // sizeof(T) must be DTypeBytes: float for f32, uint16_t for bf16, std::complex<float> for c64.
  template <typename T>
  absl::Span<const T> data() const {
    CheckElementSize(sizeof(T));
    return {reinterpret_cast<const T*>(block_.get()), static_cast<size_t>(element_count_)};
  }
  template <typename T>
  absl::Span<T> mutable_data() {
    CheckElementSize(sizeof(T));
    return {reinterpret_cast<T*>(mutable_bytes().data()), static_cast<size_t>(element_count_)};
  }

  // One element, by row-major position: its stored bits, zero-extended (not for c128, which has 16
  // bytes), or its value. GetDouble of a complex is its real part; GetInt is exact for integers and
  // truncates and clamps floats.
  uint64_t GetBits(int64_t i) const;
  void SetBits(int64_t i, uint64_t bits);
  double GetDouble(int64_t i) const;
  int64_t GetInt(int64_t i) const;
  std::complex<double> GetComplex(int64_t i) const;

  // Whether all elements are equal, bit for bit; an empty array has none to be equal to, so false.
  bool IsUniform() const;
  bool IsAll(uint64_t bits) const;
  // Whether all elements are exactly `value`, bit for bit: IsAllValue(0.0) is false for -0.0, and
  // IsAllValue(0.1) is false for every f32.
  bool IsAllValue(double value) const;

  // The same bytes under another shape of equal dtype width and count; nothing is copied.
  StatusOr<Literal> Reshaped(const Shape& shape) const;
  // A scalar holding element i.
  Literal ElementAt(int64_t i) const;

  // Shape (without layout) and bits.
  Hash128 Hash() const;

  // HLO's text of the value: `1`, `-inf`, `{ {1, 2}, {3, 4} }`, `(1, {2})`; floats in the fewest
  // digits that read back to the same bits.
  std::string ToString() const;

  friend bool operator==(const Literal& a, const Literal& b);
  template <typename H>
  friend H AbslHashValue(H h, const Literal& literal) {
    return H::combine(std::move(h), literal.Hash());
  }

 private:
  static Literal FromDouble(DType dtype, double value);
  static Literal FromInt(DType dtype, int64_t bits, bool negative);
  static Literal Uninitialized(DType dtype);  // a scalar
  void CheckElementSize(size_t size) const;
  void AddToHash(Hasher* hasher) const;

  Shape shape_;
  std::shared_ptr<uint8_t[]> block_;
  size_t byte_size_ = 0;
  int64_t element_count_ = 0;
  std::vector<Literal> elements_;
};

// The arrays of a value, left to right.
std::vector<Literal> Leaves(const Literal& literal);
void AppendLeaves(const Literal& literal, std::vector<Literal>* leaves);
// The value of `shape` with these leaves; Take: with those from *next on, which is moved past them.
StatusOr<Literal> FromLeaves(const Shape& shape, absl::Span<const Literal> leaves);
StatusOr<Literal> TakeLeaves(const Shape& shape, absl::Span<const Literal> leaves, size_t* next);

// Parses the value of a constant of `shape` at text[*pos] and moves *pos past it: the inside of
// `constant(...)`. Memory is bounded by the length of the text. Elided values (`{...}`) are an
// error.
StatusOr<Literal> ParseLiteral(std::string_view text, size_t* pos, const Shape& shape);

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_LITERAL_H_
