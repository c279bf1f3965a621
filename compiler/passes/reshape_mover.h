// File: compiler/passes/reshape_mover.h
//
// reshape-mover lets reshapes and transposes sink below elementwise ops, where they meet others and
// disappear:
//
//   add(reshape(a), reshape(b))    ->  reshape(add(a, b))
//   multiply(transpose(a), fill)   ->  transpose(multiply(a, fill))
//
// It moves where all operands are rearranged the same way (or are broadcast scalars), and where
// nobody else needs the rearranged operands, so that no rearrangement is made twice. Exact. It
// stops, because every step shortens what lies below a rearrangement. Not after layout assignment.
#ifndef SWAGE_COMPILER_PASSES_RESHAPE_MOVER_H_
#define SWAGE_COMPILER_PASSES_RESHAPE_MOVER_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class ReshapeMover : public Pass {
 public:
  std::string_view name() const override { return "reshape-mover"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_RESHAPE_MOVER_H_
