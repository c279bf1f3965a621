#include "compiler/passes/zero_sized_elimination.h"

#include <algorithm>

#include "compiler/analysis/side_effects.h"

namespace swage::passes {
namespace {

using ir::Instruction;
using ir::Opcode;

bool HasNoElements(const ir::Shape& shape) {
  return shape.is_array() && std::any_of(shape.dims().begin(), shape.dims().end(),
                                         [](ir::Dim dim) { return dim == ir::Dim(0); });
}

// The canonical forms, which are left alone.
bool IsEmptyConstant(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kConstant ||
         (instruction.opcode() == Opcode::kBroadcast && instruction.dimensions().empty() &&
          !instruction.shape().is_static());
}

StatusOr<Instruction*> MakeEmpty(ir::Computation& computation, const ir::Shape& shape) {
  if (!shape.is_static()) {
    ir::Instruction* zero = computation.AddConstant(ir::Literal::Scalar(shape.dtype(), 0));
    return computation.Add(Opcode::kBroadcast, shape, {zero}, ir::DimensionsAttrs{});
  }
  SWAGE_ASSIGN_OR_RETURN(ir::Literal literal, ir::Literal::Create(shape));
  Instruction* constant = computation.AddConstant(std::move(literal));
  *constant->mutable_shape() = shape;  // the layout, after layout assignment
  return constant;
}

}  // namespace

StatusOr<bool> ZeroSizedElimination::Run(ir::Module& module, PassContext& context) {
  bool changed = false;
  const analysis::SideEffects effects(module);
  for (ir::Computation* computation : module.NonFusionComputations()) {
    for (Instruction* instruction : computation->PostOrder()) {
      if (!HasNoElements(instruction->shape()) || IsEmptyConstant(*instruction) ||
          effects.In(*instruction) || !instruction->control_successors().empty()) {
        continue;
      }
      SWAGE_ASSIGN_OR_RETURN(Instruction * empty, MakeEmpty(*computation, instruction->shape()));
      SWAGE_RETURN_IF_ERROR(instruction->ReplaceAllUsesWith(empty));
      SWAGE_RETURN_IF_ERROR(computation->Remove(instruction));
      changed = true;
    }
  }
  return changed;
}

}  // namespace swage::passes
