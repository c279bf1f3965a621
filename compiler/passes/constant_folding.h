// File: compiler/passes/constant_folding.h
//
// constant-folding evaluates instructions all of whose operands are constants, and calls of
// computations without parameters whose root has become a constant (callees come first, so such a
// computation folds once, however often it is called).
//
// Within a budget that all rounds of one compilation share:
// - bytes: what is stored, options().fold_budget_bytes in all;
// - time: what the work is *estimated* to take, options().fold_budget_microseconds in all, so that
//   equal programs fold alike on a busy machine and on an idle one. The evaluator's clock is a
//   second line of defence, ten times as far out.
// What did not fit stays as it was, and is reported in the messages.
//
// Never folded: broadcast and iota (a constant would be larger and would bake in a size), what has
// effects, what the evaluator does not run (an error of the evaluator leaves the instruction
// alone), dots (their sums are free in order, and a kernel's order need not be the evaluator's).
// Exact: the evaluator and the kernels share one definition of every op.
#ifndef SWAGE_COMPILER_PASSES_CONSTANT_FOLDING_H_
#define SWAGE_COMPILER_PASSES_CONSTANT_FOLDING_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class ConstantFolding : public Pass {
 public:
  std::string_view name() const override { return "constant-folding"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_CONSTANT_FOLDING_H_
