// File: compiler/passes/copy_insertion.h
//
// copy-insertion gives every output of the entry, and of each called computation, a buffer of its
// own. An output may be a parameter, a constant, a bitcast of one, or the same value twice; its
// buffer is the caller's, so something must write it.
//
// It works in two steps, which the dump shows apart: first a copy of every output that is not
// plainly a fresh value, then the removal of those whose two ends may be one buffer
// (copy_elider.h).
#ifndef SWAGE_COMPILER_PASSES_COPY_INSERTION_H_
#define SWAGE_COMPILER_PASSES_COPY_INSERTION_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class CopyInsertion : public Pass {
 public:
  std::string_view name() const override { return "copy-insertion"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
  bool IsRequired() const override { return true; }
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_COPY_INSERTION_H_
