// File: compiler/passes/fusion_group.h
//
// The state of priority fusion. Fusing a producer into all of its users means that its value is no
// longer stored; so the whole state is one bit per instruction, "stored" or not, and the kernel of
// a stored instruction is its cone: itself and all values behind it that are not stored.
// FusionGroups keeps, for every kernel, the figures that the cost model and the rules ask for, and
// updates them in O(producer) when a producer is merged. The sums are of dyadic numbers (size
// classes are powers of two), so they are exact and their order does not matter.
#ifndef SWAGE_COMPILER_PASSES_FUSION_GROUP_H_
#define SWAGE_COMPILER_PASSES_FUSION_GROUP_H_

#include <vector>

#include "base/small_map.h"
#include "compiler/cost/cost_model.h"
#include "compiler/cost/library_dot.h"
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
  SmallMap<ir::Instruction*, BodyValue> body;  // the root included
  SmallMap<ir::Instruction*, double> reads;    // stored operands: utilisation of each
  double cycles = 0;
  double distinct_bytes = 0, total_bytes = 0;  // of reads
  int64_t ir_ops = 0;
  ir::Instruction* hero = nullptr;  // its reduce or dot, if it has one
  bool expensive = false;           // too dear to compute in many kernels
  bool library = false;             // a dot that a library of a GPU computes
  // A dot that a library of the CPU computes: what that saves, as long as nothing is fused with it.
  cost::Picoseconds library_saving = 0;
  cost::Picoseconds time = 0;  // of one execution, without launch
};

// What fusing a producer into one of its readers would cost: both kernels apart, and as one.
struct Edge {
  cost::Picoseconds unfused = 0, fused = 0;
  bool vetoed = false;
};

// The kernels that read one value, with the sums over the edges to them, so that a change of one
// reader costs no look at the others.
class Readers {
 public:
  size_t size() const { return edges_.size(); }
  const SmallMap<Group*, Edge, 1>& edges() const { return edges_; }
  const Edge& sum() const { return sum_; }  // vetoed: some edge is

  void Add(Group* reader) { edges_.Insert(reader, Edge()); }
  void Set(Group* reader, const Edge& edge);
  void Remove(Group* reader);

 private:
  void Count(const Edge& edge, int sign);

  SmallMap<Group*, Edge, 1> edges_;
  Edge sum_;
  int64_t vetoes_ = 0;
};

class FusionGroups {
 public:
  FusionGroups(ir::Computation* computation, const cost::DeviceDescription& device,
               cost::LibraryDots library_dots = cost::LibraryDots::kAuto);

  // The kernel of a stored instruction that needs one; null for parameters, constants, tuples,
  // values that have been fused away ...
  Group* GroupOf(const ir::Instruction* instruction) const {
    return rows_[instruction->slot()].group;
  }
  // The kernels that read `value` from memory.
  Readers& ReadersOf(const ir::Instruction* value) { return rows_[value->slot()].readers; }
  const Readers& ReadersOf(const ir::Instruction* value) const {
    return rows_[value->slot()].readers;
  }

  // The figures of `consumer` if `producer` were computed inside it.
  struct Merged {
    BodyValue producer;  // how the producer's root would be computed
    double cycles, distinct_bytes, total_bytes;
    int64_t ir_ops, instructions, operands;
    cost::Picoseconds time;
  };
  Merged Try(const Group& producer, const Group& consumer) const;
  // Merges `producer` into all of its readers, whose edges are then to be set anew; its group is
  // gone.
  void Merge(Group* producer);

  // Kernels in the order of their roots.
  std::vector<Group*> Kernels() const;
  // The values of a kernel, operands before users.
  std::vector<ir::Instruction*> BodyOf(const Group& group) const;

 private:
  struct Row {
    Group* group = nullptr;
    Readers readers;
    double bytes = 0;
    int64_t position = 0;  // in order_
  };

  void AddRead(Group& group, ir::Instruction* value, double utilisation);
  void Retime(Group& group) const;
  double BytesOf(const ir::Instruction* value) const { return rows_[value->slot()].bytes; }

  const cost::DeviceDescription& device_;
  std::vector<ir::Instruction*> order_;
  std::vector<Group> groups_;
  std::vector<Row> rows_;  // by slot
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
