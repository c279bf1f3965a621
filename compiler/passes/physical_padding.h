// File: compiler/passes/physical_padding.h
//
// physical-padding turns a program of open sizes into one of fixed shapes: every array is made as
// large as the bounds of its symbols, for devices and libraries that need fixed shapes. It runs
// only where CompilerOptions::padding asks for it; on the CPU that is to prove the rules.
//
//   x = f32[n<=64,8] parameter(0)      x = f32[n<=64,8] parameter(0)
//   e = f32[n,8] exponential(x)        p = f32[64,8] pad(x, ...), padding=0_-n+64x0_0
//   ROOT s = f32[8] reduce(e, 0), ...  e = f32[64,8] exponential(p)
//                                      m = f32[64,8] select(iota < get-dimension-size(x), e, -0)
//                                      ROOT s = f32[8] reduce(m, 0), ...
//
// - Terms: the *valid* size of a dimension is its expression, the *bound* its largest value. A lane
//   at or behind the valid size is *padded*: its content is garbage by contract.
// - Arguments and results keep their valid, dense shapes: arguments are padded, results are cut by
//   ordinary instructions whose sizes come with the call.
// - The Padding column of the op table has one rule per op. A value is masked, by select, only by
//   an op that would let a padded lane be seen, and not where the padded lanes are known to hold
//   what the mask would put there (padding/fill.h).
// - Results are those of the exact program bit for bit (a dot's accumulation is free).
// - What cannot be padded is an Unimplemented status that names the op and the argument: a symbol
//   without an upper bound, an array too large at its bounds, an op without a rule. The module may
//   then be half changed.
#ifndef SWAGE_COMPILER_PASSES_PHYSICAL_PADDING_H_
#define SWAGE_COMPILER_PASSES_PHYSICAL_PADDING_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class PhysicalPadding : public Pass {
 public:
  std::string_view name() const override { return "physical-padding"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_PHYSICAL_PADDING_H_
