// File: compiler/passes/algebraic_simplifier.h
//
// algebraic-simplifier applies the rewrites of algebraic_simplifier/: local rules that replace one
// instruction by something simpler that has the same value. AllRewrites() lists them; each has a
// name, the opcode that it looks at, and a class:
//   exact                      the same bits
//   exact up to NaN            the same bits, but a NaN may have another sign or payload
//   value-changing             only under options().fast_math
// A dot's sum is free in order and width, so rewrites of dots are exact within that freedom.
//
// One run is one sweep, operands before users. A rewrite fires at most once on an instruction; what
// it added is looked at in the same sweep, to a bounded depth. So a run costs O(n), and the fixed
// point around it decides when to stop. It does stop, because every rewrite lowers the measure
//   (work, misplaced, size), compared in this order:
//   work       the sum over instructions of elements times cost of the op
//   misplaced  operands that are not where the canonical form has them: constants left of an
//   operand,
//              reshapes and transposes above a broadcast, negations above a sum, and the like
//   size       instructions
//
// It declines where a symbolic dim leaves the question open, on instructions with control edges,
// and after layout assignment on arrays that are not row-major. It never merges, splits or reorders
// the dimensions of a reduce: they define its tree.
#ifndef SWAGE_COMPILER_PASSES_ALGEBRAIC_SIMPLIFIER_H_
#define SWAGE_COMPILER_PASSES_ALGEBRAIC_SIMPLIFIER_H_

#include <string>

#include "compiler/passes/algebraic_simplifier/rewrite.h"
#include "compiler/passes/pass.h"

namespace swage::passes {

class AlgebraicSimplifier : public Pass {
 public:
  AlgebraicSimplifier() = default;
  // With this one rewrite only.
  explicit AlgebraicSimplifier(std::string_view only) : only_(only) {}

  std::string_view name() const override { return "algebraic-simplifier"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;

 private:
  std::string only_;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_ALGEBRAIC_SIMPLIFIER_H_
