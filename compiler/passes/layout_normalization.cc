#include "compiler/passes/layout_normalization.h"

#include <vector>

namespace swage::passes {
namespace {

using ir::Dim;
using ir::DimList;
using ir::Instruction;
using ir::Layout;
using ir::Opcode;
using ir::Shape;

// The dimensions from the slowest varying to the fastest.
DimList MemoryOrder(const Shape& shape) {
  const auto& minor_to_major = shape.layout().minor_to_major;
  return DimList(minor_to_major.rbegin(), minor_to_major.rend());
}

// The row-major array with the same bytes.
Shape InMemoryOrder(const Shape& shape) {
  std::vector<Dim> dims;
  for (int64_t d : MemoryOrder(shape)) dims.push_back(shape.dim(static_cast<int>(d)));
  return Shape::Array(shape.dtype(), dims, Layout::RowMajor(shape.rank()));
}

Instruction* Bitcast(Instruction* value, const Shape& shape) {
  if (value->shape() == shape) return value;
  return value->parent()->Add(Opcode::kBitcast, shape, {value});
}

Instruction* Normalized(Instruction* copy) {
  const Shape& from = copy->operand(0)->shape();
  const Shape& to = copy->shape();
  Instruction* value = Bitcast(copy->operand(0), InMemoryOrder(from));
  // Where each logical dimension is in the operand's memory.
  const DimList order = MemoryOrder(from);
  std::vector<int64_t> place(order.size());
  for (size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<int64_t>(i);
  DimList permutation;
  for (int64_t d : MemoryOrder(to)) permutation.push_back(place[d]);
  value = copy->parent()->Add(Opcode::kTranspose, InMemoryOrder(to), {value},
                              ir::DimensionsAttrs{permutation});
  value->set_metadata(copy->shared_metadata());
  return Bitcast(value, to);
}

}  // namespace

StatusOr<bool> LayoutNormalization::Run(ir::Module& module, PassContext& context) {
  bool changed = false;
  for (ir::Computation* computation : module.Computations()) {
    for (Instruction* copy : computation->Instructions()) {
      if (copy->opcode() != Opcode::kCopy || !copy->shape().is_array() ||
          !copy->shape().has_layout() || copy->shape() == copy->operand(0)->shape()) {
        continue;
      }
      SWAGE_RETURN_IF_ERROR(computation->Replace(copy, Normalized(copy)));
      changed = true;
    }
  }
  return changed;
}

}  // namespace swage::passes
