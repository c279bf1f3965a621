// File: codegen/emit/loop_nest.h
//
// The loops of a kernel while it is being emitted. Each loop opens a scope that binds axes to LLVM
// values; an axis is bound to tasks, to lanes (a vector of consecutive values per iteration) or to
// a serial loop. What a scope computes is memoised there, and code that depends only on the axes of
// an outer scope is emitted in that scope, before the inner loop: values are hoisted by
// construction.
//
//   nest.For(lo, hi, step, {}, body)   a serial loop
//   nest.LaneLoop(axis, lo, hi, ...)   full vectors, then one masked tail or a scalar tail
#ifndef SWAGE_CODEGEN_EMIT_LOOP_NEST_H_
#define SWAGE_CODEGEN_EMIT_LOOP_NEST_H_

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "base/function_ref.h"
#include "base/status.h"
#include "codegen/emit/index_map.h"
#include "llvm/IR/IRBuilder.h"

namespace swage::emit {

// The lanes of the current loop: lane l of a vector stands for axis value base + l.
struct Lanes {
  AxisId axis = -1;
  int width = 1;                // 1: no lanes, the axis is bound to one value
  llvm::Value* mask = nullptr;  // lanes that exist; null: all
};

// The values of an instruction: one, or one per element of a tuple. Each is a scalar (the same for
// all lanes) or a vector of lanes.
using Values = absl::InlinedVector<llvm::Value*, 1>;

using ValueKey = std::tuple<const ir::Instruction*, IndexId, GuardId>;

class LoopNest {
 public:
  struct Scope {
    absl::flat_hash_map<AxisId, llvm::Value*> axes;
    absl::flat_hash_map<ValueKey, Values> values;
    absl::flat_hash_map<std::pair<ExprId, bool>, llvm::Value*> exprs;  // bool: as a vector
    absl::flat_hash_map<GuardId, llvm::Value*> guards;
    Lanes lanes;
    // On a GPU: the threads of a team are at different places here, so they can do nothing
    // together.
    bool threads_differ = false;
    // While an inner scope is open: the block where this scope's code goes, and what follows it.
    llvm::BasicBlock* hoist = nullptr;
    llvm::BasicBlock* landing = nullptr;
  };

  // `function` is empty; its body starts here.
  LoopNest(llvm::Function* function, llvm::IRBuilder<>* builder);

  int depth() const { return static_cast<int>(scopes_.size()) - 1; }
  Scope& scope(int depth) { return scopes_[depth]; }
  Scope& current() { return scopes_.back(); }
  const Lanes& lanes() const { return scopes_.back().lanes; }

  // The outermost scope in which all of `axes` are bound.
  int DepthOf(const AxisSet& axes) const;
  llvm::Value* AxisValue(AxisId axis) const;
  void Bind(AxisId axis, llvm::Value* value) { scopes_.back().axes[axis] = value; }
  // Whether a value over these axes differs between the current lanes.
  bool UsesLanes(const AxisSet& axes) const;

  // Emits in the scope at `depth`, before the loop that is open there.
  template <typename Fn>
  auto At(int depth, Fn&& fn) {
    if (depth == this->depth()) return fn();
    Suspended suspended = Suspend(depth);
    auto result = fn();
    Resume(std::move(suspended));
    return result;
  }

  using Body = FunctionRef<Status()>;
  // For iv = lo; iv < hi; iv += step: the body gets iv and the loop-carried values, and replaces
  // them.
  using LoopBody = FunctionRef<Status(llvm::Value* iv, std::vector<llvm::Value*>* carried)>;
  // `carried` holds the first values before, the last ones after.
  Status For(llvm::Value* lo, llvm::Value* hi, int64_t step, std::vector<llvm::Value*>* carried,
             LoopBody body) {
    return For(lo, hi, Int(step), carried, body);
  }
  Status For(llvm::Value* lo, llvm::Value* hi, llvm::Value* step,
             std::vector<llvm::Value*>* carried, LoopBody body);
  Status If(llvm::Value* condition, Body body);
  // The body may replace the carried values; where it is skipped they stay.
  Status IfCarried(llvm::Value* condition, std::vector<llvm::Value*>* carried, Body body);
  // One of two; each replaces the carried values.
  Status IfElse(llvm::Value* condition, std::vector<llvm::Value*>* carried, Body then, Body other);
  // A scope of its own, without control flow: axes may be bound anew inside, and what is emitted
  // there may be used behind it.
  Status Scoped(Body body);

  // A part of an axis of `extent` elements (a value of the outermost scope). `lo` is a multiple of
  // every vector width, and `hi` is too, unless it is the extent.
  struct Range {
    llvm::Value* lo;
    llvm::Value* hi;
    llvm::Value* extent;
  };
  // Runs `body` for axis in the range: with `width` lanes bound to it while a full vector fits,
  // then for the rest once under a mask (masked_tail) or one by one.
  Status LaneLoop(AxisId axis, Range range, int width, bool masked_tail, Body body);
  // The same with a mask around every vector, so that there is one copy of the body: for bodies so
  // large that a mask costs nothing beside them and a second copy would take long to compile.
  Status MaskedLoop(AxisId axis, Range range, int width, Body body);

  // For a GPU thread: a range of at most `width` elements, as one vector where it is full and
  // `aligned` (a condition) holds, else one by one.
  Status VectorOrElements(AxisId axis, Range range, int width, llvm::Value* aligned, Body body);

  // The lanes of the last, partial vector of an axis, under a mask; one mask serves all loops.
  Lanes MaskedLanes(AxisId axis, llvm::Value* extent, int width);

  // The first `count` lanes (0 to `width`, a value of the outermost scope), under a mask.
  Lanes LeadingLanes(AxisId axis, llvm::Value* count, int width);

  // A stack slot of the whole function.
  llvm::AllocaInst* Alloca(llvm::Type* type, int64_t count, int64_t alignment);
  llvm::Value* Int(int64_t value) { return builder_->getInt64(value); }
  // <0, 1, ..., width - 1> with elements of `bits` bits.
  llvm::Constant* LaneNumbers(int width, int bits);
  llvm::IRBuilder<>& builder() { return *builder_; }
  llvm::Function* function() { return function_; }

 private:
  struct Suspended {
    std::vector<Scope> scopes;
    llvm::BasicBlock* block;
    llvm::BasicBlock* landing;
  };
  Suspended Suspend(int depth);
  void Resume(Suspended suspended);
  // Ends the current block and starts a scope inside the current one, whose lanes it inherits.
  void Open();
  void Close();
  llvm::BasicBlock* NewBlock(const char* name);
  Status LaneTail(AxisId axis, Range range, int width, bool masked, Body body);
  // A mask of the first `count` lanes, of which there are `width`.
  llvm::Value* FirstLanes(llvm::Value* count, int width);

  llvm::Function* function_;
  llvm::IRBuilder<>* builder_;
  llvm::BasicBlock* entry_;  // allocas only
  std::vector<Scope> scopes_;
  absl::flat_hash_map<std::pair<llvm::Value*, int>, llvm::Value*> masks_;  // by extent and width
};

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_LOOP_NEST_H_
