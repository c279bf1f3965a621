// File: compiler/passes/layout_assignment.h
//
// layout-assignment gives every array its layout: row-major. Only the entry's border may ask for
// another one (Module::entry_layout); there a `copy` changes the layout, which layout-normalization
// then turns into a transpose. From here on every array shape has a layout (scalars have nothing to
// lay out) and nothing takes it away.
// Tiled layouts are Unimplemented. A module whose arrays have layouts before this pass is an error:
// a front end drops them (DropLayouts, compiler/ir/parser.h).
#ifndef SWAGE_COMPILER_PASSES_LAYOUT_ASSIGNMENT_H_
#define SWAGE_COMPILER_PASSES_LAYOUT_ASSIGNMENT_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class LayoutAssignment : public Pass {
 public:
  std::string_view name() const override { return "layout-assignment"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
  bool IsRequired() const override { return true; }
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_LAYOUT_ASSIGNMENT_H_
