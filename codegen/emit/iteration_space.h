// File: codegen/emit/iteration_space.h
//
// The loops over a kernel's output. Each dimension of the output is cut into parts where a reshape
// inside the fusion needs it, and neighbouring parts are collapsed into one axis where every access
// of the fusion walks them as one.
#ifndef SWAGE_CODEGEN_EMIT_ITERATION_SPACE_H_
#define SWAGE_CODEGEN_EMIT_ITERATION_SPACE_H_

#include <vector>

#include "absl/types/span.h"
#include "codegen/emit/fusion_analysis.h"
#include "codegen/emit/index_map.h"

namespace swage::emit {

struct IterationSpace {
  std::vector<ir::Dim> parts;       // outermost first, none of extent 1
  std::vector<int> parts_per_dim;   // of each dimension of the output
  std::vector<int> parts_per_axis;  // consecutive parts of each axis

  int axis_count() const { return static_cast<int>(parts_per_axis.size()); }
  ir::Dim extent(int axis) const;
  // Creates the axes in `arena`; the index of the output in terms of them.
  IndexId MakeIndex(IndexArena& arena, std::vector<AxisId>* axes) const;
};

// One axis per dimension, uncut.
IterationSpace PlainSpace(absl::Span<const ir::Dim> dims);

// Cuts and collapses. `keep_last_apart` keeps the last dimension an axis of its own.
StatusOr<IterationSpace> PlanSpace(const std::vector<Leaf>& leaves, absl::Span<const ir::Dim> dims,
                                   bool keep_last_apart);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_ITERATION_SPACE_H_
