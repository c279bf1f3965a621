// File: compiler/passes/algebraic_simplifier/rewrite.h
//
// One row per rewrite of algebraic-simplifier. To add one: a function and a row in the file of its
// family, and a row in the property test (tests/compiler/passes/algebraic_simplifier_test.cc).
#ifndef SWAGE_COMPILER_PASSES_ALGEBRAIC_SIMPLIFIER_REWRITE_H_
#define SWAGE_COMPILER_PASSES_ALGEBRAIC_SIMPLIFIER_REWRITE_H_

#include <span>
#include <string_view>
#include <vector>

#include "compiler/passes/editor.h"

namespace swage::passes {

enum class RewriteClass { kExact, kExactUpToNan, kValueChanging };

struct Rewrite {
  std::string_view name;
  ir::Opcode opcode;
  RewriteClass rewrite_class;
  // What has the same value as `instruction` and a compatible shape; null: does not apply. Adds
  // instructions, but changes none that exist.
  ir::Instruction* (*apply)(ir::Instruction& instruction, Editor& editor);
};

// The families, one file each.
std::span<const Rewrite> ArithmeticRewrites();
std::span<const Rewrite> BitsRewrites();
std::span<const Rewrite> BroadcastRewrites();
std::span<const Rewrite> CompareRewrites();
std::span<const Rewrite> ConcatenateRewrites();
std::span<const Rewrite> ConvertRewrites();
std::span<const Rewrite> DotRewrites();
std::span<const Rewrite> DynamicSliceRewrites();
std::span<const Rewrite> FastMathRewrites();
std::span<const Rewrite> MinMaxRewrites();
std::span<const Rewrite> PadRewrites();
std::span<const Rewrite> ReduceRewrites();
std::span<const Rewrite> ReshapeRewrites();
std::span<const Rewrite> SelectRewrites();
std::span<const Rewrite> SliceRewrites();
std::span<const Rewrite> TransposeRewrites();
std::span<const Rewrite> UnaryRewrites();

// All of them; those of one opcode are tried in this order.
const std::vector<const Rewrite*>& AllRewrites();

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_ALGEBRAIC_SIMPLIFIER_REWRITE_H_
