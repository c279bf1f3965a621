// File: codegen/emit/schedule.h
//
// How a fusion becomes loops: the decision as a value, which the cost model reads, the explainer
// prints and EmitKernel carries out.
#ifndef SWAGE_CODEGEN_EMIT_SCHEDULE_H_
#define SWAGE_CODEGEN_EMIT_SCHEDULE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "codegen/emit/emit_options.h"
#include "codegen/emit/fusion_analysis.h"
#include "codegen/emit/iteration_space.h"
#include "codegen/emit/sharing.h"
#include "compiler/ir/computation.h"

namespace swage::emit {

enum class Schedule : uint8_t {
  kLoop,             // lanes along the minor axis of the output
  kRowReduction,     // one output after another; lanes along the reduced row
  kColumnReduction,  // lanes along the kept minor axis, reduced dimensions serial
  kRowTile,          // row by row: reductions of the row, then the row itself
  kDot,              // register tiles
  kTranspose,        // a loop that reads operands across its lanes by tiles
};
std::string_view ScheduleName(Schedule schedule);

// A loop of more operations than this is large: LLVM's time is superlinear in a block.
inline constexpr int64_t kLargeLoop = 100;

struct KernelPlan {
  const ir::Computation* fusion = nullptr;
  EmitOptions options;
  Schedule schedule = Schedule::kLoop;
  const ir::Instruction* hero = nullptr;  // the op that decided; null: none in particular
  int width = 1;                          // lanes of a full vector
  std::vector<Leaf> leaves;
  IterationSpace space;
  int rows_axis = -1;         // kTranspose: the axis along which such operands are contiguous
  int64_t block = 0;          // lanes schedules: elements of the last axis per task
  ir::Dim tasks;              // extent of the task axis
  std::vector<ir::Dim> dims;  // the symbols whose values arrive with the call, in order
  int64_t cost_per_task = 0;  // about, in scalar operations; 0: depends on the dims
  // A loop of many operations: better compiled in short time than to fast code.
  bool is_large = false;

  // On a GPU: which threads share a task; the extent that a team shares out (1: a warp is enough),
  // or the elements of a square; and what must be multiples of the width for a thread to take full
  // vectors.
  Sharing sharing = Sharing::kNothing;
  bool by_teams() const { return sharing == Sharing::kRows; }
  ir::Dim shared_extent = 1;
  // Where the launch chooses: the coarse tiles, where `tasks` counts fine ones; the elements, where
  // it counts squares.
  ir::Dim flat_tasks = 0;
  std::vector<ir::Dim> vector_dims;

  std::string ToString() const;
};

// The symbols of a fusion, in order of first occurrence: the run-time extents of its kernel.
std::vector<ir::Dim> SymbolsOf(const ir::Computation& fusion);

// The kernel of an update in place (analysis::UpdateInPlace) writes the update only.
StatusOr<KernelPlan> PlanKernel(const ir::Computation& fusion, const EmitOptions& options);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_SCHEDULE_H_
