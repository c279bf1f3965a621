#include <vector>

#include "compiler/ir/parser.h"

namespace swage::ir {
namespace {

bool IsRowMajor(const Shape& shape) { return !shape.has_layout() || shape.layout().IsRowMajor(); }

// The dimensions from the slowest varying to the fastest.
DimList MemoryOrder(const Shape& shape) {
  const Layout layout = shape.has_layout() ? shape.layout() : Layout::RowMajor(shape.rank());
  return DimList(layout.minor_to_major.rbegin(), layout.minor_to_major.rend());
}

Shape Permuted(const Shape& shape, const DimList& order) {
  std::vector<Dim> dims;
  for (int64_t d : order) dims.push_back(shape.dim(static_cast<int>(d)));
  return Shape::Array(shape.dtype(), dims);
}

Instruction* Transpose(Instruction* value, const DimList& order) {
  return value->parent()->Add(Opcode::kTranspose, Permuted(value->shape(), order), {value},
                              DimensionsAttrs{order});
}

// The elements of the operand in the order of its memory, as the result's in the order of its own.
Instruction* WithoutLayouts(Instruction* bitcast) {
  Instruction* value = bitcast->operand(0);
  if (!IsRowMajor(value->shape())) value = Transpose(value, MemoryOrder(value->shape()));
  const DimList order = MemoryOrder(bitcast->shape());
  value = value->parent()->Add(Opcode::kBitcast, Permuted(bitcast->shape(), order), {value});
  value->set_metadata(bitcast->shared_metadata());
  if (IsRowMajor(bitcast->shape())) return value;
  DimList back(order.size());
  for (size_t i = 0; i < order.size(); ++i) back[order[i]] = static_cast<int64_t>(i);
  return Transpose(value, back);
}

bool MovesElements(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kBitcast && instruction.shape().is_array() &&
         instruction.operand(0)->shape().is_array() &&
         !(IsRowMajor(instruction.shape()) && IsRowMajor(instruction.operand(0)->shape()));
}

}  // namespace

void DropLayouts(Module* module) {
  for (Computation* computation : module->Computations()) {
    for (Instruction* instruction : computation->Instructions()) {
      if (!MovesElements(*instruction)) continue;
      // The shapes are equal but for layouts and the old bitcast is no operand of the new ones.
      SWAGE_CHECK(computation->Replace(instruction, WithoutLayouts(instruction)).ok());
    }
  }
  for (Computation* computation : module->Computations()) {
    for (Instruction* instruction : computation->Instructions()) {
      instruction->mutable_shape()->clear_layout();
    }
  }
  module->set_has_layouts(false);
}

}  // namespace swage::ir
