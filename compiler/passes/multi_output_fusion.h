// File: compiler/passes/multi_output_fusion.h
//
// multi-output-fusion makes one kernel of two that read or write the same memory, where the cost
// model gains by it:
//
//   producer and consumer   a value that others want too is stored and, in the same kernel, used
//                           while it is in registers: the maxima of a softmax, the mean that a
//                           variance is about
//   siblings                kernels that read one array read it once: mean and sum of squares of a
//                           layernorm, the gates that one activation feeds
//
// priority-fusion decides which values are not stored at all; this pass comes after it, when all
// kernels are fusions. kernel_groups.h says which kernels may be one. Producers are tried first, in
// the order of the computation, then the readers of each value; a reader is offered to the last few
// kernels that did not take the one before, so that the work is linear. Every decision is kept in
// the context (FusionDecision) with its times or the rule that forbade it.
#ifndef SWAGE_COMPILER_PASSES_MULTI_OUTPUT_FUSION_H_
#define SWAGE_COMPILER_PASSES_MULTI_OUTPUT_FUSION_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class MultiOutputFusion : public Pass {
 public:
  std::string_view name() const override { return "multi-output-fusion"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
  // Operands, users and edges that the last run has looked at, for tests of its cost.
  int64_t steps() const { return steps_; }

 private:
  int64_t steps_ = 0;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_MULTI_OUTPUT_FUSION_H_
