// File: compiler/passes/reduction_splitter.h
//
// reduction-splitter makes two reduces of one over the minor dimension and others: each result of a
// reduce is the work of one core of a CPU, or of one team of a GPU's threads, so few results leave
// the others idle.
//
//   s = f32[] reduce(x), dimensions={0,1}         with x = f32[4096,4096]
//   r = f32[4096] reduce(x), dimensions={1};  t = f32[4096,1] reshape(r)
//   s = f32[] reshape(f32[1] reduce(t), dimensions={0})
//
// The bits stay the same. The tree of a reduce takes one dimension after another, the minor first,
// so its first part is the first reduce, begun at the identity; the dimension of extent 1 keeps the
// others from becoming minor, which would change their part of the tree. It declines combiners
// without an identity, and where the results are enough to keep the card busy.
#ifndef SWAGE_COMPILER_PASSES_REDUCTION_SPLITTER_H_
#define SWAGE_COMPILER_PASSES_REDUCTION_SPLITTER_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class ReductionSplitter : public Pass {
 public:
  std::string_view name() const override { return "reduction-splitter"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_REDUCTION_SPLITTER_H_
