// File: codegen/emit/schedules/squares.h
//
// Loops of a GPU whose lanes walk across some operand, as those of a transpose do (crossings.h): a
// block takes a square of the output.
//
//   its threads read that square of each such operand along the operand's rows, neighbours together
//   a barrier; the squares lie in shared memory, in lines that begin in different banks
//   its threads compute the square of the output along the output's rows
//
// So memory is read and written by whole lines. For outputs that are narrower than squares the
// kernel also holds the plain loop, and the launch chooses (sharing.h).
#ifndef SWAGE_CODEGEN_EMIT_SCHEDULES_SQUARES_H_
#define SWAGE_CODEGEN_EMIT_SCHEDULES_SQUARES_H_

#include "codegen/emit/schedule.h"
#include "codegen/emit/value_emitter.h"

namespace swage::emit {

// Makes a loop that was planned for threads one of squares if it reads some parameter across.
StatusOr<KernelPlan> PlanSquares(KernelPlan plan);
Status EmitSquares(const KernelPlan& plan, ValueEmitter& e);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_SCHEDULES_SQUARES_H_
