// File: codegen/emit/schedules/dot_tiles.h
//
// Dots on a GPU: a block computes a tile of the result.
//
//   for each stage of k:  the threads fetch their parts of the next stage's sides, add the products
//                         of this one, which are in shared memory, and put what they have fetched
//   for each round of rows:  the sums go through shared memory; the epilogue is a loop over them in
//                            the result's order
//
// There are coarse tiles and fine ones, and the launch decides (sharing.h). Every sum runs over
// k in one order, whichever it is: the bits do not depend on tiles or baked extents.
#ifndef SWAGE_CODEGEN_EMIT_SCHEDULES_DOT_TILES_H_
#define SWAGE_CODEGEN_EMIT_SCHEDULES_DOT_TILES_H_

#include "codegen/emit/schedule.h"
#include "codegen/emit/value_emitter.h"

namespace swage::emit {

// Not where an extent is known to be 1, since nothing would be used twice.
bool IsWorthBlockTiles(const ir::Instruction& dot);
// A matrix times a vector, or the other way round, where it is not sums of rows: each sum is shared
// by the threads of a column.
bool IsSumOfColumns(const ir::Instruction& dot);
StatusOr<KernelPlan> PlanDotTiles(KernelPlan plan);
Status EmitDotTiles(const KernelPlan& plan, ValueEmitter& e);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_SCHEDULES_DOT_TILES_H_
