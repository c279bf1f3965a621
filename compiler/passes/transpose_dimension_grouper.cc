#include "compiler/passes/transpose_dimension_grouper.h"

#include <vector>

#include "compiler/passes/transpose_groups.h"

namespace swage::passes {
namespace {

using ir::Computation;
using ir::Instruction;
using ir::Layout;
using ir::Opcode;
using ir::Shape;

Shape RowMajor(ir::DType dtype, const std::vector<ir::Dim>& dims) {
  return Shape::Array(dtype, dims, Layout::RowMajor(static_cast<int>(dims.size())));
}

bool IsRowMajor(const Shape& shape) { return shape.has_layout() && shape.layout().IsRowMajor(); }

Instruction* Grouped(Instruction* transpose, const TransposeGroups& groups) {
  Computation* computation = transpose->parent();
  const ir::DType dtype = transpose->shape().dtype();
  Instruction* operand = computation->Add(Opcode::kBitcast, RowMajor(dtype, groups.operand_dims),
                                          {transpose->operand(0)});
  std::vector<ir::Dim> dims;
  for (int64_t d : groups.permutation) dims.push_back(groups.operand_dims[d]);
  Instruction* moved = computation->Add(Opcode::kTranspose, RowMajor(dtype, dims), {operand},
                                        ir::DimensionsAttrs{groups.permutation});
  moved->set_metadata(transpose->shared_metadata());
  return computation->Add(Opcode::kBitcast, transpose->shape(), {moved});
}

}  // namespace

StatusOr<bool> TransposeDimensionGrouper::Run(ir::Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : module.Computations()) {
    for (Instruction* transpose : computation->Instructions()) {
      if (transpose->opcode() != Opcode::kTranspose || !IsRowMajor(transpose->shape()) ||
          !IsRowMajor(transpose->operand(0)->shape())) {
        continue;
      }
      const TransposeGroups groups = GroupTranspose(*transpose);
      // Fewer than two groups move nothing: that is reshape-decomposer's.
      if (groups.MovesNothing() ||
          static_cast<int>(groups.permutation.size()) == transpose->shape().rank()) {
        continue;
      }
      SWAGE_RETURN_IF_ERROR(computation->Replace(transpose, Grouped(transpose, groups)));
      changed = true;
    }
  }
  return changed;
}

}  // namespace swage::passes
