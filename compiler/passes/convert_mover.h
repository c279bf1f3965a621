// File: compiler/passes/convert_mover.h
//
// convert-mover lets ops that only move data work on the narrower side of a convert:
//
//   transpose(convert(x as bf16, f32))   ->  convert(transpose(x), f32)       widening: down
//   convert(transpose(x as f32), bf16)   ->  transpose(convert(x, bf16))      narrowing: up
//
// Exact: a convert looks at one element at a time. Only where nobody else needs the moved op, and
// never so that more elements are converted than before; so broadcasts stay below. It undoes what
// reshape-mover does: each has a fixed point of its own.
#ifndef SWAGE_COMPILER_PASSES_CONVERT_MOVER_H_
#define SWAGE_COMPILER_PASSES_CONVERT_MOVER_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class ConvertMover : public Pass {
 public:
  std::string_view name() const override { return "convert-mover"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_CONVERT_MOVER_H_
