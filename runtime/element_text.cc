#include "runtime/element_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>

#include "compiler/ir/float_bits.h"
#include "compiler/ir/shape.h"

namespace swage::runtime {
namespace {

constexpr int kPrecision = 8;  // most digits behind the point, as numpy

// A finite value as 0.d1d2d3... * 10^point with the fewest digits that read back to the same bits.
struct Decimal {
  bool negative = false;
  std::string digits;  // without leading or trailing zeros; "0" for zero
  int point = 1;
};

Decimal ToDecimal(double value, ir::DType dtype) {
  char text[40];
  if (dtype == ir::DType::kF64 || dtype == ir::DType::kC128) {
    *std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific).ptr = 0;
  } else if (!ir::IsSmallFloat(dtype)) {
    *std::to_chars(text, text + sizeof(text), static_cast<float>(value),
                   std::chars_format::scientific)
         .ptr = 0;
  } else {
    const uint64_t bits = ir::EncodeFloat(dtype, value);
    for (int digits = 0; digits < 9; ++digits) {
      std::snprintf(text, sizeof(text), "%.*e", digits, value);
      if (ir::EncodeFloat(dtype, std::strtod(text, nullptr)) == bits) break;
    }
  }
  Decimal decimal;
  const char* at = text;
  if (*at == '-') decimal.negative = true, ++at;
  for (; *at != 'e'; ++at) {
    if (*at != '.') decimal.digits.push_back(*at);
  }
  decimal.point = std::atoi(at + 1) + 1;
  while (decimal.digits.size() > 1 && decimal.digits.back() == '0') decimal.digits.pop_back();
  return decimal;
}

// The two sides of the point: "12" "5" for 12.5; "3" "" for 3.
struct Sides {
  std::string left, right;
};

Sides Positional(double value, ir::DType dtype) {
  const Decimal decimal = ToDecimal(value, dtype);
  const std::string& digits = decimal.digits;
  const int count = static_cast<int>(digits.size());
  Sides sides;
  if (value != 0 && count - decimal.point > kPrecision) {
    char text[400];
    std::snprintf(text, sizeof(text), "%.*f", kPrecision, value);
    const std::string all = text;
    const size_t dot = all.find('.');
    sides = {all.substr(0, dot), all.substr(dot + 1)};
    while (!sides.right.empty() && sides.right.back() == '0') sides.right.pop_back();
    return sides;
  }
  if (decimal.negative) sides.left = "-";
  if (value == 0) {
    sides.left += "0";
  } else if (decimal.point <= 0) {
    sides.left += "0";
    sides.right = std::string(-decimal.point, '0') + digits;
  } else if (decimal.point >= count) {
    sides.left += digits + std::string(decimal.point - count, '0');
  } else {
    sides.left += digits.substr(0, decimal.point);
    sides.right = digits.substr(decimal.point);
  }
  return sides;
}

struct Scientific {
  Sides mantissa;
  int exponent = 0;
};

Scientific ToScientific(double value, ir::DType dtype) {
  Decimal decimal = ToDecimal(value, dtype);
  if (static_cast<int>(decimal.digits.size()) > kPrecision + 1) {
    char text[40];
    std::snprintf(text, sizeof(text), "%.*e", kPrecision, value);
    decimal = ToDecimal(std::strtod(text, nullptr), ir::DType::kF64);
  }
  Scientific result;
  result.mantissa.left = decimal.negative ? "-" : "";
  result.mantissa.left += decimal.digits[0];
  result.mantissa.right = decimal.digits.substr(1);
  result.exponent = value == 0 ? 0 : decimal.point - 1;
  return result;
}

std::string ExponentText(int exponent) {
  char text[16];
  std::snprintf(text, sizeof(text), "e%c%02d", exponent < 0 ? '-' : '+', std::abs(exponent));
  return text;
}

std::string NonFiniteText(double value) {
  if (std::isnan(value)) return "nan";
  return value < 0 ? "-inf" : "inf";
}

std::string PadLeft(std::string text, size_t width) {
  if (text.size() >= width) return text;
  return std::string(width - text.size(), ' ') + text;
}

std::vector<std::string> FloatTexts(const std::vector<double>& values, ir::DType dtype) {
  double largest = 0, smallest = HUGE_VAL;
  for (double value : values) {
    if (!std::isfinite(value) || value == 0) continue;
    largest = std::max(largest, std::abs(value));
    smallest = std::min(smallest, std::abs(value));
  }
  const bool scientific =
      largest > 0 && (largest >= 1e8 || smallest < 1e-4 || largest / smallest > 1000);
  size_t left = 0, right = 0;
  for (double value : values) {
    if (!std::isfinite(value)) continue;
    const Sides sides = scientific ? ToScientific(value, dtype).mantissa : Positional(value, dtype);
    left = std::max(left, sides.left.size());
    right = std::max(right, sides.right.size());
  }
  std::vector<std::string> texts;
  size_t width = 0;
  for (double value : values) {
    std::string text;
    if (!std::isfinite(value)) {
      text = NonFiniteText(value);
    } else if (scientific) {
      const Scientific parts = ToScientific(value, dtype);
      text = PadLeft(parts.mantissa.left, left) + "." + parts.mantissa.right;
      text.append(right - parts.mantissa.right.size(), '0');
      text += ExponentText(parts.exponent);
    } else {
      const Sides sides = Positional(value, dtype);
      text = PadLeft(sides.left, left) + "." + sides.right;
      text.append(right - sides.right.size(), ' ');
    }
    width = std::max(width, text.size());
    texts.push_back(std::move(text));
  }
  for (std::string& text : texts) text = PadLeft(std::move(text), width);
  return texts;
}

template <typename T>
T Load(const void* data, int64_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + i * static_cast<int64_t>(sizeof(T)),
              sizeof(T));
  return value;
}

uint64_t LoadBits(const void* data, ir::DType dtype, int64_t i) {
  uint64_t bits = 0;
  const int bytes = ir::DTypeBytes(dtype);
  std::memcpy(&bits, static_cast<const char*>(data) + i * bytes, bytes);
  return bits;
}

// The real and, for complex numbers, the imaginary part.
std::complex<double> LoadFloat(const void* data, ir::DType dtype, int64_t i) {
  if (dtype == ir::DType::kC64) return Load<std::complex<float>>(data, i);
  if (dtype == ir::DType::kC128) return Load<std::complex<double>>(data, i);
  return ir::DecodeFloat(dtype, LoadBits(data, dtype, i));
}

std::string IntegerText(const void* data, ir::DType dtype, int64_t i) {
  const uint64_t bits = LoadBits(data, dtype, i);
  if (!ir::IsSigned(dtype)) return std::to_string(bits);
  const int unused = 64 - 8 * ir::DTypeBytes(dtype);
  return std::to_string(static_cast<int64_t>(bits << unused) >> unused);
}

std::string SignedPart(std::string text) { return text.front() == '-' ? text : "+" + text; }

std::string Trimmed(const std::string& text) { return text.substr(text.find_first_not_of(' ')); }

std::vector<std::string> ComplexTexts(const void* data, ir::DType dtype,
                                      const std::vector<int64_t>& positions) {
  std::vector<double> real, imaginary;
  for (int64_t i : positions) {
    const std::complex<double> value = LoadFloat(data, dtype, i);
    real.push_back(value.real());
    imaginary.push_back(value.imag());
  }
  std::vector<std::string> texts = FloatTexts(real, dtype);
  const std::vector<std::string> behind = FloatTexts(imaginary, dtype);
  for (size_t k = 0; k < texts.size(); ++k) {
    std::string part = SignedPart(Trimmed(behind[k]));
    const size_t end = part.find_last_not_of(' ') + 1;
    part.insert(end, "j");
    texts[k] += part;
  }
  return texts;
}

}  // namespace

std::vector<std::string> ElementTexts(const void* data, ir::DType dtype,
                                      const std::vector<int64_t>& positions) {
  std::vector<std::string> texts;
  if (dtype == ir::DType::kPred) {
    for (int64_t i : positions) texts.push_back(LoadBits(data, dtype, i) != 0 ? " True" : "False");
    return texts;
  }
  if (ir::IsInteger(dtype)) {
    size_t width = 0;
    for (int64_t i : positions) {
      texts.push_back(IntegerText(data, dtype, i));
      width = std::max(width, texts.back().size());
    }
    for (std::string& text : texts) text = PadLeft(std::move(text), width);
    return texts;
  }
  if (ir::IsComplex(dtype)) return ComplexTexts(data, dtype, positions);
  std::vector<double> values;
  for (int64_t i : positions) values.push_back(LoadFloat(data, dtype, i).real());
  return FloatTexts(values, dtype);
}

std::string ScalarText(const void* data, ir::DType dtype) {
  if (dtype == ir::DType::kPred) return LoadBits(data, dtype, 0) != 0 ? "True" : "False";
  if (!ir::IsFloat(dtype)) return Trimmed(ElementTexts(data, dtype, {0})[0]);
  const double value = LoadFloat(data, dtype, 0).real();
  if (!std::isfinite(value)) return NonFiniteText(value);
  const Decimal decimal = ToDecimal(value, dtype);
  const int exponent = decimal.point - 1;
  if (value != 0 && (exponent < -4 || exponent >= 16)) {
    std::string text = (decimal.negative ? "-" : "") + decimal.digits.substr(0, 1);
    if (decimal.digits.size() > 1) text += "." + decimal.digits.substr(1);
    return text + ExponentText(exponent);
  }
  std::string text = decimal.negative ? "-" : "";
  std::string digits = value == 0 ? "0" : decimal.digits;
  int point = value == 0 ? 1 : decimal.point;
  if (point <= 0) digits.insert(0, 1 - point, '0'), point = 1;
  if (point > static_cast<int>(digits.size())) digits.append(point - digits.size(), '0');
  text += digits.substr(0, point) + ".";
  const std::string right = digits.substr(point);
  return text + (right.empty() ? "0" : right);
}

}  // namespace swage::runtime
