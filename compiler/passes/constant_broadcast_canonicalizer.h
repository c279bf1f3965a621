// File: compiler/passes/constant_broadcast_canonicalizer.h
//
// constant-broadcast-canonicalizer replaces arrays that follow a rule by the rule: a constant whose
// elements are all equal, bit for bit, becomes the broadcast of a scalar, and 0, 1, 2 ... along one
// dimension an iota. Kernels then compute what they would have read, and nothing large is stored.
// Exact. Looks at each element once, and stops at the first that breaks the rule.
#ifndef SWAGE_COMPILER_PASSES_CONSTANT_BROADCAST_CANONICALIZER_H_
#define SWAGE_COMPILER_PASSES_CONSTANT_BROADCAST_CANONICALIZER_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class ConstantBroadcastCanonicalizer : public Pass {
 public:
  std::string_view name() const override { return "constant-broadcast-canonicalizer"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_CONSTANT_BROADCAST_CANONICALIZER_H_
