// File: codegen/emit/schedules/crossings.h
//
// Parameters that a loop reads across its lanes: neighbouring lanes lie far apart, and what lies
// together belongs to neighbours along another axis, whose values are called rows here.
#ifndef SWAGE_CODEGEN_EMIT_SCHEDULES_CROSSINGS_H_
#define SWAGE_CODEGEN_EMIT_SCHEDULES_CROSSINGS_H_

#include <vector>

#include "codegen/emit/schedule.h"

namespace swage::emit {

struct Crossing {
  const ir::Instruction* parameter;
  IndexId index;
  ExprId offset;
};

// Those that are worth tiles, as many as a kernel may have. `analysis` has visited the outputs.
std::vector<Crossing> CrossingsOf(IndexArena& arena, const FusionAnalysis& analysis, AxisId rows,
                                  AxisId lanes, const EmitOptions& options);

// Of a loop with such parameters.
struct CrossedLoop {
  int rows_axis = -1;  // the axis along which most of them lie together; -1: there are none
  int bytes = 0;       // of an element of the widest of them
  int64_t weight = 0;  // of an element of the output
};
StatusOr<CrossedLoop> FindCrossings(const KernelPlan& plan);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_SCHEDULES_CROSSINGS_H_
