// File: compiler/analysis/in_place.h
//
// When a kernel may write its result over one of its operands.
#ifndef SWAGE_COMPILER_ANALYSIS_IN_PLACE_H_
#define SWAGE_COMPILER_ANALYSIS_IN_PLACE_H_

#include "compiler/ir/computation.h"
#include "compiler/ir/instruction.h"

namespace swage::analysis {

// Whether the fusion `user` may write leaf `output_leaf` of its result into the memory of its
// operand number `operand`, when nothing reads that operand later. True when element i of the
// operand is read for element i of that leaf, and for no other element of any leaf, and both have
// elements of the same size: every path from the parameter is elementwise (a dynamic-update-slice
// counts so for the array it updates) and ends in the leaf, or in others of the same dims, for a
// kernel computes all of them at an element before it stores any. Fusions with a reduce, a dot or
// anything else that may read elements in an order of its own never may, nor may anything but a
// fusion.
bool CanWriteOver(const ir::Instruction& user, int operand, int64_t output_leaf);

// The dynamic-update-slice that is all a fusion does to one of its parameters: its root, whose
// array is a parameter that nothing else in the fusion reads. A kernel of it need only write the
// update, once the rest of the result is there. Null for other fusions, and where something in it
// has an order of its own.
const ir::Instruction* UpdateInPlace(const ir::Computation& fusion);
// The shape of what a kernel of the fusion writes where updates are made in place.
const ir::Shape& WrittenShape(const ir::Computation& fusion);

}  // namespace swage::analysis

#endif  // SWAGE_COMPILER_ANALYSIS_IN_PLACE_H_
