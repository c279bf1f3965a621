// File: compiler/passes/reduction_dimension_grouper.h
//
// reduction-dimension-grouper writes a reduce over neighbouring dimensions as one over a single
// dimension, so that kernels see rows or columns:
//
//   f32[8] reduce(f32[8,32,32] x), dimensions={1,2}  ->  f32[8] reduce(f32[8,1024] reshape(x)), {1}
//
// The dimensions of a sum define its tree, so it fires only where no order can matter: maxima,
// minima, sums of integers, and, or. Dimensions that are kept stay apart, so that what is computed
// from the result still meets the array row by row.
#ifndef SWAGE_COMPILER_PASSES_REDUCTION_DIMENSION_GROUPER_H_
#define SWAGE_COMPILER_PASSES_REDUCTION_DIMENSION_GROUPER_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class ReductionDimensionGrouper : public Pass {
 public:
  std::string_view name() const override { return "reduction-dimension-grouper"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_REDUCTION_DIMENSION_GROUPER_H_
