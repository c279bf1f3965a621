// File: compiler/passes/layout_normalization.h
//
// layout-normalization makes layouts visible as dimensions: a copy from one layout to another
// becomes
//
//   bitcast     the operand's bytes, as the row-major array of its dims in memory order
//   transpose   to the memory order of the result
//   bitcast     to the result's shape
//
// (the bitcasts only where they change something), so that every kernel reads and writes row-major
// arrays and a transpose is a transpose to all later passes.
#ifndef SWAGE_COMPILER_PASSES_LAYOUT_NORMALIZATION_H_
#define SWAGE_COMPILER_PASSES_LAYOUT_NORMALIZATION_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class LayoutNormalization : public Pass {
 public:
  std::string_view name() const override { return "layout-normalization"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
  bool IsRequired() const override { return true; }
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_LAYOUT_NORMALIZATION_H_
