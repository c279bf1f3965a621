// File: compiler/ir/reshape_groups.h
//
// How a reshape pairs dimensions: runs of operand dimensions and runs of result dimensions that
// hold the same number of elements at every size, as short as possible. [2,3,4] -> [6,4] is
// {0,1}->{0}, {2}->{1}; [n,2,m] -> [2*n,m] is the same.
#ifndef SWAGE_COMPILER_IR_RESHAPE_GROUPS_H_
#define SWAGE_COMPILER_IR_RESHAPE_GROUPS_H_

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "compiler/ir/attributes.h"
#include "compiler/ir/dim.h"
#include "compiler/ir/shape.h"

namespace swage::ir {

// `dims` without those that are literally 1, and their numbers.
struct NonUnitDims {
  Dims dims;
  DimList numbers;
};
NonUnitDims NonUnitDimsOf(absl::Span<const Dim> dims);

// Numbers of dimensions, in order; those that are literally 1 are in no group.
struct ReshapeGroup {
  DimList from;
  DimList to;
};

// Nullopt where a dim is 0 or symbols leave it open.
std::optional<std::vector<ReshapeGroup>> ReshapeGroups(absl::Span<const Dim> from,
                                                       absl::Span<const Dim> to);

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_RESHAPE_GROUPS_H_
