// File: compiler/passes/concatenate_mover.h
//
// concatenate-mover computes once, on the joined array, what all parts of a concatenate compute:
//
//   concatenate(exp(a), exp(b))            ->  exp(concatenate(a, b))
//   concatenate(a * fill(s), b * fill(s))  ->  concatenate(a, b) * fill(s)
//
// so that a kernel holds the code of a function once. It moves where the parts are the same
// elementwise op, are needed by nobody else, and differ in one operand only; converts are left to
// convert-mover. Exact, and no element is computed more often. Not after layout assignment.
#ifndef SWAGE_COMPILER_PASSES_CONCATENATE_MOVER_H_
#define SWAGE_COMPILER_PASSES_CONCATENATE_MOVER_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class ConcatenateMover : public Pass {
 public:
  std::string_view name() const override { return "concatenate-mover"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_CONCATENATE_MOVER_H_
