// File: compiler/passes/transpose_groups.h
//
// A transpose in as few dimensions as it takes: extents of 1 are left out, and neighbours that stay
// neighbours in the same order count as one.
#ifndef SWAGE_COMPILER_PASSES_TRANSPOSE_GROUPS_H_
#define SWAGE_COMPILER_PASSES_TRANSPOSE_GROUPS_H_

#include <vector>

#include "compiler/ir/instruction.h"

namespace swage::passes {

struct TransposeGroups {
  std::vector<ir::Dim> operand_dims;
  ir::DimList permutation;  // as `dimensions` of the transpose: dim i of the result is
                            // operand_dims[permutation[i]]
  bool MovesNothing() const { return permutation.size() <= 1; }
};

TransposeGroups GroupTranspose(const ir::Instruction& transpose);

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_TRANSPOSE_GROUPS_H_
