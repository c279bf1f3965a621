// File: compiler/ir/extent_walk.h
//
// Visits every extent of a module: those of shapes, of attributes, and of the entry's layout.
//
//   const auto visit = [&](Dim& dim) { dim = dim.Substitute(values); };
//   ExtentWalk(visit).Walk(module);                       // changes them
//   ForEachExtent(*module, [&](Dim dim) { ... });         // reads them
#ifndef SWAGE_COMPILER_IR_EXTENT_WALK_H_
#define SWAGE_COMPILER_IR_EXTENT_WALK_H_

#include <string_view>
#include <utility>
#include <vector>

#include "compiler/ir/attributes.h"
#include "compiler/ir/module.h"

namespace swage::ir {

inline bool HasExtents(const Attributes& attributes) {
  return AttrsIf<SliceAttrs>(attributes) != nullptr ||
         AttrsIf<DynamicSliceAttrs>(attributes) != nullptr ||
         AttrsIf<PadAttrs>(attributes) != nullptr || AttrsIf<GatherAttrs>(attributes) != nullptr;
}

// Calls `visit(extent, what, dimension)` for the extents among the attributes, always in one order.
template <typename Visit>
void VisitExtents(Attributes* attributes, const Visit& visit) {
  const auto visit_list = [&](std::vector<Dim>& dims, std::string_view what) {
    for (size_t i = 0; i < dims.size(); ++i) visit(dims[i], what, i);
  };
  if (auto* slice = MutableAttrsIf<SliceAttrs>(attributes)) {
    visit_list(slice->starts, "start");
    visit_list(slice->limits, "limit");
  } else if (auto* window = MutableAttrsIf<DynamicSliceAttrs>(attributes)) {
    visit_list(window->sizes, "size");
  } else if (auto* pad = MutableAttrsIf<PadAttrs>(attributes)) {
    for (size_t i = 0; i < pad->dims.size(); ++i) {
      visit(pad->dims[i].low, "low padding", i);
      visit(pad->dims[i].high, "high padding", i);
    }
  } else if (auto* gather = MutableAttrsIf<GatherAttrs>(attributes)) {
    visit_list(gather->slice_sizes, "slice size");
  }
}

template <typename Visit>
void ForEachExtent(const Shape& shape, const Visit& visit) {
  ForEachLeaf(shape, [&](const ShapeIndex&, const Shape& leaf) {
    if (!leaf.is_array()) return;
    for (const Dim dim : leaf.dims()) visit(dim);
  });
}

// Calls `visit` with every extent of a module.
template <typename Visit>
void ForEachExtent(const Module& module, const Visit& visit) {
  for (const Computation* computation : module.Computations()) {
    for (const Instruction* instruction : computation->Instructions()) {
      ForEachExtent(instruction->shape(), visit);
      if (!HasExtents(instruction->attributes())) continue;
      Attributes copy = instruction->attributes();
      VisitExtents(&copy, [&](Dim dim, std::string_view, size_t) { visit(dim); });
    }
  }
  if (!module.entry_layout().has_value()) return;
  for (const Shape& parameter : module.entry_layout()->parameters) ForEachExtent(parameter, visit);
  ForEachExtent(module.entry_layout()->result, visit);
}

// Calls `visit` with a reference to every extent of a module.
template <typename Visit>
class ExtentWalk {
 public:
  explicit ExtentWalk(Visit visit) : visit_(std::move(visit)) {}

  void Walk(Module* module) {
    for (Computation* computation : module->Computations()) {
      for (Instruction* instruction : computation->Instructions()) {
        Walk(instruction->mutable_shape());
        WalkAttributes(instruction);
      }
    }
    if (!module->entry_layout().has_value()) return;
    EntryLayout border = *module->entry_layout();
    for (Shape& parameter : border.parameters) Walk(&parameter);
    Walk(&border.result);
    module->set_entry_layout(std::move(border));
  }

 private:
  void Walk(Shape* shape) {
    if (shape->is_tuple()) {
      for (int i = 0; i < shape->tuple_size(); ++i) Walk(shape->mutable_tuple_shape(i));
    } else if (shape->is_array()) {
      for (int i = 0; i < shape->rank(); ++i) {
        Dim dim = shape->dim(i);
        visit_(dim);
        shape->set_dim(i, dim);
      }
    }
  }

  void WalkAttributes(Instruction* instruction) {
    if (!HasExtents(instruction->attributes())) return;
    Attributes changed = instruction->attributes();
    VisitExtents(&changed, [&](Dim& dim, std::string_view, size_t) { visit_(dim); });
    instruction->set_attributes(std::move(changed));
  }

  Visit visit_;
};

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_EXTENT_WALK_H_
