// File: codegen/emit/schedules/transpose.h
//
// Loops over the output whose lanes walk across some operand, as those of a transpose do: tiles of
// that operand are read along its rows, turned in registers, and kept on the stack, so that each
// cache line is read once and whole.
//
//   for each block of rows x stretch of lanes:        one task
//     for each block of lanes in it:
//       for each vector of lanes, for as many rows:   a square
//         read a vector of rows for each lane, turn, keep
//       for each row: what the fusion computes, with the lanes of the kept row
#ifndef SWAGE_CODEGEN_EMIT_SCHEDULES_TRANSPOSE_H_
#define SWAGE_CODEGEN_EMIT_SCHEDULES_TRANSPOSE_H_

#include "codegen/emit/schedule.h"
#include "codegen/emit/value_emitter.h"

namespace swage::emit {

// Makes a planned loop one of tiles if some parameter is read across the lanes, and along another
// axis one element after the other. For a CPU; squares.h is the same for a GPU.
StatusOr<KernelPlan> PlanTranspose(KernelPlan plan);
// The tasks [begin, end).
Status EmitTransposeKernel(const KernelPlan& plan, ValueEmitter& e, llvm::Value* begin,
                           llvm::Value* end);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_SCHEDULES_TRANSPOSE_H_
