#include "compiler/passes/verify.h"

#include "compiler/ir/verifier.h"

namespace swage::passes {

StatusOr<bool> Verifier::Run(ir::Module& module, PassContext& context) {
  ir::VerifierOptions options;
  options.layouts = module.has_layouts() ? ir::LayoutPhase::kAfter : ir::LayoutPhase::kBefore;
  options.scheduled = module.is_scheduled();
  SWAGE_RETURN_IF_ERROR(ir::Verify(module, options));
  return false;
}

}  // namespace swage::passes
