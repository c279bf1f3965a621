// The text of literals, both ways.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/charconv.h"
#include "compiler/ir/float_bits.h"
#include "compiler/ir/literal.h"

namespace swage::ir {
namespace {

// Empty arrays print their nested braces as XLA does, up to this many; then just `{}`.
constexpr int64_t kMaxEmptyRows = 4096;

// NaN text is XLA's: `nan(0x401234)` holds the mantissa field when it is not the usual one.
std::string NanText(DType dtype, uint64_t bits) {
  const FloatFormat format = FormatOf(dtype);
  const bool negative = ((bits >> (format.exponent_bits + format.mantissa_bits)) & 1) != 0;
  std::string text = negative ? "-nan" : "nan";
  const uint64_t mask = (uint64_t{1} << format.mantissa_bits) - 1;
  if ((bits & mask) == (QuietNanBits(dtype) & mask)) return text;
  char hex[24];
  const auto end = std::to_chars(hex, hex + sizeof(hex), bits & mask, 16).ptr;
  return text + "(0x" + std::string(hex, end) + ")";
}

void AppendFloat(DType dtype, uint64_t bits, std::string* out) {
  if (IsNanBits(dtype, bits)) {
    out->append(NanText(dtype, bits));
    return;
  }
  const double value = DecodeFloat(dtype, bits);
  char digits[40];
  const auto end =
      dtype == DType::kF64
          ? std::to_chars(digits, digits + sizeof(digits), value).ptr
          : std::to_chars(digits, digits + sizeof(digits), static_cast<float>(value)).ptr;
  out->append(digits, end);
}

template <typename Float>
uint64_t BitsOf(Float value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  return bits;
}

class LiteralPrinter {
 public:
  explicit LiteralPrinter(std::string* out) : out_(out) {}

  void Print(const Literal& literal) {
    if (literal.is_tuple()) {
      out_->append("(");
      for (size_t i = 0; i < literal.elements().size(); ++i) {
        if (i > 0) out_->append(", ");
        Print(literal.elements()[i]);
      }
      out_->append(")");
      return;
    }
    if (literal.element_count() == 0 && EmptyRows(literal.shape()) > kMaxEmptyRows) {
      out_->append("{}");
      return;
    }
    next_ = 0;
    Array(literal, 0);
  }

 private:
  // How many braces stand for an array without elements.
  static int64_t EmptyRows(const Shape& shape) {
    int64_t rows = 1;
    for (Dim dim : shape.dims()) {
      if (*dim.static_value() == 0) return rows;
      if (__builtin_mul_overflow(rows, *dim.static_value(), &rows)) return kUnbounded;
    }
    return rows;
  }

  void Array(const Literal& literal, int level) {
    const Shape& shape = literal.shape();
    if (level == shape.rank()) {
      Element(literal, next_++);
      return;
    }
    const bool innermost = level + 1 == shape.rank();
    const int64_t extent = *shape.dim(level).static_value();
    out_->append(innermost || extent == 0 ? "{" : "{ ");
    for (int64_t i = 0; i < extent; ++i) {
      if (i > 0) out_->append(", ");
      Array(literal, level + 1);
    }
    out_->append(innermost || extent == 0 ? "}" : " }");
  }

  void Element(const Literal& literal, int64_t i) {
    const DType dtype = literal.dtype();
    if (IsFloat(dtype)) {
      AppendFloat(dtype, literal.GetBits(i), out_);
    } else if (dtype == DType::kC64) {
      const std::complex<float> value = literal.data<std::complex<float>>()[i];
      Complex(DType::kF32, BitsOf(value.real()), BitsOf(value.imag()));
    } else if (dtype == DType::kC128) {
      const std::complex<double> value = literal.data<std::complex<double>>()[i];
      Complex(DType::kF64, BitsOf(value.real()), BitsOf(value.imag()));
    } else if (dtype == DType::kPred && literal.shape().rank() == 0) {
      out_->append(literal.GetBits(i) != 0 ? "true" : "false");
    } else if (IsSigned(dtype)) {
      out_->append(std::to_string(literal.GetInt(i)));
    } else {
      out_->append(std::to_string(literal.GetBits(i)));
    }
  }

  void Complex(DType part, uint64_t real, uint64_t imaginary) {
    out_->append("(");
    AppendFloat(part, real, out_);
    out_->append(", ");
    AppendFloat(part, imaginary, out_);
    out_->append(")");
  }

  std::string* out_;
  int64_t next_ = 0;
};

class LiteralParser {
 public:
  LiteralParser(std::string_view text, size_t pos) : text_(text), pos_(pos) {}

  size_t pos() const { return pos_; }

  StatusOr<Literal> Parse(const Shape& shape) {
    if (shape.is_tuple()) return Tuple(shape);
    if (!shape.is_array()) return InvalidArgument("[constant] a token has no value");
    if (AtElided()) {
      return InvalidArgument("[constant] the value was elided ({...}) at offset ", pos_,
                             "; print the module with large constants and load that text");
    }
    SWAGE_ASSIGN_OR_RETURN(const int64_t count, shape.NumElements());
    if (static_cast<uint64_t>(count) > text_.size() - std::min(pos_, text_.size())) {
      return InvalidArgument("[constant] ", shape.ToString(false), " has ", count,
                             " elements, more than the rest of the text can hold");
    }
    SWAGE_ASSIGN_OR_RETURN(Literal literal, Literal::Create(shape));
    count_ = count;
    next_ = 0;
    out_ = literal.mutable_bytes().data();
    SWAGE_RETURN_IF_ERROR(Array(literal.shape(), 0));
    SWAGE_RET_CHECK(next_ == count);
    return literal;
  }

 private:
  char Peek() const { return pos_ < text_.size() ? text_[pos_] : '\0'; }
  void Skip() {
    while (pos_ < text_.size()) {
      const char c = text_[pos_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++pos_;
      } else if (c == '/' && text_.substr(pos_, 2) == "/*") {
        const size_t end = text_.find("*/", pos_ + 2);
        if (end == std::string_view::npos) return;
        pos_ = end + 2;
      } else {
        return;
      }
    }
  }
  bool Eat(char c) {
    Skip();
    if (pos_ >= text_.size() || text_[pos_] != c) return false;
    ++pos_;
    return true;
  }
  bool AtElided() {
    Skip();
    if (Peek() != '{') return false;
    const size_t dots = text_.find_first_not_of(" \n\t\r", pos_ + 1);
    return dots != std::string_view::npos && text_.substr(dots, 3) == "...";
  }
  Status Error(std::string_view expected) const {
    return InvalidArgument("[constant] expected ", ToAbsl(expected), " at offset ", pos_, ", got '",
                           ToAbsl(text_.substr(std::min(pos_, text_.size()), 16)), "'");
  }

  StatusOr<Literal> Tuple(const Shape& shape) {
    if (!Eat('(')) return Error("'(' of a tuple");
    std::vector<Literal> elements;
    for (int i = 0; i < shape.tuple_size(); ++i) {
      if (i > 0 && !Eat(',')) return Error("',' between tuple elements");
      SWAGE_ASSIGN_OR_RETURN(Literal element, Parse(shape.tuple_shape(i)));
      elements.push_back(std::move(element));
    }
    if (!Eat(')')) return Error("')' of a tuple");
    return Literal::Tuple(std::move(elements));
  }

  Status Array(const Shape& shape, int level) {
    if (level == shape.rank()) {
      const int width = DTypeBytes(shape.dtype());
      SWAGE_RETURN_IF_ERROR(Element(shape.dtype(), out_ + next_ * width));
      ++next_;
      return OkStatus();
    }
    if (!Eat('{')) return Error("'{'");
    const int64_t extent = *shape.dim(level).static_value();
    if (Eat('}')) {
      // `{}` stands for an empty array, whatever the extents before the one that is 0.
      if (count_ == 0) return OkStatus();
      return InvalidArgument("[constant] no elements in dimension ", level, " of ",
                             shape.ToString(false), " at offset ", pos_);
    }
    for (int64_t i = 0; i < extent; ++i) {
      if (i > 0 && !Eat(',')) {
        return InvalidArgument("[constant] dimension ", level, " of ", shape.ToString(false),
                               " has ", extent, " elements, got ", i, " at offset ", pos_);
      }
      SWAGE_RETURN_IF_ERROR(Array(shape, level + 1));
    }
    if (!Eat('}')) {
      return InvalidArgument("[constant] expected '}' after ", extent, " elements of dimension ",
                             level, " of ", shape.ToString(false), " at offset ", pos_);
    }
    return OkStatus();
  }

  Status Element(DType dtype, uint8_t* out) {
    Skip();
    if (IsComplex(dtype)) {
      const DType part = dtype == DType::kC64 ? DType::kF32 : DType::kF64;
      const bool pair = Eat('(');
      SWAGE_RETURN_IF_ERROR(Float(part, out));
      if (!pair) return OkStatus();
      if (!Eat(',')) return Error("',' between the parts of a complex number");
      SWAGE_RETURN_IF_ERROR(Float(part, out + DTypeBytes(part)));
      return Eat(')') ? OkStatus() : Error("')' of a complex number");
    }
    if (IsFloat(dtype)) return Float(dtype, out);
    if (dtype == DType::kPred) return Pred(out);
    return Integer(dtype, out);
  }

  bool EatWord(std::string_view word) {
    if (text_.substr(pos_, word.size()) != word) return false;
    const size_t end = pos_ + word.size();
    if (end < text_.size() && std::isalnum(static_cast<unsigned char>(text_[end])) != 0)
      return false;
    pos_ = end;
    return true;
  }

  Status Pred(uint8_t* out) {
    if (EatWord("true") || EatWord("1")) {
      *out = 1;
    } else if (EatWord("false") || EatWord("0")) {
      *out = 0;
    } else {
      return Error("true, false, 1 or 0");
    }
    return OkStatus();
  }

  // The characters of a number from here on.
  std::string_view NumberText() const {
    size_t end = pos_;
    while (end < text_.size() && end - pos_ < 2048 &&
           (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '.' ||
            text_[end] == '+' || text_[end] == '-')) {
      ++end;
    }
    return text_.substr(pos_, end - pos_);
  }

  Status Integer(DType dtype, uint8_t* out) {
    const std::string_view text = NumberText();
    const int bits = DTypeBits(dtype);
    uint64_t stored = 0;
    std::from_chars_result result;
    bool fits;
    if (IsSigned(dtype)) {
      int64_t value = 0;
      result = std::from_chars(text.data(), text.data() + text.size(), value);
      fits =
          bits == 64 || (value >= -(int64_t{1} << (bits - 1)) && value < int64_t{1} << (bits - 1));
      stored = static_cast<uint64_t>(value);
    } else {
      result = std::from_chars(text.data(), text.data() + text.size(), stored);
      fits = bits == 64 || stored >> bits == 0;
    }
    if (result.ec == std::errc::invalid_argument || result.ptr != text.data() + text.size()) {
      return Error("an integer");
    }
    if (!fits || result.ec == std::errc::result_out_of_range) {
      return InvalidArgument("[constant] ", ToAbsl(text), " at offset ", pos_, " does not fit in ",
                             ToAbsl(DTypeName(dtype)));
    }
    std::memcpy(out, &stored, DTypeBytes(dtype));
    pos_ += text.size();
    return OkStatus();
  }

  Status Float(DType dtype, uint8_t* out) {
    Skip();
    const size_t start = pos_;
    const bool negative = Eat('-');
    uint64_t bits = 0;
    if (EatWord("nan")) {
      SWAGE_ASSIGN_OR_RETURN(bits, NanBits(dtype));
      if (negative) bits |= uint64_t{1} << (DTypeBits(dtype) - 1);
    } else if (EatWord("inf") || EatWord("infinity")) {
      if (!FormatOf(dtype).has_infinity) {
        return InvalidArgument("[constant] ", ToAbsl(DTypeName(dtype)), " has no infinity (offset ",
                               start, ")");
      }
      bits = InfBits(dtype, negative);
    } else {
      pos_ = start;
      SWAGE_ASSIGN_OR_RETURN(bits, FiniteBits(dtype));
    }
    std::memcpy(out, &bits, DTypeBytes(dtype));
    return OkStatus();
  }

  StatusOr<uint64_t> FiniteBits(DType dtype) {
    const std::string_view text = NumberText();
    const char* first = text.data() + (!text.empty() && text[0] == '+' ? 1 : 0);
    const char* last = text.data() + text.size();
    // Abseil would also read hexadecimal and words.
    if (text.find_first_not_of("0123456789.eE+-") != std::string_view::npos)
      return Error("a number");
    uint64_t bits;
    bool out_of_range;
    if (dtype == DType::kF32) {
      float value = 0;
      const absl::from_chars_result result = absl::from_chars(first, last, value);
      if (result.ec == std::errc::invalid_argument || result.ptr != last) return Error("a number");
      out_of_range = result.ec == std::errc::result_out_of_range && std::abs(value) > 1;
      bits = BitsOf(value);
    } else {
      double value = 0;
      const absl::from_chars_result result = absl::from_chars(first, last, value);
      if (result.ec == std::errc::invalid_argument || result.ptr != last) return Error("a number");
      out_of_range = result.ec == std::errc::result_out_of_range && std::abs(value) > 1;
      bits = EncodeFloat(dtype, value);
      out_of_range |= IsInfBits(dtype, bits) || IsNanBits(dtype, bits);
    }
    if (out_of_range) {
      return InvalidArgument("[constant] ", ToAbsl(text), " at offset ", pos_,
                             " is out of range for ", ToAbsl(DTypeName(dtype)));
    }
    pos_ += text.size();
    return bits;
  }

  // After `nan`: nothing, or `(0x...)` with the mantissa field or with the whole number's bits.
  StatusOr<uint64_t> NanBits(DType dtype) {
    const uint64_t quiet = QuietNanBits(dtype);
    if (text_.substr(pos_, 3) != "(0x") return quiet;
    pos_ += 3;
    uint64_t payload = 0;
    const std::string_view text = NumberText();
    const auto result = std::from_chars(text.data(), text.data() + text.size(), payload, 16);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size()) {
      return Error("hex digits of a NaN's payload");
    }
    pos_ += text.size();
    if (!Eat(')')) return Error("')' of a NaN's payload");
    const uint64_t mantissa_mask = (uint64_t{1} << FormatOf(dtype).mantissa_bits) - 1;
    const uint64_t bits = payload <= mantissa_mask ? payload | (quiet & ~mantissa_mask) : payload;
    const int width = DTypeBits(dtype);
    if ((width < 64 && bits >> width != 0) || !IsNanBits(dtype, bits)) {
      return InvalidArgument("[constant] 0x", ToAbsl(text), " at offset ", pos_,
                             " is no payload of a NaN of ", ToAbsl(DTypeName(dtype)));
    }
    return bits;
  }

  std::string_view text_;
  size_t pos_;
  uint8_t* out_ = nullptr;
  int64_t count_ = 0;
  int64_t next_ = 0;
};

}  // namespace

std::string Literal::ToString() const {
  std::string out;
  LiteralPrinter(&out).Print(*this);
  return out;
}

StatusOr<Literal> ParseLiteral(std::string_view text, size_t* pos, const Shape& shape) {
  SWAGE_RETURN_IF_ERROR(shape.Check());
  LiteralParser parser(text, *pos);
  SWAGE_ASSIGN_OR_RETURN(Literal literal, parser.Parse(shape));
  *pos = parser.pos();
  return literal;
}

}  // namespace swage::ir
