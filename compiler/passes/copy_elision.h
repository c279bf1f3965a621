// File: compiler/passes/copy_elision.h
//
// copy-elision removes the copies that are still in the program, its own ones included, whose two
// ends may be one buffer (copy_elider.h). What it changed in a scheduled module is scheduled anew,
// since another order may be the best one without them.
#ifndef SWAGE_COMPILER_PASSES_COPY_ELISION_H_
#define SWAGE_COMPILER_PASSES_COPY_ELISION_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class CopyElision : public Pass {
 public:
  std::string_view name() const override { return "copy-elision"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_COPY_ELISION_H_
