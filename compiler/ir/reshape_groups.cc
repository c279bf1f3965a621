#include "compiler/ir/reshape_groups.h"

#include <algorithm>
#include <utility>

namespace swage::ir {
namespace {

// Products of the first 1, 2, 3, ... of `dims`.
Dims Products(absl::Span<const Dim> dims) {
  Dims products;
  for (const Dim dim : dims) products.push_back(products.empty() ? dim : products.back() * dim);
  return products;
}

// The least numbers of dims, of `from` first, whose products are equal; {0, 0}: there are none.
std::pair<size_t, size_t> ShortestRuns(absl::Span<const Dim> from, absl::Span<const Dim> to) {
  const Dims left = Products(from), right = Products(to);
  for (size_t taken = 2; taken <= left.size() + right.size(); ++taken) {
    const size_t most_right = std::min(taken - 1, right.size());
    for (size_t a = taken - most_right; a <= std::min(taken - 1, left.size()); ++a) {
      const size_t b = taken - a;
      if (left[a - 1] == right[b - 1] && !left[a - 1].is_poisoned()) return {a, b};
    }
  }
  return {0, 0};
}

DimList Taken(const DimList& numbers, size_t begin, size_t count) {
  return DimList(numbers.begin() + begin, numbers.begin() + begin + count);
}

}  // namespace

NonUnitDims NonUnitDimsOf(absl::Span<const Dim> dims) {
  NonUnitDims result;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == Dim(1)) continue;
    result.dims.push_back(dims[i]);
    result.numbers.push_back(static_cast<int64_t>(i));
  }
  return result;
}

std::optional<std::vector<ReshapeGroup>> ReshapeGroups(absl::Span<const Dim> from,
                                                       absl::Span<const Dim> to) {
  for (const absl::Span<const Dim> dims : {from, to}) {
    if (std::find(dims.begin(), dims.end(), Dim(0)) != dims.end()) return std::nullopt;
  }
  const NonUnitDims a = NonUnitDimsOf(from), b = NonUnitDimsOf(to);
  std::vector<ReshapeGroup> groups;
  size_t i = 0, j = 0;
  while (i < a.dims.size() && j < b.dims.size()) {
    const auto [rows, columns] = ShortestRuns(absl::MakeConstSpan(a.dims).subspan(i),
                                              absl::MakeConstSpan(b.dims).subspan(j));
    if (rows == 0) return std::nullopt;
    groups.push_back({Taken(a.numbers, i, rows), Taken(b.numbers, j, columns)});
    i += rows;
    j += columns;
  }
  if (i != a.dims.size() || j != b.dims.size()) return std::nullopt;
  return groups;
}

}  // namespace swage::ir
