#include "compiler/passes/module_state.h"

#include "compiler/ir/fingerprint.h"

namespace swage::passes {

Hash128 StateOf(const ir::Module& module) {
  Hasher hasher;
  hasher.Field(ir::Fingerprint(module));
  hasher.Field(module.instruction_count());
  hasher.Field(module.Computations().size());
  return hasher.Finish();
}

}  // namespace swage::passes
