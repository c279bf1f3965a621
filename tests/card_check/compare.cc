#include "tests/card_check/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>

namespace swage::card {
namespace {

// A small float by the widths of its fields. `has_infinity`: the largest exponent is for infinity
// and NaN; else all bits set are NaN.
double SmallFloat(uint32_t bits, int exponent_bits, int mantissa_bits, bool has_infinity) {
  const uint32_t mantissa = bits & ((1u << mantissa_bits) - 1);
  const uint32_t exponent = bits >> mantissa_bits & ((1u << exponent_bits) - 1);
  const double sign = (bits >> (exponent_bits + mantissa_bits) & 1) != 0 ? -1 : 1;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  if (exponent == (1u << exponent_bits) - 1) {
    const bool all_set = mantissa == (1u << mantissa_bits) - 1;
    if (has_infinity ? mantissa != 0 : all_set) return std::nan("");
    if (has_infinity) return sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp((1u << mantissa_bits) + mantissa,
                           static_cast<int>(exponent) - bias - mantissa_bits);
}

struct Format {
  std::string_view name;
  size_t bytes;
  double (*value)(uint64_t bits);
};

constexpr Format kFloats[] = {
    {"f64", 8, [](uint64_t bits) { return std::bit_cast<double>(bits); }},
    {"f32", 4,
     [](uint64_t bits) -> double { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }},
    {"bf16", 2,
     [](uint64_t bits) -> double {
       return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
     }},
    {"f16", 2, [](uint64_t bits) { return SmallFloat(static_cast<uint32_t>(bits), 5, 10, true); }},
    {"f8e5m2", 1,
     [](uint64_t bits) { return SmallFloat(static_cast<uint32_t>(bits), 5, 2, true); }},
    {"f8e4m3fn", 1,
     [](uint64_t bits) { return SmallFloat(static_cast<uint32_t>(bits), 4, 3, false); }},
};

uint64_t BitsAt(std::string_view bytes, size_t width, size_t i) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + i * width, width);
  return bits;
}

double LargestOf(const Format& format, std::string_view bytes) {
  double largest = 0;
  for (size_t i = 0; i < bytes.size() / format.bytes; ++i) {
    const double value = std::abs(format.value(BitsAt(bytes, format.bytes, i)));
    if (std::isfinite(value)) largest = std::max(largest, value);
  }
  return largest;
}

std::string Text(size_t i, double got, double want, uint64_t got_bits, uint64_t want_bits) {
  char text[160];
  std::snprintf(text, sizeof(text), "element %zu: got %.9g (0x%llx), want %.9g (0x%llx)", i, got,
                static_cast<unsigned long long>(got_bits), want,
                static_cast<unsigned long long>(want_bits));
  return text;
}

}  // namespace

std::string FirstDifference(std::string_view dtype, std::string_view got, std::string_view want,
                            double tolerance) {
  if (got.size() != want.size()) return "sizes differ";
  if (got.empty() || std::memcmp(got.data(), want.data(), got.size()) == 0) return "";
  // Both parts of a complex number are compared.
  const std::string_view part = dtype == "c64" ? "f32" : dtype == "c128" ? "f64" : dtype;
  for (const Format& format : kFloats) {
    if (format.name != part) continue;
    const double allowed = tolerance > 0 ? tolerance * LargestOf(format, want) : 0;
    for (size_t i = 0; i < want.size() / format.bytes; ++i) {
      const uint64_t g = BitsAt(got, format.bytes, i), w = BitsAt(want, format.bytes, i);
      if (g == w) continue;
      const double x = format.value(g), y = format.value(w);
      if (std::isnan(x) && std::isnan(y)) continue;
      if (tolerance > 0 && std::abs(x - y) <= allowed) continue;
      return Text(i, x, y, g, w);
    }
    return "";
  }
  const auto at =
      static_cast<size_t>(std::mismatch(got.begin(), got.end(), want.begin()).first - got.begin());
  char text[80];
  std::snprintf(text, sizeof(text), "byte %zu: got 0x%02x, want 0x%02x", at,
                static_cast<uint8_t>(got[at]), static_cast<uint8_t>(want[at]));
  return text;
}

}  // namespace swage::card
