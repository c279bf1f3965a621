// File: codegen/emit/schedules/dot.h
//
// Dots in register tiles. A task is one panel of columns (two vectors wide) over one chunk of rows:
//
//   for each block of k:  the panel of the right side is packed unless it can be read in place; the
//                         chunk of the left side is packed unless it can be read in place
//     for each tile of rows:  14 x 2 accumulators (6 x 2 on AVX2), then smaller tiles for the rest
//   for each row of the chunk:  the epilogue, on vectors of the finished sums
//
// Panels are packed again for each chunk of rows unless all of k is one block. Chunks are tall, so
// that this costs little; tasks of one chunk follow each other, so that its left side stays near.
//
// Every sum runs over k in order, so the bits do not depend on tasks, tiles or baked extents. With
// AVX512-BF16, bf16 sides are multiplied in pairs.
#ifndef SWAGE_CODEGEN_EMIT_SCHEDULES_DOT_H_
#define SWAGE_CODEGEN_EMIT_SCHEDULES_DOT_H_

#include "codegen/emit/schedule.h"
#include "codegen/emit/value_emitter.h"

namespace swage::emit {

// Whether the fusion is this dot and then only ops that keep its elements apart: every output is
// made of the dot's elements by elementwise ops, reshapes and transposes.
bool IsTiledDot(const KernelPlan& plan, const ir::Instruction* dot);
// A matrix times a vector (or the other way round, or two vectors) is not worth tiles: each sum
// runs along the lanes where the matrix lies so, or the lanes are sums of their own.
enum class VectorDot : uint8_t { kNo, kSumsOfRows, kSumsOfLanes };
VectorDot KindOfVectorDot(const ir::Instruction& dot);
StatusOr<KernelPlan> PlanDot(KernelPlan plan);
Status EmitDotKernel(const KernelPlan& plan, ValueEmitter& e, llvm::Value* begin, llvm::Value* end);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_SCHEDULES_DOT_H_
