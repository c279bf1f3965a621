// File: codegen/emit/fusion_analysis.h
//
// What a fusion reads and reduces, as functions of the axes of its iteration space: the emitter's
// walk without emitting. The planner picks the schedule and collapses axes from it.
#ifndef SWAGE_CODEGEN_EMIT_FUSION_ANALYSIS_H_
#define SWAGE_CODEGEN_EMIT_FUSION_ANALYSIS_H_

#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "base/status.h"
#include "codegen/emit/index_map.h"
#include "codegen/emit/loop_nest.h"
#include "compiler/ir/computation.h"

namespace swage::emit {

// One output of a kernel: element `element` of the values of `value`.
struct Leaf {
  const ir::Instruction* value = nullptr;
  int element = 0;
  ir::Shape shape;  // of the value
  // Where the value is only a part of the output: the dynamic-update-slice that puts it there.
  const ir::Instruction* update = nullptr;
};
// The outputs in order: the root, or the elements of its tuple.
StatusOr<std::vector<Leaf>> LeavesOf(const ir::Computation& fusion);

// Where the element of a leaf's value at `index` is stored: a row-major offset into the output.
ExprId StoreOffset(IndexArena& arena, const Leaf& leaf, IndexId index);

class FusionAnalysis {
 public:
  struct Use {
    const ir::Instruction* instruction;
    IndexId index;
  };

  explicit FusionAnalysis(IndexArena* arena) : arena_(arena) {}

  // Walks everything that `value` at `index` needs.
  Status Visit(const ir::Instruction* value, IndexId index, GuardId guard = kAlways);

  // What `value` at `index` needs is not walked.
  void StopAt(const ir::Instruction* value, IndexId index) {
    seen_.insert({value, index, kAlways});
  }

  // Offsets into parameters and array constants, iotas, and conditions.
  const std::vector<ExprId>& accesses() const { return accesses_; }
  // Those of the accesses that are conditions.
  const std::vector<ExprId>& conditions() const { return conditions_; }
  // Parameters that are read whatever the axes are.
  const std::vector<Use>& loads() const { return loads_; }
  const std::vector<Use>& reduces() const { return reduces_; }
  const std::vector<Use>& dots() const { return dots_; }
  // Distinct (instruction, index) pairs, by weight of the op.
  int64_t weight() const { return weight_; }

 private:
  Status VisitOperands(const ir::Instruction* op, IndexId index, GuardId guard);
  Status VisitLoads(ExprId expr);
  Status VisitReduce(const ir::Instruction* op, IndexId index, GuardId guard);
  Status VisitDot(const ir::Instruction* op, IndexId index, GuardId guard);
  void AddConditions(GuardId guard);

  IndexArena* arena_;
  absl::flat_hash_set<ValueKey> seen_;
  absl::flat_hash_set<ExprId> loads_seen_;
  std::vector<ExprId> accesses_, conditions_;
  std::vector<Use> loads_, reduces_, dots_;
  int64_t weight_ = 0;
};

// The operands' indices of a dot at an index of its result; one axis per contracting dimension.
struct DotIndices {
  IndexId lhs, rhs;
};
DotIndices MapDot(IndexArena& arena, const ir::Instruction* dot, IndexId index,
                  absl::Span<const ExprId> contracting);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_FUSION_ANALYSIS_H_
