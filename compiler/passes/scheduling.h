// File: compiler/passes/scheduling.h
//
// scheduling fixes the order in which the instructions of each computation run, for little memory.
// It compares the order of the program with two others (compiler/analysis/memory_order.h) by the
// bytes of the arena that buffer assignment would use, and keeps the best; at equal bytes the order
// of the program. So no schedule ever needs more than the program's own order. Requires
// copy-insertion. Bodies of fusions have no schedule; those of reduce and the like keep their
// order.
#ifndef SWAGE_COMPILER_PASSES_SCHEDULING_H_
#define SWAGE_COMPILER_PASSES_SCHEDULING_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class Scheduling : public Pass {
 public:
  std::string_view name() const override { return "scheduling"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_SCHEDULING_H_
