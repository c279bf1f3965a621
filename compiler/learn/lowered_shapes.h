// File: compiler/learn/lowered_shapes.h
//
// The shapes of one instruction in every lowering, side by side. For merge*.cc only.
#ifndef SWAGE_COMPILER_LEARN_LOWERED_SHAPES_H_
#define SWAGE_COMPILER_LEARN_LOWERED_SHAPES_H_

#include <vector>

#include "compiler/learn/merge.h"

namespace swage::learn {

using LoweredShapes = std::vector<const ir::Shape*>;  // one per lowering, of one kind and rank

inline LoweredShapes ShapesOf(const Instructions& all) {
  LoweredShapes shapes;
  for (const ir::Instruction* instruction : all) shapes.push_back(&instruction->shape());
  return shapes;
}

inline Values ExtentsAt(const LoweredShapes& arrays, int dimension) {
  Values values;
  for (const ir::Shape* array : arrays) values.push_back(*array->dim(dimension).static_value());
  return values;
}

// Calls visit(array of `merged`, the same array in every lowering).
template <typename Visit>
void ForEachArray(ir::Shape* merged, const LoweredShapes& shapes, const Visit& visit) {
  if (merged->is_array()) {
    visit(merged, shapes);
    return;
  }
  for (int i = 0; i < merged->tuple_size(); ++i) {
    LoweredShapes elements;
    for (const ir::Shape* shape : shapes) elements.push_back(&shape->tuple_shape(i));
    ForEachArray(merged->mutable_tuple_shape(i), elements, visit);
  }
}

// Ops that call computations with whole values.
inline bool IsCall(ir::Opcode opcode) {
  return opcode == ir::Opcode::kCall || opcode == ir::Opcode::kFusion ||
         opcode == ir::Opcode::kWhile || opcode == ir::Opcode::kConditional;
}

}  // namespace swage::learn

#endif  // SWAGE_COMPILER_LEARN_LOWERED_SHAPES_H_
