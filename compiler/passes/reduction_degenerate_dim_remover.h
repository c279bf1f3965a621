// File: compiler/passes/reduction_degenerate_dim_remover.h
//
// reduction-degenerate-dim-remover takes dimensions of extent 1 out of reduces: out of the operands
// by a reshape, and back into the results by another.
//
// The tree of a reduction depends on each reduced extent and on whether it is the minor dimension.
// So it declines where removing would make another reduced dimension the minor one, unless that is
// so short that both trees are the same, or the order cannot matter.
#ifndef SWAGE_COMPILER_PASSES_REDUCTION_DEGENERATE_DIM_REMOVER_H_
#define SWAGE_COMPILER_PASSES_REDUCTION_DEGENERATE_DIM_REMOVER_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class ReductionDegenerateDimRemover : public Pass {
 public:
  std::string_view name() const override { return "reduction-degenerate-dim-remover"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_REDUCTION_DEGENERATE_DIM_REMOVER_H_
