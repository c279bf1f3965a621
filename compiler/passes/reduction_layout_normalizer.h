// File: compiler/passes/reduction_layout_normalizer.h
//
// reduction-layout-normalizer lets a reduce read a transposed array where it lies:
//
//   reduce(transpose(x, {1,0}), dimensions={0})  ->  reduce(x, dimensions={1})
//
// and permutes the result, which is smaller, where its dimensions come in another order. The tree
// of a reduction takes its dimensions one after another, the minor first. So it declines where the
// reduced dimensions would change their order or which one is minor, unless no order can matter or
// they are so short that the tree is the same.
#ifndef SWAGE_COMPILER_PASSES_REDUCTION_LAYOUT_NORMALIZER_H_
#define SWAGE_COMPILER_PASSES_REDUCTION_LAYOUT_NORMALIZER_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class ReductionLayoutNormalizer : public Pass {
 public:
  std::string_view name() const override { return "reduction-layout-normalizer"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_REDUCTION_LAYOUT_NORMALIZER_H_
