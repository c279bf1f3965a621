// File: compiler/passes/reduction_tree.h
//
// What passes that rewrite reduces must know of their tree (docs/semantics.md), which is a function
// of each reduced extent and of whether it is the minor one.
#ifndef SWAGE_COMPILER_PASSES_REDUCTION_TREE_H_
#define SWAGE_COMPILER_PASSES_REDUCTION_TREE_H_

#include <cstdint>

#include "compiler/ir/instruction.h"

namespace swage::passes {

// Up to this extent a reduced dimension has one element per partial whether it is minor or not.
inline constexpr int64_t kShortestTree = 8;

// Whether another tree could give other bits; always so unless the combiner is one op that is known
// to be associative.
bool OrderMatters(const ir::Instruction& reduce);

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_REDUCTION_TREE_H_
