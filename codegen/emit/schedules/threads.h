// File: codegen/emit/schedules/threads.h
//
// How the loops of a kernel are shared out to the threads of a GPU: which extent goes to threads or
// teams, and whether a thread takes vectors.
#ifndef SWAGE_CODEGEN_EMIT_SCHEDULES_THREADS_H_
#define SWAGE_CODEGEN_EMIT_SCHEDULES_THREADS_H_

#include <utility>
#include <vector>

#include "codegen/emit/schedule.h"
#include "codegen/emit/value_emitter.h"

namespace swage::emit {

// What the accesses of a kernel ask for, so that `width` neighbours along `lane` can be taken at
// once.
class VectorCheck {
 public:
  VectorCheck(const IndexArena& arena, AxisId lane, int width)
      : arena_(arena), lane_(lane), width_(width) {}

  // Whether neighbours of this access are neighbours in memory, or one and the same.
  bool Add(ExprId access);
  // An extent that must be a multiple of the width; false when it never is.
  bool NeedMultiple(ir::Dim dim);
  // What must be multiples of the width.
  std::vector<ir::Dim> Take() { return std::move(dims_); }

 private:
  const IndexArena& arena_;
  AxisId lane_;
  int width_;
  std::vector<ir::Dim> dims_;
};

// Sets plan->width to the largest one, up to `most`, at which a thread can take vectors along
// `lane` of `accesses` and of what was analysed, and plan->vector_dims to what must be multiples of
// it: `extents` too. Else the width is 1.
void SetWidth(const IndexArena& arena, const FusionAnalysis& analysis, std::vector<ExprId> accesses,
              AxisId lane, int most, const std::vector<ir::Dim>& extents, KernelPlan* plan);

// The rest of a plan for a GPU whose schedule and space are known. `row_value`: some value is
// wanted per row of the output, so that its rows are tasks.
StatusOr<KernelPlan> PlanThreads(KernelPlan plan, bool row_value);

// Whether every one of `dims` is a multiple of the width, a power of two; true when there are none.
StatusOr<llvm::Value*> EmitAreMultiples(const std::vector<ir::Dim>& dims, int width,
                                        ValueEmitter& e);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_SCHEDULES_THREADS_H_
