// File: compiler/passes/fusion_builder.h
//
// Turns a set of instructions into one `fusion` instruction over a new computation.
#ifndef SWAGE_COMPILER_PASSES_FUSION_BUILDER_H_
#define SWAGE_COMPILER_PASSES_FUSION_BUILDER_H_

#include "absl/types/span.h"
#include "base/status.h"
#include "compiler/ir/module.h"

namespace swage::passes {

// Puts a fusion that computes the last of `body` into its place (operands before users, one
// computation, all others used inside). What the body reads from outside becomes operands, in order
// of first use; scalar constants go inside. Instructions that nothing outside needs any more move
// into the body and keep their names; the others stay, and the body gets copies. Control edges of
// the body become the fusion's. kind: kInput when it holds a reduce, kOutput when a dot, else
// kLoop.
StatusOr<ir::Instruction*> Fuse(absl::Span<ir::Instruction* const> body);

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_FUSION_BUILDER_H_
