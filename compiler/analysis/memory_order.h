// File: compiler/analysis/memory_order.h
//
// Orders of execution that keep few bytes alive. Those of ListOrder and DepthFirstOrder respect
// operands and control edges, are heuristics, and may be worse than the order of the program;
// ScheduleForMemory never is.
#ifndef SWAGE_COMPILER_ANALYSIS_MEMORY_ORDER_H_
#define SWAGE_COMPILER_ANALYSIS_MEMORY_ORDER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/status.h"
#include "compiler/ir/computation.h"

namespace swage::analysis {

// Of what is ready, the step that frees most bytes, less those of its own result; among equals the
// first in `program`, which must hold every instruction, operands first. O(n log n).
StatusOr<std::vector<ir::Instruction*>> ListOrder(const ir::Computation& computation,
                                                  absl::Span<ir::Instruction* const> program);

// Depth first from the root. Of the operands of an instruction the one comes first that needs most
// memory on the way compared to what its value then holds (optimal where the graph is a tree).
StatusOr<std::vector<ir::Instruction*>> DepthFirstOrder(const ir::Computation& computation,
                                                        absl::Span<ir::Instruction* const> program);

// The best of these two and the order of the program (Computation::PostOrder), by the bytes of the
// arena that AssignBuffers needs; at equal bytes the order of the program. Requires copy-insertion.
struct MemorySchedule {
  std::vector<ir::Instruction*> order;
  int64_t arena_bytes = 0;
  int64_t program_bytes = 0;  // of the arena in the order of the program; never less
};
StatusOr<MemorySchedule> ScheduleForMemory(const ir::Computation& computation);

}  // namespace swage::analysis

#endif  // SWAGE_COMPILER_ANALYSIS_MEMORY_ORDER_H_
