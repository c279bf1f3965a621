#include "compiler/learn/array_patterns.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace swage::learn {
namespace {

using ir::DType;
using ir::Literal;
using ir::Shape;

constexpr int kMaxOffset = 8;  // of a diagonal

int64_t ExtentOf(const Literal& literal, int d) { return *literal.shape().dim(d).static_value(); }

// Whether `part` is what `whole` has at the same indices.
bool Begins(const Literal& part, const Literal& whole) {
  const int rank = part.shape().rank();
  for (int d = 0; d < rank; ++d) {
    if (ExtentOf(part, d) > ExtentOf(whole, d)) return false;
  }
  const size_t size = ir::DTypeBytes(part.dtype());
  for (int64_t i = 0; i < part.element_count(); ++i) {
    int64_t rest = i, position = 0, stride = 1;
    for (int d = rank; d-- > 0;) {
      position += rest % ExtentOf(part, d) * stride;
      rest /= ExtentOf(part, d);
      stride *= ExtentOf(whole, d);
    }
    if (part.bytes().subspan(i * size, size) != whole.bytes().subspan(position * size, size)) {
      return false;
    }
  }
  return true;
}

absl::Span<const uint8_t> ElementBytes(const Literal& literal, int64_t i) {
  const size_t size = ir::DTypeBytes(literal.dtype());
  return literal.bytes().subspan(i * size, size);
}

// The three values of a literal if `offset` tells them apart; nullopt when they do not, or when one
// of the three parts is empty.
std::optional<Diagonal> DiagonalOf(const Literal& literal, int offset) {
  const int rank = literal.shape().rank();
  const int64_t rows = ExtentOf(literal, rank - 2), columns = ExtentOf(literal, rank - 1);
  int64_t first[3] = {-1, -1, -1};  // an element below, on, above
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    const int64_t distance = i % columns - i / columns % rows;
    int64_t& example = first[distance < offset ? 0 : distance == offset ? 1 : 2];
    if (example < 0) example = i;
    if (ElementBytes(literal, i) != ElementBytes(literal, example)) return std::nullopt;
  }
  if (first[0] < 0 || first[1] < 0 || first[2] < 0) return std::nullopt;
  return Diagonal{offset, literal.ElementAt(first[0]), literal.ElementAt(first[1]),
                  literal.ElementAt(first[2])};
}

}  // namespace

std::optional<Progression> FindProgression(const Literal& literal, int d) {
  const DType dtype = literal.dtype();
  if (!ir::IsInteger(dtype) && !ir::IsFloat(dtype)) return std::nullopt;
  const int64_t extent = ExtentOf(literal, d);
  if (literal.element_count() == 0 || extent < 2) return std::nullopt;
  int64_t stride = 1;
  for (int k = d + 1; k < literal.shape().rank(); ++k) stride *= ExtentOf(literal, k);
  const double start = literal.GetDouble(0), step = literal.GetDouble(stride) - start;
  const double last = std::abs(start) + std::abs(step) * static_cast<double>(extent);
  if (std::trunc(start) != start || std::trunc(step) != step || !(last <= kMaxExact)) {
    return std::nullopt;
  }
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    const double number = literal.GetDouble(i);
    const double wanted = start + step * static_cast<double>(i / stride % extent);
    if (number != wanted || std::signbit(number) != std::signbit(wanted)) return std::nullopt;
  }
  return Progression{start, step};
}

std::optional<Diagonal> FindDiagonal(absl::Span<const Literal> literals) {
  if (literals[0].shape().rank() < 2) return std::nullopt;
  for (int offset = -kMaxOffset; offset <= kMaxOffset; ++offset) {
    const std::optional<Diagonal> first = DiagonalOf(literals[0], offset);
    if (!first) continue;
    const bool all = std::all_of(literals.begin() + 1, literals.end(), [&](const Literal& other) {
      const std::optional<Diagonal> same = DiagonalOf(other, offset);
      return same && same->below == first->below && same->on == first->on &&
             same->above == first->above;
    });
    if (all) return first;
  }
  return std::nullopt;
}

const Literal* FindWhole(absl::Span<const Literal> literals) {
  const Literal* longest = &literals[0];
  for (const Literal& literal : literals) {
    if (literal.element_count() > longest->element_count()) longest = &literal;
  }
  const bool all = std::all_of(literals.begin(), literals.end(),
                               [&](const Literal& part) { return Begins(part, *longest); });
  return all ? longest : nullptr;
}

std::optional<Shape> BoundOfBeginning(absl::Span<const Literal> literals) {
  const auto is_all = [&](const auto& test) {
    return std::all_of(literals.begin(), literals.end(), test);
  };
  if (is_all([](const Literal& literal) { return literal.IsUniform(); })) return std::nullopt;
  for (int d = 0; d < literals[0].shape().rank(); ++d) {
    if (is_all([&](const Literal& l) { return FindProgression(l, d).has_value(); })) {
      return std::nullopt;
    }
  }
  if (FindDiagonal(literals).has_value()) return std::nullopt;
  const Literal* whole = FindWhole(literals);
  if (whole == nullptr) return std::nullopt;
  return whole->shape();
}

}  // namespace swage::learn
