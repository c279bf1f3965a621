#include "compiler/passes/copy_elider.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "compiler/analysis/live_ranges.h"

namespace swage::passes {
namespace {

using analysis::LiveRanges;
using analysis::ValueId;
using ir::Instruction;

// Values that are (or have become) one buffer.
class Buffers {
 public:
  Buffers(const ir::Computation& computation, const LiveRanges& ranges)
      : parent_(ranges.values().size()), facts_(ranges.values().size()) {
    for (size_t i = 0; i < parent_.size(); ++i) {
      parent_[i] = static_cast<ValueId>(i);
      facts_[i].is_given = ranges.values()[i].begin < 0;
    }
    for (ValueId id : ranges.ValuesOf(computation.root())) ++facts_[id].outputs;
  }

  // Makes the two one buffer if they may be.
  bool Merge(ValueId a, ValueId b) {
    a = Find(a);
    b = Find(b);
    if (a == b) return true;
    const bool is_given = facts_[a].is_given || facts_[b].is_given;
    const int64_t outputs = facts_[a].outputs + facts_[b].outputs;
    if (outputs > (is_given ? 0 : 1)) return false;
    parent_[b] = a;
    facts_[a] = {is_given, outputs};
    return true;
  }

 private:
  struct Facts {
    bool is_given = false;
    int64_t outputs = 0;
  };

  ValueId Find(ValueId id) {
    while (parent_[id] != id) id = parent_[id] = parent_[parent_[id]];
    return id;
  }

  std::vector<ValueId> parent_;
  std::vector<Facts> facts_;
};

}  // namespace

StatusOr<int64_t> ElideCopies(ir::Computation& computation, absl::Span<Instruction* const> copies) {
  if (copies.empty()) return 0;
  SWAGE_ASSIGN_OR_RETURN(const LiveRanges ranges,
                         LiveRanges::Compute(computation, computation.PostOrder()));
  Buffers buffers(computation, ranges);
  absl::flat_hash_set<const Instruction*> elided;
  for (Instruction* copy : copies) {
    Instruction* source = copy->operand(0);
    if (copy->shape() != source->shape() || !copy->control_predecessors().empty()) continue;
    if (!buffers.Merge(ranges.ValueAt(source, {}), ranges.ValueAt(copy, {}))) continue;
    SWAGE_RETURN_IF_ERROR(copy->ReplaceAllUsesWith(source));
    elided.insert(copy);
  }
  if (elided.empty()) return 0;
  std::vector<Instruction*> schedule = computation.schedule();
  schedule.erase(std::remove_if(schedule.begin(), schedule.end(),
                                [&](Instruction* step) { return elided.contains(step); }),
                 schedule.end());
  computation.set_schedule(std::move(schedule));
  for (Instruction* copy : copies) {
    if (elided.contains(copy)) SWAGE_RETURN_IF_ERROR(computation.Remove(copy));
  }
  return static_cast<int64_t>(elided.size());
}

}  // namespace swage::passes
