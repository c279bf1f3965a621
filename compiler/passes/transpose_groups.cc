#include "compiler/passes/transpose_groups.h"

namespace swage::passes {

using ir::Dim;

TransposeGroups GroupTranspose(const ir::Instruction& transpose) {
  const ir::Shape& operand = transpose.operand(0)->shape();
  // The operand's dimensions that count, numbered anew.
  std::vector<int64_t> number(operand.rank(), -1);
  std::vector<Dim> extents;
  for (int d = 0; d < operand.rank(); ++d) {
    if (operand.dim(d) == Dim(1)) continue;
    number[d] = static_cast<int64_t>(extents.size());
    extents.push_back(operand.dim(d));
  }
  // In the order of the result: each group is a run of the operand's dimensions.
  struct Group {
    int64_t first, last;
  };
  std::vector<Group> groups;
  for (int64_t d : transpose.dimensions()) {
    if (number[d] < 0) continue;
    if (!groups.empty() && groups.back().last + 1 == number[d]) {
      groups.back().last = number[d];
    } else {
      groups.push_back({number[d], number[d]});
    }
  }
  // The groups in the order of the operand.
  std::vector<int64_t> group_at(extents.size(), -1);
  for (size_t g = 0; g < groups.size(); ++g) group_at[groups[g].first] = static_cast<int64_t>(g);
  TransposeGroups result;
  result.permutation.resize(groups.size());
  for (int64_t g : group_at) {
    if (g < 0) continue;
    result.permutation[g] = static_cast<int64_t>(result.operand_dims.size());
    Dim extent = 1;
    for (int64_t i = groups[g].first; i <= groups[g].last; ++i) extent = extent * extents[i];
    result.operand_dims.push_back(extent);
  }
  return result;
}

}  // namespace swage::passes
