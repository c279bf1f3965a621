// File: compiler/passes/inline.h
//
// inline puts the bodies of called computations in the place of their calls, so that the passes
// after it see one graph.
// - A computation with one call is always inlined, and so is one that is a single instruction.
// - One with several calls is inlined at all of them while the module grows to at most twice its
//   size (or by 2000 instructions, where that is more); callees are decided before their callers.
//   What is over the limit stays a call to a computation that is compiled once, so a deep call
//   graph that would be exponential stays linear.
// - A computation without parameters or effects that several calls share is evaluated once, and
//   each call becomes the constant, where the evaluator can do that within the folding budget.
// - Calls with control edges stay.
#ifndef SWAGE_COMPILER_PASSES_INLINE_H_
#define SWAGE_COMPILER_PASSES_INLINE_H_

#include <cstdint>

#include "compiler/passes/pass.h"

namespace swage::passes {

class Inline : public Pass {
 public:
  // `min_growth`: instructions that may be added to a module however small it is.
  explicit Inline(int64_t min_growth = 2000) : min_growth_(min_growth) {}
  std::string_view name() const override { return "inline"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;

 private:
  int64_t min_growth_;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_INLINE_H_
