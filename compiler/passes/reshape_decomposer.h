// File: compiler/passes/reshape_decomposer.h
//
// reshape-decomposer: once arrays have layouts, what moves no byte is a bitcast.
//
//   reshape                                 dense row-major arrays keep their order
//   transpose that moves only extents of 1  the same
//   bitcast of a bitcast                    one bitcast
//   bitcast to the shape it has             nothing
#ifndef SWAGE_COMPILER_PASSES_RESHAPE_DECOMPOSER_H_
#define SWAGE_COMPILER_PASSES_RESHAPE_DECOMPOSER_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class ReshapeDecomposer : public Pass {
 public:
  std::string_view name() const override { return "reshape-decomposer"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_RESHAPE_DECOMPOSER_H_
