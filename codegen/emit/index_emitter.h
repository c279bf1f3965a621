// File: codegen/emit/index_emitter.h
//
// Index expressions, guards and Dims as LLVM values, each emitted once in the scope where it
// belongs.
#ifndef SWAGE_CODEGEN_EMIT_INDEX_EMITTER_H_
#define SWAGE_CODEGEN_EMIT_INDEX_EMITTER_H_

#include <functional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "codegen/emit/index_map.h"
#include "codegen/emit/loop_nest.h"

namespace swage::emit {

class IndexEmitter {
 public:
  // Emits an instruction's value, for indices that the program computes.
  using LoadValue = std::function<StatusOr<llvm::Value*>(const ir::Instruction*, IndexId, GuardId)>;

  // The value of a run-time extent by its number, at the builder's place (in the outermost scope).
  using DimArgument = std::function<llvm::Value*(llvm::IRBuilder<>&, int64_t)>;

  // `dims` are the kernel's run-time extents (symbols).
  IndexEmitter(IndexArena* arena, LoopNest* nest, std::vector<ir::Dim> dims,
               DimArgument dim_argument, LoadValue load_value);

  // i64. Of a lane-dependent expression, the value of lane 0.
  StatusOr<llvm::Value*> Scalar(ExprId expr);
  // A vector of i64 with one element per lane; only where there are lanes.
  StatusOr<llvm::Value*> Vector(ExprId expr);
  // i1, or a vector of i1 when it differs between lanes; null when the guard always holds.
  StatusOr<llvm::Value*> Guard(GuardId guard);
  StatusOr<llvm::Value*> DimValue(ir::Dim dim);

 private:
  StatusOr<llvm::Value*> EmitScalar(ExprId expr);
  StatusOr<llvm::Value*> EmitVector(ExprId expr);
  StatusOr<llvm::Value*> EmitGuard(GuardId guard);
  StatusOr<llvm::Value*> EmitAtom(const Atom& atom, bool vector);
  StatusOr<llvm::Value*> EmitLoad(const Atom& atom);
  StatusOr<llvm::Value*> EmitDim(ir::Dim dim);
  StatusOr<llvm::Value*> Divisor(ir::Dim dim);
  llvm::IRBuilder<>& b() { return nest_->builder(); }

  IndexArena* arena_;
  LoopNest* nest_;
  std::vector<ir::Dim> dims_;
  DimArgument dim_argument_;
  LoadValue load_value_;
  absl::flat_hash_map<ir::Dim, llvm::Value*> dim_values_;
};

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_INDEX_EMITTER_H_
