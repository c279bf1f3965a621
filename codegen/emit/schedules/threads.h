// File: codegen/emit/schedules/threads.h
//
// How the loops of a kernel are shared out to the threads of a GPU: which extent goes to threads or
// teams, and whether a thread takes vectors.
#ifndef SWAGE_CODEGEN_EMIT_SCHEDULES_THREADS_H_
#define SWAGE_CODEGEN_EMIT_SCHEDULES_THREADS_H_

#include "codegen/emit/schedule.h"
#include "codegen/emit/value_emitter.h"

namespace swage::emit {

// The rest of a plan for a GPU whose schedule and space are known. `row_value`: some value is
// wanted per row of the output, so that its rows are tasks.
StatusOr<KernelPlan> PlanThreads(KernelPlan plan, bool row_value);

// Whether every one of plan.vector_dims is a multiple of the width; true when there are none.
StatusOr<llvm::Value*> EmitVectorsAreAligned(const KernelPlan& plan, ValueEmitter& e);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_SCHEDULES_THREADS_H_
