// File: codegen/emit/value_emitter.h
//
// Emits the value of an instruction at an index: all producers are computed in place, memoised by
// (instruction, index, guard) in the scope where their index belongs. Code size is linear in the
// number of distinct indices, however often a value is used.
//
// Under a guard that does not hold a value is arbitrary, and nothing is read.
#ifndef SWAGE_CODEGEN_EMIT_VALUE_EMITTER_H_
#define SWAGE_CODEGEN_EMIT_VALUE_EMITTER_H_

#include <vector>

#include "absl/types/span.h"
#include "base/status.h"
#include "codegen/emit/emit_options.h"
#include "codegen/emit/index_emitter.h"
#include "codegen/emit/index_map.h"
#include "codegen/emit/loop_nest.h"
#include "codegen/emit/thread_grid.h"
#include "compiler/ir/computation.h"
#include "llvm/IR/Module.h"

namespace swage::emit {

class ValueEmitter {
 public:
  // `buffers` are the kernel's pointers: parameters, then outputs. `width` is the number of lanes
  // of a full vector.
  ValueEmitter(const EmitOptions& options, int width, std::vector<ir::Dim> dims,
               llvm::Module* module, LoopNest* nest, std::vector<llvm::Value*> buffers,
               IndexEmitter::DimArgument dim_argument);

  // On a GPU, the threads; null on a CPU.
  ThreadGrid* grid() const { return grid_; }
  void set_grid(ThreadGrid* grid) { grid_ = grid; }
  // Whether a team of threads is together at this place, to share a reduction.
  bool HasTeamHere() const { return IsShared(Sharing::kRows); }
  // The same for the threads of a column.
  bool HasColumnHere() const { return IsShared(Sharing::kColumns); }

  // The value of an array instruction; and of a tuple instruction, element by element.
  StatusOr<llvm::Value*> Value(const ir::Instruction* instruction, IndexId index,
                               GuardId guard = kAlways);
  StatusOr<Values> All(const ir::Instruction* instruction, IndexId index, GuardId guard = kAlways);
  // From here on, in the current scope, this is the value.
  void Preset(const ir::Instruction* instruction, IndexId index, llvm::Value* value);

  // Where the values of one instruction along one axis are also kept.
  struct Record {
    const ir::Instruction* instruction;
    IndexId index;
    AxisId axis;
    llvm::Value* slots;  // stored elements, `capacity` (a power of two) and one vector more
    int64_t capacity;    // an element beyond it overwrites an earlier one
  };
  // Keeps what is emitted for `record` from now on; null: nothing.
  void set_record(const Record* record) { record_ = record; }

  // A block of a parameter at one index: `slots` holds stored elements, a row of `pitch` for each
  // value of `rows` from first_row on, in which the one at first_lane of `lanes` is the first.
  struct Tile {
    const ir::Instruction* parameter;
    IndexId index;
    AxisId rows, lanes;
    llvm::Value* first_row;
    llvm::Value* first_lane;
    llvm::Value* slots;
    int64_t pitch;
  };
  // The element of a tile at the current place of its axes.
  llvm::Value* SlotOf(const Tile& tile);
  // From where they are read from now on.
  void set_tiles(std::vector<Tile> tiles) { tiles_ = std::move(tiles); }

  // Reads an array at a row-major offset, and writes one.
  StatusOr<llvm::Value*> Load(llvm::Value* base, ir::DType dtype, ExprId offset, GuardId guard);
  Status Store(llvm::Value* base, ir::DType dtype, ExprId offset, llvm::Value* value);

  // A computation over scalars, applied to values (reduce, map, call); one value per result.
  StatusOr<Values> Apply(const ir::Computation& computation, absl::Span<llvm::Value* const> args);
  // An elementwise op; scalars are spread over the lanes of the others.
  StatusOr<llvm::Value*> Elementwise(const ir::Instruction& instruction,
                                     absl::Span<llvm::Value* const> operands);
  StatusOr<llvm::Value*> Convert(ir::DType from, ir::DType to, llvm::Value* value);

  // An integer expression as values of `dtype`.
  StatusOr<llvm::Value*> ExprAs(ExprId expr, ir::DType dtype);
  // `condition` may be null (holds always), a scalar or lanes.
  llvm::Value* Select(llvm::Value* condition, llvm::Value* yes, llvm::Value* no);

  IndexArena& arena() { return arena_; }
  LoopNest& nest() { return *nest_; }
  IndexEmitter& indices() { return indices_; }
  llvm::IRBuilder<>& b() { return nest_->builder(); }
  const EmitOptions& options() const { return options_; }
  int width() const { return width_; }
  llvm::Value* buffer(int i) const { return buffers_[i]; }
  // The axis that a reduce or dot runs over, the same one each time that this index is emitted.
  AxisId InnerAxis(const ir::Instruction* instruction, IndexId index, GuardId guard, int number,
                   ir::Dim extent);
  // ResourceExhausted when the kernel has grown beyond the cap.
  Status CheckSize();

 private:
  bool IsShared(Sharing sharing) const {
    return grid_ != nullptr && grid_->sharing() == sharing && !nest_->current().threads_differ;
  }
  // Memoised, in the scope where it belongs.
  StatusOr<Values> EmitOnce(const ir::Instruction* instruction, IndexId index, GuardId guard);
  StatusOr<Values> Emit(const ir::Instruction* instruction, IndexId index, GuardId guard);
  bool IsKnown(const ValueKey& key);
  int DepthOf(IndexId index, GuardId guard);
  StatusOr<llvm::Value*> EmitConstant(const ir::Instruction* instruction, IndexId index,
                                      GuardId guard);
  StatusOr<Values> EmitElementwiseAt(const ir::Instruction* instruction, IndexId index,
                                     GuardId guard);
  // What a chain of elementwise ops and renamings needs, operands first: long chains must not
  // recurse.
  Status EmitChain(const ValueKey& last);
  // The operands' values that such an op needs; none for other ops.
  std::vector<ValueKey> Needs(const ValueKey& key);
  llvm::Align VectorAlign(ir::DType dtype) const;
  llvm::Value* Scratch();
  // A load that is not made where the condition (a scalar; null: holds) fails; then it is zero.
  StatusOr<llvm::Value*> LoadIf(llvm::Value* condition, llvm::Type* type, llvm::Value* pointer,
                                llvm::Align align);
  void Keep(llvm::Value* value);
  // From the tile that has it; null: none has.
  llvm::Value* LoadFromTile(const ir::Instruction* parameter, IndexId index);

  EmitOptions options_;
  int width_;
  llvm::Module* module_;
  LoopNest* nest_;
  std::vector<llvm::Value*> buffers_;
  IndexArena arena_;
  IndexEmitter indices_;
  llvm::Value* scratch_ = nullptr;
  ThreadGrid* grid_ = nullptr;
  absl::flat_hash_map<const ir::Instruction*, llvm::Value*> constant_data_;
  absl::flat_hash_map<std::tuple<const ir::Instruction*, IndexId, GuardId, int>, AxisId>
      inner_axes_;
  int64_t emitted_ = 0;
  const Record* record_ = nullptr;
  std::vector<Tile> tiles_;
};

// The families of ops, each in its own file. All emit in the current scope.
StatusOr<llvm::Value*> EmitMoved(ValueEmitter& e, const ir::Instruction* op, IndexId index,
                                 GuardId guard);  // index_ops.cc
StatusOr<Values> EmitReduce(ValueEmitter& e, const ir::Instruction* op, IndexId index,
                            GuardId guard);  // reduce_value.cc
StatusOr<llvm::Value*> EmitDot(ValueEmitter& e, const ir::Instruction* op, IndexId index,
                               GuardId guard);  // dot_value.cc

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_VALUE_EMITTER_H_
