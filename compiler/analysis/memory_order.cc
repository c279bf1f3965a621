#include "compiler/analysis/memory_order.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "compiler/analysis/buffer_assignment.h"
#include "compiler/analysis/live_ranges.h"

namespace swage::analysis {
namespace {

using ir::Instruction;

absl::flat_hash_map<const Instruction*, int32_t> PositionsOf(
    absl::Span<Instruction* const> program) {
  absl::flat_hash_map<const Instruction*, int32_t> positions;
  positions.reserve(program.size());
  for (size_t i = 0; i < program.size(); ++i) positions[program[i]] = static_cast<int32_t>(i);
  return positions;
}

class ListScheduler {
 public:
  ListScheduler(const LiveRanges& ranges, absl::Span<Instruction* const> program)
      : ranges_(ranges), program_(program), position_(PositionsOf(program)) {
    const size_t steps = program.size(), values = ranges.values().size();
    priority_.resize(steps);
    waits_for_.resize(steps);
    reads_.resize(steps);
    is_done_.resize(steps);
    readers_.resize(values);
    remaining_.resize(values);
    bytes_.resize(values);
  }

  std::vector<Instruction*> Run() {
    for (size_t i = 0; i < bytes_.size(); ++i) {
      const Value& value = ranges_.values()[i];
      if (value.begin >= 0 && !value.is_output) bytes_[i] = value.bytes;
    }
    for (size_t i = 0; i < program_.size(); ++i) AddStep(static_cast<int32_t>(i));
    for (size_t value = 0; value < readers_.size(); ++value) {
      remaining_[value] = static_cast<int32_t>(readers_[value].size());
      if (remaining_[value] == 1) priority_[readers_[value][0]] += bytes_[value];
    }
    for (size_t i = 0; i < program_.size(); ++i) {
      if (waits_for_[i] == 0) MakeReady(static_cast<int32_t>(i));
    }
    std::vector<Instruction*> order;
    order.reserve(program_.size());
    while (!ready_.empty()) {
      const int32_t step = ready_.begin()->second;
      ready_.erase(ready_.begin());
      order.push_back(program_[step]);
      Finish(step);
    }
    return order;
  }

 private:
  void AddStep(int32_t step) {
    const Instruction* instruction = program_[step];
    for (const Instruction* user : instruction->users()) ++waits_for_[position_[user]];
    for (const Instruction* after : instruction->control_successors()) {
      ++waits_for_[position_[after]];
    }
    if (IsAlias(*instruction)) {
      priority_[step] = kAtOnce;
      return;
    }
    for (const Instruction* operand : instruction->operands()) {
      for (ValueId id : ranges_.ValuesOf(operand)) {
        if (bytes_[id] > 0) reads_[step].push_back(id);
      }
    }
    std::sort(reads_[step].begin(), reads_[step].end());
    reads_[step].erase(std::unique(reads_[step].begin(), reads_[step].end()), reads_[step].end());
    for (ValueId id : reads_[step]) readers_[id].push_back(step);
    for (ValueId id : ranges_.ValuesOf(instruction)) priority_[step] -= bytes_[id];
  }

  void MakeReady(int32_t step) { ready_.insert({-priority_[step], step}); }

  void Finish(int32_t step) {
    is_done_[step] = true;
    for (ValueId id : reads_[step]) {
      if (--remaining_[id] != 1) continue;
      // Whoever reads it last frees it.
      const auto last = std::find_if(readers_[id].begin(), readers_[id].end(),
                                     [&](int32_t reader) { return !is_done_[reader]; });
      const bool is_ready = ready_.erase({-priority_[*last], *last}) > 0;
      priority_[*last] += bytes_[id];
      if (is_ready) MakeReady(*last);
    }
    const Instruction* instruction = program_[step];
    for (const Instruction* user : instruction->users()) Release(user);
    for (const Instruction* after : instruction->control_successors()) Release(after);
  }

  void Release(const Instruction* instruction) {
    const int32_t step = position_[instruction];
    if (--waits_for_[step] == 0) MakeReady(step);
  }

  static constexpr int64_t kAtOnce = std::numeric_limits<int64_t>::max() / 2;

  const LiveRanges& ranges_;
  const absl::Span<Instruction* const> program_;
  absl::flat_hash_map<const Instruction*, int32_t> position_;
  std::vector<int64_t> priority_;              // by step
  std::vector<int32_t> waits_for_;             // by step: operands and control edges to come
  std::vector<std::vector<ValueId>> reads_;    // by step
  std::vector<bool> is_done_;                  // by step
  std::vector<std::vector<int32_t>> readers_;  // by value: steps
  std::vector<int32_t> remaining_;             // by value: readers to come
  std::vector<int64_t> bytes_;                 // by value: in the arena
  std::set<std::pair<int64_t, int32_t>> ready_;
};

// Bytes, in floating point because the estimate adds up along every path.
struct Need {
  double peak = 0;   // while it is computed
  double holds = 0;  // afterwards
};

}  // namespace

StatusOr<std::vector<Instruction*>> ListOrder(const ir::Computation& computation,
                                              absl::Span<Instruction* const> program) {
  SWAGE_ASSIGN_OR_RETURN(const LiveRanges ranges, LiveRanges::Compute(computation, program));
  std::vector<Instruction*> order = ListScheduler(ranges, program).Run();
  SWAGE_RET_CHECK(order.size() == program.size(), computation.name(), " has a cycle");
  return order;
}

StatusOr<std::vector<Instruction*>> DepthFirstOrder(const ir::Computation& computation,
                                                    absl::Span<Instruction* const> program) {
  SWAGE_ASSIGN_OR_RETURN(const LiveRanges ranges, LiveRanges::Compute(computation, program));
  absl::flat_hash_map<const Instruction*, int32_t> position = PositionsOf(program);
  std::vector<Need> needs(program.size());
  std::vector<std::vector<Instruction*>> before(program.size());  // in the order to visit
  for (size_t i = 0; i < program.size(); ++i) {
    const Instruction* instruction = program[i];
    std::vector<Instruction*>& inputs = before[i];
    inputs.assign(instruction->operands().begin(), instruction->operands().end());
    inputs.insert(inputs.end(), instruction->control_predecessors().begin(),
                  instruction->control_predecessors().end());
    std::stable_sort(inputs.begin(), inputs.end(), [&](Instruction* a, Instruction* b) {
      const Need& x = needs[position[a]];
      const Need& y = needs[position[b]];
      return x.peak - x.holds > y.peak - y.holds;
    });
    double held = 0;
    for (const Instruction* input : inputs) {
      const Need& need = needs[position[input]];
      needs[i].peak = std::max(needs[i].peak, held + need.peak);
      held += need.holds;
    }
    for (ValueId id : ranges.ValuesOf(instruction)) {
      const Value& value = ranges.value(id);
      if (value.begin >= 0 && !value.is_output) {
        needs[i].holds += static_cast<double>(value.bytes);
      }
    }
    needs[i].peak = std::max(needs[i].peak, held + (IsAlias(*instruction) ? 0 : needs[i].holds));
  }

  std::vector<Instruction*> order;
  std::vector<size_t> next(program.size(), 0);
  std::vector<bool> is_done(program.size());
  std::vector<int32_t> stack;
  const auto visit = [&](const Instruction* start) {
    stack.push_back(position[start]);
    while (!stack.empty()) {
      const int32_t step = stack.back();
      if (!is_done[step] && next[step] < before[step].size()) {
        stack.push_back(position[before[step][next[step]++]]);
        continue;
      }
      stack.pop_back();
      if (is_done[step]) continue;
      is_done[step] = true;
      order.push_back(program[step]);
    }
  };
  visit(computation.root());
  for (const Instruction* instruction : program) visit(instruction);
  return order;
}

StatusOr<MemorySchedule> ScheduleForMemory(const ir::Computation& computation) {
  const auto arena_bytes = [&](absl::Span<Instruction* const> order) -> StatusOr<int64_t> {
    SWAGE_ASSIGN_OR_RETURN(const BufferAssignment buffers, AssignBuffers(computation, order));
    return buffers.arena_bytes();
  };
  const std::vector<Instruction*> program = computation.PostOrder();
  SWAGE_ASSIGN_OR_RETURN(const int64_t program_bytes, arena_bytes(program));
  MemorySchedule best = {program, program_bytes, program_bytes};
  for (const auto& make : {ListOrder, DepthFirstOrder}) {
    if (best.arena_bytes == 0) break;
    SWAGE_ASSIGN_OR_RETURN(std::vector<Instruction*> order, make(computation, program));
    SWAGE_ASSIGN_OR_RETURN(const int64_t bytes, arena_bytes(order));
    if (bytes >= best.arena_bytes) continue;
    best.order = std::move(order);
    best.arena_bytes = bytes;
  }
  return best;
}

}  // namespace swage::analysis
