// File: compiler/passes/verify.h
//
// The verifier (compiler/ir/verifier.h) as the invariant checker of a pipeline.
#ifndef SWAGE_COMPILER_PASSES_VERIFY_H_
#define SWAGE_COMPILER_PASSES_VERIFY_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class Verifier : public Pass {
 public:
  std::string_view name() const override { return "verifier"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_VERIFY_H_
