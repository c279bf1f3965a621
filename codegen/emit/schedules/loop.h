// File: codegen/emit/schedules/loop.h
//
// Loops over the output: the schedules loop, column-reduction and row-tile (lanes along the minor
// axis) and row-reduction (one element after another, the lanes left to the reduction). What does
// not depend on the lanes is hoisted out of the lane loop by the emitter, which makes a row tile of
// a fusion whose reductions are per row.
#ifndef SWAGE_CODEGEN_EMIT_SCHEDULES_LOOP_H_
#define SWAGE_CODEGEN_EMIT_SCHEDULES_LOOP_H_

#include "codegen/emit/schedule.h"
#include "codegen/emit/value_emitter.h"

namespace swage::emit {

// The tasks [begin, end).
Status EmitLoopKernel(const KernelPlan& plan, ValueEmitter& e, llvm::Value* begin,
                      llvm::Value* end);
// On a GPU: the task of this thread, or this thread's part of its team's task.
Status EmitLoopThread(const KernelPlan& plan, ValueEmitter& e);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_SCHEDULES_LOOP_H_
