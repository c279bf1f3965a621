// File: compiler/passes/transpose_dimension_grouper.h
//
// transpose-dimension-grouper writes a transpose in as few dimensions as it takes:
//
//   transpose [a,b,c,d] -> [c,d,a,b]  =  bitcast [ab,cd], transpose [cd,ab], bitcast [c,d,a,b]
//
// so that kernels see one of few shapes (2-D, or 3-D with the first or last dimension kept), and a
// transpose of any rank is tiled like a matrix.
#ifndef SWAGE_COMPILER_PASSES_TRANSPOSE_DIMENSION_GROUPER_H_
#define SWAGE_COMPILER_PASSES_TRANSPOSE_DIMENSION_GROUPER_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class TransposeDimensionGrouper : public Pass {
 public:
  std::string_view name() const override { return "transpose-dimension-grouper"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_TRANSPOSE_DIMENSION_GROUPER_H_
