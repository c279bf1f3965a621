// File: compiler/passes/combiner_match.h
//
// What a reduce applies, where it is one well-known op.
#ifndef SWAGE_COMPILER_PASSES_COMBINER_MATCH_H_
#define SWAGE_COMPILER_PASSES_COMBINER_MATCH_H_

#include <optional>

#include "compiler/ir/computation.h"

namespace swage::passes {

// The opcode of a computation of two scalars whose root is one commutative op of them.
std::optional<ir::Opcode> CombinerOp(const ir::Computation& combiner);

// Whether op(x, x) = x, so that it does not matter how often a value is taken.
bool IsIdempotent(ir::Opcode opcode, ir::DType dtype);
// Whether the order and grouping in which values are taken cannot change a bit (but for NaN
// payloads).
bool IsAssociative(ir::Opcode opcode, ir::DType dtype);

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_COMBINER_MATCH_H_
