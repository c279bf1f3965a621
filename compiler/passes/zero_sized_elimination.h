// File: compiler/passes/zero_sized_elimination.h
//
// zero-sized-elimination replaces every array without elements by an empty constant (by a broadcast
// of zero where another dimension is symbolic), whatever made it; a side effect keeps its
// instruction.
#ifndef SWAGE_COMPILER_PASSES_ZERO_SIZED_ELIMINATION_H_
#define SWAGE_COMPILER_PASSES_ZERO_SIZED_ELIMINATION_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class ZeroSizedElimination : public Pass {
 public:
  std::string_view name() const override { return "zero-sized-elimination"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_ZERO_SIZED_ELIMINATION_H_
