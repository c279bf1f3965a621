// File: compiler/analysis/same_operation.h
//
// Hashes and comparisons of what instructions and computations compute; names, ids and metadata do
// not count. Constants compare bit by bit: +0.0 is not -0.0.
#ifndef SWAGE_COMPILER_ANALYSIS_SAME_OPERATION_H_
#define SWAGE_COMPILER_ANALYSIS_SAME_OPERATION_H_

#include <cstddef>

#include "compiler/ir/computation.h"
#include "compiler/ir/instruction.h"

namespace swage::analysis {

// Of the opcode, shape, attributes and called computations: everything but the operands.
size_t HashWithoutOperands(const ir::Instruction& instruction);
bool SameButForOperands(const ir::Instruction& a, const ir::Instruction& b);

// With the operands; those of a commutative op in either order.
size_t HashOperation(const ir::Instruction& instruction);
bool SameOperation(const ir::Instruction& a, const ir::Instruction& b);

// Two computations that run the same instructions in the same order of the list. Called
// computations must be the very same, so compare callees (and merge them) first.
size_t HashComputation(const ir::Computation& computation);
bool SameComputation(const ir::Computation& a, const ir::Computation& b);

}  // namespace swage::analysis

#endif  // SWAGE_COMPILER_ANALYSIS_SAME_OPERATION_H_
