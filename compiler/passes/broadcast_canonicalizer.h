// File: compiler/passes/broadcast_canonicalizer.h
//
// broadcast-canonicalizer makes the dimensions of every broadcast ascending, which emitters and
// index maps may then take for granted; what was a transposition in it becomes a transpose of the
// smaller operand.
#ifndef SWAGE_COMPILER_PASSES_BROADCAST_CANONICALIZER_H_
#define SWAGE_COMPILER_PASSES_BROADCAST_CANONICALIZER_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class BroadcastCanonicalizer : public Pass {
 public:
  std::string_view name() const override { return "broadcast-canonicalizer"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_BROADCAST_CANONICALIZER_H_
