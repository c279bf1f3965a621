#include "compiler/passes/reshape_groups.h"

#include "compiler/passes/match.h"

namespace swage::passes {

using ir::Dim;

std::optional<std::vector<ReshapeGroup>> ReshapeGroups(absl::Span<const Dim> from,
                                                       absl::Span<const Dim> to) {
  for (absl::Span<const Dim> dims : {from, to}) {
    for (Dim dim : dims) {
      if (dim == Dim(0)) return std::nullopt;
    }
  }
  const NonUnitDims a = NonUnitDimsOf(from), b = NonUnitDimsOf(to);
  std::vector<ReshapeGroup> groups;
  size_t i = 0, j = 0;
  while (i < a.dims.size() && j < b.dims.size()) {
    ReshapeGroup group = {{a.numbers[i]}, {b.numbers[j]}};
    Dim left = a.dims[i++], right = b.dims[j++];
    while (left != right) {
      const ir::Ternary less = ir::ProveLess(left, right);
      if (less == ir::Ternary::kUnknown) return std::nullopt;
      if (less == ir::Ternary::kYes) {
        if (i == a.dims.size()) return std::nullopt;
        group.from.push_back(a.numbers[i]);
        left *= a.dims[i++];
      } else {
        if (j == b.dims.size()) return std::nullopt;
        group.to.push_back(b.numbers[j]);
        right *= b.dims[j++];
      }
    }
    groups.push_back(std::move(group));
  }
  if (i != a.dims.size() || j != b.dims.size()) return std::nullopt;
  return groups;
}

}  // namespace swage::passes
