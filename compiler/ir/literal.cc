#include "compiler/ir/literal.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <new>

#include "compiler/ir/float_bits.h"

namespace swage::ir {
namespace {

constexpr std::align_val_t kBlockAlignment{64};

std::shared_ptr<uint8_t[]> AllocateBlock(size_t bytes) {
  void* block = ::operator new(std::max<size_t>(bytes, 1), kBlockAlignment, std::nothrow);
  if (block == nullptr) return nullptr;
  return std::shared_ptr<uint8_t[]>(static_cast<uint8_t*>(block),
                                    [](uint8_t* p) { ::operator delete(p, kBlockAlignment); });
}

// A float's value cut to an integer range: truncated, clamped, NaN is 0.
template <typename T>
T ClampTo(double value, T min, T max) {
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(min)) return min;
  if (value >= static_cast<double>(max)) return max;
  return static_cast<T>(value);
}

uint64_t LowBits(uint64_t value, int bits) {
  return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

// The stored byte(s) of an integer: wrapped to its width, and s4 sign-extended to its byte.
uint64_t StoredInteger(DType dtype, uint64_t value) {
  if (dtype == DType::kS4) {
    return LowBits(static_cast<uint64_t>(static_cast<int64_t>(value << 60) >> 60), 8);
  }
  return LowBits(value, DTypeBits(dtype));
}

uint64_t BitsOfDouble(DType dtype, double value) {
  if (IsFloat(dtype)) return EncodeFloat(dtype, value);
  if (dtype == DType::kPred) return value != 0 ? 1 : 0;
  const int bits = DTypeBits(dtype);
  if (IsUnsigned(dtype)) return ClampTo<uint64_t>(value, 0, LowBits(~uint64_t{0}, bits));
  const int64_t max = static_cast<int64_t>(LowBits(~uint64_t{0}, bits - 1));
  return StoredInteger(dtype, static_cast<uint64_t>(ClampTo<int64_t>(value, -max - 1, max)));
}

}  // namespace

Status CheckElementBytes(DType dtype, absl::Span<const uint8_t> bytes) {
  const bool is_signed = dtype == DType::kS4;
  if (dtype != DType::kPred && dtype != DType::kU4 && !is_signed) return OkStatus();
  const int max = dtype == DType::kPred ? 1 : is_signed ? 7 : 15;
  const int min = is_signed ? -8 : 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const int value = is_signed ? static_cast<int8_t>(bytes[i]) : bytes[i];
    if (value > max || value < min) {
      return InvalidArgument("got ", value, " at byte ", i, " of ", ToAbsl(DTypeName(dtype)),
                             " data, expected ", min, " to ", max);
    }
  }
  return OkStatus();
}

Literal::Literal() : shape_(Shape::Tuple({})) {}

StatusOr<Literal> Literal::Create(const Shape& shape) {
  SWAGE_RETURN_IF_ERROR(shape.Check());
  Literal literal;
  literal.shape_ = shape;
  literal.shape_.clear_layout();
  if (shape.is_token()) return InvalidArgument("[literal] a token has no value");
  SWAGE_ASSIGN_OR_RETURN(const int64_t total, shape.ByteSize());
  if (total > kMaxLiteralBytes) {
    return ResourceExhausted("[literal] ", shape.ToString(false), " takes ", total,
                             " bytes, the limit is ", kMaxLiteralBytes);
  }
  if (shape.is_tuple()) {
    for (const Shape& element : shape.tuple_shapes()) {
      SWAGE_ASSIGN_OR_RETURN(Literal part, Create(element));
      literal.elements_.push_back(std::move(part));
    }
    return literal;
  }
  literal.byte_size_ = static_cast<size_t>(total);
  literal.element_count_ = total / DTypeBytes(shape.dtype());
  literal.block_ = AllocateBlock(literal.byte_size_);
  if (literal.block_ == nullptr) {
    return ResourceExhausted("[literal] no memory for ", total, " bytes of ",
                             shape.ToString(false));
  }
  std::memset(literal.block_.get(), 0, literal.byte_size_);
  return literal;
}

StatusOr<Literal> Literal::FromBytes(const Shape& shape, absl::Span<const uint8_t> bytes) {
  if (!shape.is_array()) return InvalidArgument("[literal] ", shape.ToString(), " is no array");
  SWAGE_ASSIGN_OR_RETURN(const int64_t size, shape.ByteSize());
  if (static_cast<uint64_t>(size) != bytes.size()) {
    return InvalidArgument("[literal] ", shape.ToString(false), " takes ", size, " bytes, got ",
                           bytes.size());
  }
  if (const Status good = CheckElementBytes(shape.dtype(), bytes); !good.ok()) {
    return InvalidArgument("[literal] ", good.message());
  }
  SWAGE_ASSIGN_OR_RETURN(Literal literal, Create(shape));
  if (!bytes.empty()) std::memcpy(literal.block_.get(), bytes.data(), bytes.size());
  return literal;
}

Literal Literal::Tuple(std::vector<Literal> elements) {
  Literal literal;
  std::vector<Shape> shapes;
  for (const Literal& element : elements) shapes.push_back(element.shape());
  literal.shape_ = Shape::Tuple(std::move(shapes));
  literal.elements_ = std::move(elements);
  return literal;
}

Literal Literal::Uninitialized(DType dtype) {
  Literal literal;
  literal.shape_ = Shape::Scalar(dtype);
  literal.byte_size_ = DTypeBytes(dtype);
  literal.element_count_ = 1;
  literal.block_ = AllocateBlock(literal.byte_size_);
  SWAGE_CHECK(literal.block_ != nullptr);
  return literal;
}

Literal Literal::FromDouble(DType dtype, double value) {
  if (IsComplex(dtype)) return Scalar(dtype, std::complex<double>(value, 0));
  Literal literal = Uninitialized(dtype);
  literal.SetBits(0, BitsOfDouble(dtype, value));
  return literal;
}

Literal Literal::FromInt(DType dtype, int64_t bits, bool negative) {
  if (IsFloat(dtype) || IsComplex(dtype)) {
    // Past 2^53 the way through double would round twice. Rounding to odd first (keep 53 bits, the
    // last one set when any bit was dropped) leaves the one rounding to the narrower float right.
    uint64_t magnitude = negative ? uint64_t{0} - static_cast<uint64_t>(bits) : bits;
    if (dtype != DType::kF64 && dtype != DType::kC128 && magnitude >> 53 != 0) {
      magnitude = (magnitude & ~uint64_t{0x7ff}) | ((magnitude & 0x7ff) != 0 ? 0x800 : 0);
    }
    const double value = static_cast<double>(magnitude);
    return FromDouble(dtype, negative ? -value : value);
  }
  Literal literal = Uninitialized(dtype);
  literal.SetBits(0, dtype == DType::kPred ? bits != 0 : StoredInteger(dtype, bits));
  return literal;
}

Literal Literal::Scalar(DType dtype, std::complex<double> value) {
  if (!IsComplex(dtype)) return FromDouble(dtype, value.real());
  Literal literal = Uninitialized(dtype);
  if (dtype == DType::kC64) {
    literal.mutable_data<std::complex<float>>()[0] = {static_cast<float>(value.real()),
                                                      static_cast<float>(value.imag())};
  } else {
    literal.mutable_data<std::complex<double>>()[0] = value;
  }
  return literal;
}

StatusOr<Literal> Literal::Broadcast(const Literal& scalar, absl::Span<const Dim> dims) {
  SWAGE_RET_CHECK(scalar.shape().is_scalar());
  SWAGE_ASSIGN_OR_RETURN(Literal literal, Create(Shape::Array(scalar.dtype(), dims)));
  const size_t width = scalar.byte_size_;
  for (size_t at = 0; at < literal.byte_size_; at += width) {
    std::memcpy(literal.block_.get() + at, scalar.block_.get(), width);
  }
  return literal;
}

absl::Span<uint8_t> Literal::mutable_bytes() {
  SWAGE_CHECK(shape_.is_array());
  if (block_.use_count() != 1) {
    std::shared_ptr<uint8_t[]> copy = AllocateBlock(byte_size_);
    SWAGE_CHECK(copy != nullptr);
    std::memcpy(copy.get(), block_.get(), byte_size_);
    block_ = std::move(copy);
  }
  return {block_.get(), byte_size_};
}

void Literal::CheckElementSize(size_t size) const {
  SWAGE_CHECK(shape_.is_array() && size == static_cast<size_t>(DTypeBytes(shape_.dtype())));
}

uint64_t Literal::GetBits(int64_t i) const {
  SWAGE_CHECK(shape_.is_array() && i >= 0 && i < element_count_);
  const int width = DTypeBytes(shape_.dtype());
  SWAGE_CHECK(width <= 8);
  uint64_t bits = 0;
  std::memcpy(&bits, block_.get() + i * width, width);
  return bits;
}

void Literal::SetBits(int64_t i, uint64_t bits) {
  SWAGE_CHECK(shape_.is_array() && i >= 0 && i < element_count_);
  const int width = DTypeBytes(shape_.dtype());
  SWAGE_CHECK(width <= 8);
  std::memcpy(mutable_bytes().data() + i * width, &bits, width);
}

std::complex<double> Literal::GetComplex(int64_t i) const {
  SWAGE_CHECK(i >= 0 && i < element_count_);
  if (dtype() == DType::kC64) return data<std::complex<float>>()[i];
  if (dtype() == DType::kC128) return data<std::complex<double>>()[i];
  return GetDouble(i);
}

double Literal::GetDouble(int64_t i) const {
  if (IsComplex(dtype())) return GetComplex(i).real();
  if (IsFloat(dtype())) return DecodeFloat(dtype(), GetBits(i));
  if (IsSigned(dtype())) return static_cast<double>(GetInt(i));
  return static_cast<double>(GetBits(i));
}

int64_t Literal::GetInt(int64_t i) const {
  if (IsFloat(dtype()) || IsComplex(dtype())) {
    return ClampTo<int64_t>(GetDouble(i), kUnboundedBelow, kUnbounded);
  }
  const uint64_t bits = GetBits(i);
  if (!IsSigned(dtype())) return static_cast<int64_t>(bits);
  const int unused = 64 - 8 * DTypeBytes(dtype());
  return static_cast<int64_t>(bits << unused) >> unused;
}

bool Literal::IsUniform() const {
  if (!shape_.is_array() || element_count_ == 0) return false;
  const size_t width = byte_size_ / static_cast<size_t>(element_count_);
  // Each element equals the one before it.
  return std::memcmp(block_.get(), block_.get() + width, byte_size_ - width) == 0;
}

bool Literal::IsAll(uint64_t bits) const { return IsUniform() && GetBits(0) == bits; }

bool Literal::IsAllValue(double value) const {
  if (!IsUniform()) return false;
  const Literal wanted = FromDouble(dtype(), value);
  return ElementAt(0) == wanted &&
         std::bit_cast<uint64_t>(wanted.GetDouble(0)) == std::bit_cast<uint64_t>(value);
}

StatusOr<Literal> Literal::Reshaped(const Shape& shape) const {
  SWAGE_RETURN_IF_ERROR(shape.Check());
  SWAGE_RET_CHECK(shape_.is_array() && shape.is_array());
  SWAGE_ASSIGN_OR_RETURN(const int64_t count, shape.NumElements());
  if (count != element_count_ || DTypeBytes(shape.dtype()) != DTypeBytes(shape_.dtype())) {
    return InvalidArgument("[literal] ", shape_.ToString(), " cannot be seen as ",
                           shape.ToString(false));
  }
  Literal literal = *this;
  literal.shape_ = shape;
  literal.shape_.clear_layout();
  return literal;
}

Literal Literal::ElementAt(int64_t i) const {
  SWAGE_CHECK(shape_.is_array() && i >= 0 && i < element_count_);
  Literal scalar = Uninitialized(shape_.dtype());
  std::memcpy(scalar.block_.get(), block_.get() + i * scalar.byte_size_, scalar.byte_size_);
  return scalar;
}

void Literal::AddToHash(Hasher* hasher) const {
  hasher->Field(shape_.ToString(false));
  if (shape_.is_array()) {
    hasher->Field(std::string_view(reinterpret_cast<const char*>(block_.get()), byte_size_));
  }
  for (const Literal& element : elements_) element.AddToHash(hasher);
}

Hash128 Literal::Hash() const {
  Hasher hasher;
  AddToHash(&hasher);
  return hasher.Finish();
}

bool operator==(const Literal& a, const Literal& b) {
  if (!(a.shape_ == b.shape_) || a.byte_size_ != b.byte_size_) return false;
  if (a.block_ != b.block_ && a.byte_size_ > 0 &&
      std::memcmp(a.block_.get(), b.block_.get(), a.byte_size_) != 0) {
    return false;
  }
  return a.elements_ == b.elements_;
}

void AppendLeaves(const Literal& literal, std::vector<Literal>* leaves) {
  if (!literal.is_tuple()) {
    leaves->push_back(literal);
    return;
  }
  for (const Literal& element : literal.elements()) AppendLeaves(element, leaves);
}

std::vector<Literal> Leaves(const Literal& literal) {
  std::vector<Literal> leaves;
  AppendLeaves(literal, &leaves);
  return leaves;
}

StatusOr<Literal> TakeLeaves(const Shape& shape, absl::Span<const Literal> leaves, size_t* next) {
  if (!shape.is_tuple()) {
    if (*next >= leaves.size()) {
      return InvalidArgument("[literal] got ", leaves.size(), " values, expected more");
    }
    return leaves[(*next)++];
  }
  std::vector<Literal> elements;
  for (const Shape& element : shape.tuple_shapes()) {
    SWAGE_ASSIGN_OR_RETURN(elements.emplace_back(), TakeLeaves(element, leaves, next));
  }
  return Literal::Tuple(std::move(elements));
}

StatusOr<Literal> FromLeaves(const Shape& shape, absl::Span<const Literal> leaves) {
  size_t next = 0;
  SWAGE_ASSIGN_OR_RETURN(Literal value, TakeLeaves(shape, leaves, &next));
  if (next == leaves.size()) return value;
  return InvalidArgument("[literal] got ", leaves.size(), " values for ", shape.ToString(false),
                         ", expected ", next);
}

}  // namespace swage::ir
