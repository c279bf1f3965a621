// File: compiler/passes/slice_mover.h
//
// slice-mover computes only what is wanted: where nobody needs more of a value than one slice (or
// dynamic-slice) of it, the operands are sliced instead.
//
//   slice(tanh(x))        ->  tanh(slice(x))
//   slice(dot(a, b))      ->  dot(slice(a), b)          the logits of the last position only
//   slice(reduce(x))      ->  reduce(slice(x))          along dimensions that are kept
//   slice(transpose(x))   ->  transpose(slice(x))
//
// A dot is left whole where a good part of it is wanted, for its operands would have to be copied.
// Exact (a dot's sum is free in its order): the same elements are computed from the same values,
// and starts of dynamic slices are clamped alike, for the sliced dimensions keep their extents. One
// run follows a slice as far as it goes; every instruction is passed once. Not after layout
// assignment.
#ifndef SWAGE_COMPILER_PASSES_SLICE_MOVER_H_
#define SWAGE_COMPILER_PASSES_SLICE_MOVER_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class SliceMover : public Pass {
 public:
  std::string_view name() const override { return "slice-mover"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_SLICE_MOVER_H_
