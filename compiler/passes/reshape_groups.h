// File: compiler/passes/reshape_groups.h
//
// How a reshape pairs dimensions: runs of operand dimensions and runs of result dimensions that
// hold the same number of elements, as short as possible. [2,3,4] -> [6,4] is {0,1}->{0}, {2}->{1}.
#ifndef SWAGE_COMPILER_PASSES_RESHAPE_GROUPS_H_
#define SWAGE_COMPILER_PASSES_RESHAPE_GROUPS_H_

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "compiler/ir/attributes.h"
#include "compiler/ir/dim.h"

namespace swage::passes {

// Dimensions that are literally 1 are in no group.
struct ReshapeGroup {
  ir::DimList from;
  ir::DimList to;
};

// Nullopt where a dim is 0 or symbols leave it open.
std::optional<std::vector<ReshapeGroup>> ReshapeGroups(absl::Span<const ir::Dim> from,
                                                       absl::Span<const ir::Dim> to);

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_RESHAPE_GROUPS_H_
