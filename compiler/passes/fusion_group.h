// File: compiler/passes/fusion_group.h
//
// The state of priority fusion. Fusing a producer into all of its users means that its value is no
// longer stored; so the whole state is one bit per instruction, "stored" or not, and the kernel of a
// stored instruction is its cone: itself and all values behind it that are not stored. FusionGroups
// keeps, for every kernel, the figures that the cost model and the rules ask for, and updates them in
// O(producer) when a producer is merged. The sums are of dyadic numbers (size classes are powers of
// two), so they are exact and their order does not matter.
#ifndef SWAGE_COMPILER_PASSES_FUSION_GROUP_H_
#define SWAGE_COMPILER_PASSES_FUSION_GROUP_H_

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "compiler/cost/cost_model.h"
#include "compiler/ir/computation.h"

namespace swage::passes {

// How a kernel computes one of its values.
struct BodyValue {
  double utilisation = 1;  // times each element is computed
  int maps = 1;            // distinct index maps: how often the emitter writes its code
  bool identity = false;   // indexed as the root is, so that an epilogue can apply it
};

struct Group {
  ir::Instruction* root = nullptr;
  absl::flat_hash_map<ir::Instruction*, BodyValue> body;  // the root included
  absl::flat_hash_map<ir::Instruction*, double> reads;    // stored operands: utilisation of each
  double cycles = 0;
  double distinct_bytes = 0, total_bytes = 0;             // of reads
  int64_t ir_ops = 0;
  ir::Instruction* hero = nullptr;                        // its reduce or dot, if it has one
  cost::Picoseconds time = 0;                             // of one execution, without launch
};

class FusionGroups {
 public:
  FusionGroups(ir::Computation* computation, const cost::DeviceDescription& device);

  // The kernel of a stored instruction that needs one; null for parameters, constants, tuples,
  // values that have been fused away ...
  Group* GroupOf(const ir::Instruction* instruction) const;
  // The kernels that read `producer` from memory.
  const std::vector<Group*>& Readers(const ir::Instruction* producer) const;

  // The figures of `consumer` if `producer` were computed inside it.
  struct Merged {
    BodyValue producer;       // how the producer's root would be computed
    double cycles, distinct_bytes, total_bytes;
    int64_t ir_ops, instructions, operands;
    cost::Picoseconds time;
  };
  Merged Try(const Group& producer, const Group& consumer) const;
  // Merges `producer` into all of its readers; its group is gone then.
  void Merge(Group* producer);

  // Kernels in the order of their roots.
  std::vector<Group*> Kernels() const;

 private:
  void AddRead(Group& group, ir::Instruction* value, double utilisation);
  void Retime(Group& group) const;

  // Ids are dense within a computation that was just built, so rows by id are cheaper than a hash.
  struct Row {
    std::unique_ptr<Group> group;
    std::vector<Group*> readers;
  };
  Row& RowOf(const ir::Instruction* instruction) { return rows_[instruction->id() - first_id_]; }
  const Row& RowOf(const ir::Instruction* instruction) const {
    return rows_[instruction->id() - first_id_];
  }

  const cost::DeviceDescription& device_;
  std::vector<ir::Instruction*> order_;
  int64_t first_id_ = 0;
  std::vector<Row> rows_;
};

// Ops that can be computed inside a kernel.
bool IsFusible(const ir::Instruction& instruction);
// Scalars, which are written into the code of each kernel that reads them.
bool IsInlineConstant(const ir::Instruction& instruction);
// Reinterprets bytes; costs nothing where it is stored.
bool IsFreeView(const ir::Instruction& instruction);
// Estimated LLVM instructions of one emission of `instruction`.
int64_t IrOpsOf(const ir::Instruction& instruction);

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_FUSION_GROUP_H_
