// File: compiler/passes/fusion_builder.h
//
// Turns a set of instructions into one `fusion` instruction over a new computation.
#ifndef SWAGE_COMPILER_PASSES_FUSION_BUILDER_H_
#define SWAGE_COMPILER_PASSES_FUSION_BUILDER_H_

#include "absl/types/span.h"
#include "compiler/ir/module.h"

namespace swage::passes {

// Adds a fusion that computes the last of `body` (operands before users, one computation, all others
// used inside). What body reads from outside becomes operands, in order of first use; scalar
// constants are copied inside. The caller replaces the root's uses and removes what is dead.
// kind: kInput when it holds a reduce, kOutput when a dot, else kLoop.
ir::Instruction* BuildFusion(absl::Span<ir::Instruction* const> body);

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_FUSION_BUILDER_H_
