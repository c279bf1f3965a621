// File: codegen/emit/index_ops.h
//
// How the ops that move data map an index of their result to indices of their operands. Used by the
// emitter, and by the planner to see which memory a fusion touches.
#ifndef SWAGE_CODEGEN_EMIT_INDEX_OPS_H_
#define SWAGE_CODEGEN_EMIT_INDEX_OPS_H_

#include <optional>
#include <vector>

#include "codegen/emit/index_map.h"
#include "compiler/ir/instruction.h"

namespace swage::emit {

// For ops that read operand 0 at exactly one index whatever the data: broadcast, reshape, bitcast,
// transpose, reverse, slice, dynamic-slice, copy. Else nullopt.
std::optional<IndexId> OperandIndex(IndexArena& arena, const ir::Instruction* op, IndexId index);

// The clamped start of a window of `size` in one dimension of operand 0; the starts are the
// operands from `first_start` on.
ExprId ClampedStart(IndexArena& arena, const ir::Instruction* op, int dimension, int first_start,
                    ir::Dim size);

// pad: where operand 0 is read, and when. dynamic-update-slice: the same for the update.
struct PadIndex {
  IndexId index;
  GuardId operand_guard;  // the given guard and `inside`
  GuardId inside;
};
PadIndex MapPad(IndexArena& arena, const ir::Instruction* op, IndexId index, GuardId guard);
PadIndex MapUpdate(IndexArena& arena, const ir::Instruction* op, IndexId index, GuardId guard);

// concatenate: operand i holds the value where the index is before its end and not before its
// start.
struct ConcatPart {
  IndexId index;
  GuardId guard;  // the given guard, and inside this operand
  GuardId before_end;
};
std::vector<ConcatPart> MapConcatenate(IndexArena& arena, const ir::Instruction* op, IndexId index,
                                       GuardId guard);

IndexId MapGather(IndexArena& arena, const ir::Instruction* op, IndexId index, GuardId guard);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_INDEX_OPS_H_
