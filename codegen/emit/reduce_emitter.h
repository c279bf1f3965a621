// File: codegen/emit/reduce_emitter.h
//
// A reduce while it is being emitted, for reduce_value.cc (levels, chunks, partials in memory),
// reduce_registers.cc (rows along the lanes, partials in registers) and reduce_team.cc (rows shared
// out to the threads of a GPU).
#ifndef SWAGE_CODEGEN_EMIT_REDUCE_EMITTER_H_
#define SWAGE_CODEGEN_EMIT_REDUCE_EMITTER_H_

#include <vector>

#include "base/function_ref.h"
#include "codegen/emit/combiner.h"
#include "codegen/emit/shared_values.h"
#include "codegen/emit/value_emitter.h"

namespace swage::emit {

class ReduceEmitter {
 public:
  ReduceEmitter(ValueEmitter& e, const ir::Instruction* op, IndexId index, GuardId guard)
      : e_(e), b_(e.b()), op_(op), index_(index), guard_(guard), combiner_(op) {}

  StatusOr<Values> Emit();

 private:
  struct Level {
    int dimension;
    AxisId axis;
    ir::Dim extent;
    int partials;      // a power of two
    bool along_lanes;  // the lanes run along this dimension
    bool by_team;      // the threads of a team share it
    bool by_column;    // the threads of a column share it
  };
  // An array of values in memory, one slot per partial.
  struct Slots {
    std::vector<llvm::Value*> arrays;  // one per value of the combiner
    int width;                         // lanes per slot
  };

  Slots NewSlots(int count, int width);
  // `width` lanes from slot `index` on (of slots of one lane), or the slot's own lanes.
  Values LoadSlot(const Slots& slots, llvm::Value* index, int width);
  void StoreSlot(const Slots& slots, llvm::Value* index, const Values& values);

  StatusOr<Values> EmitLevel(size_t level);
  StatusOr<Values> EmitChunks(size_t level);
  // Who shares the chunks of a level: the warps of a team, or the groups of a column's threads.
  struct Workers {
    int64_t chunk;        // elements of one
    llvm::Value* number;  // of this thread's worker
    llvm::Value* count;
    llvm::Value* tells;       // this thread tells the others what its worker has found, in the slot
    llvm::Value* first_slot;  // of the first worker; the next one has the slot after `stride`
    llvm::Value* stride;
    int64_t slots;
  };
  Workers WorkersOf(const Level& level);
  StatusOr<Values> EmitChunksByWorkers(size_t level);
  StatusOr<Values> EmitChunkByWorker(size_t level, llvm::Value* lo, llvm::Value* hi);
  // A chunk by the threads of a warp, which all get the result.
  StatusOr<Values> EmitChunkByWarp(size_t level, llvm::Value* lo, llvm::Value* hi);
  // Adds this thread's element at `at` to its partial `number`; `first`: it is the first there.
  Status AddElement(size_t level, llvm::Value* at, int number, llvm::Value* first,
                    std::vector<llvm::Value*>* partials);
  StatusOr<Values> JoinWarp(const std::vector<llvm::Value*>& partials, llvm::Value* count);
  // A chunk by the threads of a column's group, which all get the result; they share memory of the
  // block.
  StatusOr<Values> EmitChunkByColumn(size_t level, llvm::Value* lo, llvm::Value* hi);
  // What a partial in registers holds before its first element: the identity, or zeros.
  std::vector<llvm::Value*> EmptyPartial();
  // Counts the chunks that the workers have made of this round, in order.
  Status ExchangeChunks(const Workers& workers, const Slots& counter, SharedValues& shared,
                        llvm::Value* round, llvm::Value* chunks,
                        std::vector<llvm::Value*>* carried);
  using Emitted = FunctionRef<StatusOr<Values>()>;
  // One or the other, by whether the row fits into so many vectors; the values are scalars.
  StatusOr<Values> IfFits(size_t level, int vectors, Emitted yes, Emitted no);
  // The most vectors that a short row has; 0: no row is treated as short.
  int ShortVectors(const Level& level) const;
  StatusOr<Values> EmitShortBySize(size_t level, int count);
  StatusOr<Values> EmitShort(size_t level, int count);
  StatusOr<Values> EmitChunk(size_t level, llvm::Value* lo, llvm::Value* hi);
  StatusOr<Values> EmitChunkInRegisters(size_t level, llvm::Value* lo, llvm::Value* hi);
  bool IsLight() const;
  StatusOr<llvm::Value*> TailVector(size_t level, llvm::Value* lo, llvm::Value* hi);
  Status Accumulate(size_t level, const Slots& slots, llvm::Value* lo, llvm::Value* at);
  StatusOr<Values> ElementAt(size_t level);
  StatusOr<llvm::Value*> JoinHalves(std::vector<llvm::Value*> vectors);
  // The partials in registers, rotated, after this many elements (null: not few).
  StatusOr<Values> JoinRotated(const std::vector<llvm::Value*>& partials, llvm::Value* elements);
  // The partials of the vectors, in order; `count` of them exist (null: all).
  StatusOr<Values> JoinVectors(std::vector<Values> vectors, int partials, llvm::Value* count);
  StatusOr<Values> JoinSlots(const Slots& slots, int partials, llvm::Value* count);
  Status Count(const Slots& counter, llvm::Value* chunk, std::vector<llvm::Value*>* carried);
  Status JoinChunks(const Slots& slots, llvm::Value* chunks, std::vector<llvm::Value*>* carried);
  StatusOr<Values> WithInit(const Values& total);

  ValueEmitter& e_;
  llvm::IRBuilder<>& b_;
  const ir::Instruction* op_;
  IndexId index_;
  GuardId guard_;
  Combiner combiner_;
  std::vector<Level> levels_;  // outermost first
  IndexId element_index_ = 0;
  int lane_width_ = 1;  // lanes of the surrounding loop that the result differs in
};

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_REDUCE_EMITTER_H_
