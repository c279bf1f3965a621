// File: compiler/learn/array_patterns.h
//
// What arrays of different sizes may have in common: the patterns of array literals that can be
// made for any size.
#ifndef SWAGE_COMPILER_LEARN_ARRAY_PATTERNS_H_
#define SWAGE_COMPILER_LEARN_ARRAY_PATTERNS_H_

#include <optional>

#include "absl/types/span.h"
#include "compiler/ir/literal.h"

namespace swage::learn {

// Integers beyond are not exact in f64.
inline constexpr double kMaxExact = 9007199254740992.0;  // 2^53

// value = start + step * (index along dimension d), in integers that are all exact.
struct Progression {
  double start = 0;
  double step = 0;
};
std::optional<Progression> FindProgression(const ir::Literal& literal, int d);

// By how far the column is to the right of the row, in the last two dimensions: less than `offset`,
// just that, or more. Triangles and identities of numpy. One for all literals.
struct Diagonal {
  int offset = 0;
  ir::Literal below, on, above;
};
std::optional<Diagonal> FindDiagonal(absl::Span<const ir::Literal> literals);

// The literal that all others begin: they are what it has at the same indices. Null: there is none.
const ir::Literal* FindWhole(absl::Span<const ir::Literal> literals);

// When arrays of different sizes are the beginnings of one array, and nothing simpler: its shape,
// beyond which nothing is known.
std::optional<ir::Shape> BoundOfBeginning(absl::Span<const ir::Literal> literals);

}  // namespace swage::learn

#endif  // SWAGE_COMPILER_LEARN_ARRAY_PATTERNS_H_
