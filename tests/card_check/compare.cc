#include "tests/card_check/compare.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>

#include "compiler/ir/dtype.h"
#include "compiler/ir/float_bits.h"

namespace swage::card {
namespace {

uint64_t BitsAt(std::string_view bytes, size_t width, size_t i) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + i * width, width);
  return bits;
}

double LargestOf(ir::DType dtype, std::string_view bytes) {
  const auto width = static_cast<size_t>(ir::DTypeBytes(dtype));
  double largest = 0;
  for (size_t i = 0; i < bytes.size() / width; ++i) {
    const double value = std::abs(ir::DecodeFloat(dtype, BitsAt(bytes, width, i)));
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

std::string FirstFloat(ir::DType dtype, std::string_view got, std::string_view want,
                       double tolerance) {
  const auto width = static_cast<size_t>(ir::DTypeBytes(dtype));
  const double allowed = tolerance > 0 ? tolerance * LargestOf(dtype, want) : 0;
  for (size_t i = 0; i < want.size() / width; ++i) {
    const uint64_t g = BitsAt(got, width, i), w = BitsAt(want, width, i);
    if (g == w) continue;
    const double x = ir::DecodeFloat(dtype, g), y = ir::DecodeFloat(dtype, w);
    if (std::isnan(x) && std::isnan(y)) continue;
    if (tolerance > 0 && std::abs(x - y) <= allowed) continue;
    return Text(i, x, y, g, w);
  }
  return "";
}

}  // namespace

std::string FirstDifference(std::string_view dtype, std::string_view got, std::string_view want,
                            double tolerance) {
  if (got.size() != want.size()) return "sizes differ";
  if (got.empty() || std::memcmp(got.data(), want.data(), got.size()) == 0) return "";
  // Both parts of a complex number are compared.
  const std::string_view part = dtype == "c64" ? "f32" : dtype == "c128" ? "f64" : dtype;
  const std::optional<ir::DType> type = ir::ParseDType(part);
  if (type.has_value() && ir::IsFloat(*type)) return FirstFloat(*type, got, want, tolerance);
  const auto at =
      static_cast<size_t>(std::mismatch(got.begin(), got.end(), want.begin()).first - got.begin());
  char text[80];
  std::snprintf(text, sizeof(text), "byte %zu: got 0x%02x, want 0x%02x", at,
                static_cast<uint8_t>(got[at]), static_cast<uint8_t>(want[at]));
  return text;
}

}  // namespace swage::card
