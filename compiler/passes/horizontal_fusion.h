// File: compiler/passes/horizontal_fusion.h
//
// horizontal-fusion starts many small kernels at once: the update of every parameter by an
// optimizer, the scales of every layer. They read nothing in common; what is saved is the start of
// a kernel, so that it matters where the work of each is small beside that.
//
//   a' = f32[768] fusion(a, da), b' = f32[768] fusion(b, db)
//     ->  (f32[768], f32[768]) fusion(a, da, b, db)
//
// Kernels are one when their outputs have the same dims and none waits for another
// (kernel_groups.h). A CPU starts kernels fast and equal kernels are compiled once, so there it
// stops at little code. In the order of the computation; a kernel is offered to the last few of its
// kind, so that the work is linear. Every decision is kept in the context (FusionDecision).
#ifndef SWAGE_COMPILER_PASSES_HORIZONTAL_FUSION_H_
#define SWAGE_COMPILER_PASSES_HORIZONTAL_FUSION_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class HorizontalFusion : public Pass {
 public:
  std::string_view name() const override { return "horizontal-fusion"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
  // Operands, users and edges that the last run has looked at, for tests of its cost.
  int64_t steps() const { return steps_; }

 private:
  int64_t steps_ = 0;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_HORIZONTAL_FUSION_H_
