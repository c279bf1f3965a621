// File: compiler/passes/fusion_wrapper.h
//
// fusion-wrapper makes a fusion of every instruction that still needs a kernel of its own, so that
// the emitter sees nothing but fusions. What runs no kernel stays: parameters, constants, aliases
// (bitcast, tuple, get-tuple-element), copies, and what calls a computation that is run step by
// step (call, while, conditional) or foreign code.
#ifndef SWAGE_COMPILER_PASSES_FUSION_WRAPPER_H_
#define SWAGE_COMPILER_PASSES_FUSION_WRAPPER_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class FusionWrapper : public Pass {
 public:
  std::string_view name() const override { return "fusion-wrapper"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
  bool IsRequired() const override { return true; }
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_FUSION_WRAPPER_H_
