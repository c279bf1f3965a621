// File: compiler/passes/rewrite_each.h
//
// The loop of passes that look at one instruction at a time: one sweep, operands before users, over
// every computation that is no fusion's body.
#ifndef SWAGE_COMPILER_PASSES_REWRITE_EACH_H_
#define SWAGE_COMPILER_PASSES_REWRITE_EACH_H_

#include <initializer_list>
#include <limits>

#include "absl/functional/function_ref.h"
#include "compiler/passes/editor.h"

namespace swage::passes {

// What has the same value as the instruction and a compatible shape; null: nothing better. It may
// add instructions, but changes none that exist; what it added in vain is removed.
using RewriteFn = absl::FunctionRef<ir::Instruction*(ir::Instruction&, Editor&)>;

// How far what a rewrite added is followed in one sweep; the rest waits for the next round.
inline constexpr int kBoundedDepth = 8;
// For rewrites that cannot go on for ever: those that move something towards the operands.
inline constexpr int kUnboundedDepth = std::numeric_limits<int>::max();

// Calls `rewrite` once for every instruction, and for what it added, down to `depth`; replaces the
// instruction by what comes back. Instructions with control edges or (after layout assignment)
// arrays that are not row-major are passed over. O(n) calls where the depth is bounded. Returns
// whether anything was replaced. Computations without any of the `needed` ops (empty: all) are
// passed over too, at little cost.
StatusOr<bool> RewriteEach(ir::Module& module, RewriteFn rewrite,
                           std::initializer_list<ir::Opcode> needed = {},
                           int depth = kBoundedDepth);

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_REWRITE_EACH_H_
