// File: codegen/emit/schedules/dot_axes.h
//
// A dot as three loops: its dims by role, an axis for each role, and where the result's elements
// go.
#ifndef SWAGE_CODEGEN_EMIT_SCHEDULES_DOT_AXES_H_
#define SWAGE_CODEGEN_EMIT_SCHEDULES_DOT_AXES_H_

#include <optional>

#include "absl/container/flat_hash_map.h"
#include "codegen/emit/fusion_analysis.h"
#include "codegen/emit/schedules/dot_tile.h"

namespace swage::emit {

// The dims of a dot by role.
struct DotDims {
  ir::Dims batch, rows, columns, contracting;
};
DotDims DimsOf(const ir::Instruction& dot);
ir::Dim Product(const ir::Dims& dims);

TileShape TileOf(const ir::Instruction& dot, const EmitOptions& options);
// Rows of one task.
int64_t ChunkRows(const TileShape& tile);

// One axis per role, and the dot's index in terms of them.
struct DotAxes {
  AxisId batch, row, column, k;
  IndexId result;
  DotIndices sides;
};
DotAxes MakeDotAxes(IndexArena& arena, const ir::Instruction* dot);

// A side of a dot that lies in memory, perhaps renamed on the way: where its elements are.
struct DirectSide {
  const ir::Instruction* parameter;
  ExprId offset;
};
std::optional<DirectSide> DirectSideOf(IndexArena& arena, const ir::Instruction* side,
                                       IndexId index);

// For every value of the fusion that the dot's elements reach one by one (through elementwise ops,
// reshapes, transposes): where they are.
absl::flat_hash_map<const ir::Instruction*, IndexId> ReachedFrom(IndexArena& arena,
                                                                 const ir::Computation& fusion,
                                                                 const ir::Instruction* dot,
                                                                 IndexId index);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_SCHEDULES_DOT_AXES_H_
