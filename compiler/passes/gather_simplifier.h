// File: compiler/passes/gather_simplifier.h
//
// gather-simplifier replaces gathers that are something simpler:
//
//   one window only                  ->  dynamic-slice, whose starts are clamped alike
//   every window is all of the array ->  broadcast
//
// Exact.
#ifndef SWAGE_COMPILER_PASSES_GATHER_SIMPLIFIER_H_
#define SWAGE_COMPILER_PASSES_GATHER_SIMPLIFIER_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class GatherSimplifier : public Pass {
 public:
  std::string_view name() const override { return "gather-simplifier"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_GATHER_SIMPLIFIER_H_
