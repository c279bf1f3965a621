// File: compiler/passes/transpose_folding.h
//
// transpose-folding lets dots read and write transposed arrays in place:
//
//   dot(transpose(a), b)     ->  dot(a, b) with other dimension numbers, where a's free dimensions
//   keep
//                                their order
//   transpose(dot(a, b))     ->  dot(b, a), where the transpose swaps rows and columns
//
// Exact: the same products, summed over the same dimensions. Not after layout assignment.
#ifndef SWAGE_COMPILER_PASSES_TRANSPOSE_FOLDING_H_
#define SWAGE_COMPILER_PASSES_TRANSPOSE_FOLDING_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class TransposeFolding : public Pass {
 public:
  std::string_view name() const override { return "transpose-folding"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_TRANSPOSE_FOLDING_H_
