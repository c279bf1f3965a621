#include "compiler/passes/merge_order.h"

#include <algorithm>
#include <numeric>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace swage::passes {

using ir::Instruction;

namespace {
// Between neighbouring levels at first: so many merges may lift what comes after them.
constexpr int64_t kGap = int64_t{1} << 24;

// What only names an output of a kernel is part of its node.
bool IsElementOfKernel(const Instruction& instruction) {
  return instruction.opcode() == ir::Opcode::kGetTupleElement &&
         instruction.operand(0)->opcode() == ir::Opcode::kFusion;
}
}  // namespace

MergeOrder::MergeOrder(const ir::Computation& computation)
    : order_(computation.slot_count()),
      parent_(computation.slot_count()),
      members_(computation.slot_count()),
      level_(computation.slot_count()) {
  std::iota(parent_.begin(), parent_.end(), size_t{0});
  for (const Instruction* instruction : computation.PostOrder()) {
    const size_t slot = instruction->slot();
    order_[slot] = instruction;
    if (IsElementOfKernel(*instruction)) {
      Join(Find(instruction->operand(0)->slot()), slot);
      continue;
    }
    for (const Instruction* operand : instruction->operands()) {
      level_[slot] = std::max(level_[slot], level_[Find(operand->slot())] + kGap);
    }
    for (const Instruction* before : instruction->control_predecessors()) {
      level_[slot] = std::max(level_[slot], level_[Find(before->slot())] + kGap);
    }
  }
}

size_t MergeOrder::Find(size_t slot) {
  while (parent_[slot] != slot) {
    parent_[slot] = parent_[parent_[slot]];
    slot = parent_[slot];
  }
  return slot;
}

template <typename Fn>
bool MergeOrder::ForEachReader(size_t node, int64_t* edges, Fn&& fn) {
  const auto visit = [&](size_t slot) {
    const auto see = [&](const Instruction* reader) {
      ++edges_seen_;
      return --*edges >= 0 && fn(Find(reader->slot()));
    };
    const Instruction& member = *order_[slot];
    return std::all_of(member.users().begin(), member.users().end(), see) &&
           std::all_of(member.control_successors().begin(), member.control_successors().end(), see);
  };
  if (members_[node].empty()) return visit(node);
  return std::all_of(members_[node].begin(), members_[node].end(), visit);
}

bool MergeOrder::HasOtherPath(size_t from, size_t to, int64_t* edges) {
  absl::flat_hash_set<size_t> seen;
  std::vector<size_t> work = {from};
  while (!work.empty()) {
    const size_t node = work.back();
    work.pop_back();
    const bool clear = ForEachReader(node, edges, [&](size_t reader) {
      if (reader == to) return node == from;  // the edge itself is no other path
      if (level_[reader] < level_[to] && reader != from && seen.insert(reader).second) {
        work.push_back(reader);
      }
      return true;
    });
    if (!clear) return true;
  }
  return false;
}

bool MergeOrder::PlanLifts(size_t low, size_t high, int64_t* edges) {
  lifts_.clear();
  absl::flat_hash_map<size_t, int64_t> lifted = {{low, level_[high]}, {high, level_[high]}};
  std::vector<size_t> work = {low};
  while (!work.empty()) {
    const size_t node = work.back();
    work.pop_back();
    const int64_t above = lifted[node];
    const bool done = ForEachReader(node, edges, [&](size_t reader) {
      if (reader == low || reader == high) return node == low;
      const auto it = lifted.try_emplace(reader, level_[reader]).first;
      if (it->second > above) return true;
      it->second = above + 1;
      work.push_back(reader);
      return true;
    });
    if (!done) return false;
  }
  lifts_.assign(lifted.begin(), lifted.end());
  return true;
}

bool MergeOrder::CanMerge(const Instruction* a, const Instruction* b) {
  size_t low = Find(a->slot()), high = Find(b->slot());
  if (low == high) return false;
  if (level_[low] > level_[high]) std::swap(low, high);
  lifts_.clear();
  if (level_[low] == level_[high]) return true;
  int64_t edges = kMaxEdges;
  return !HasOtherPath(low, high, &edges) && PlanLifts(low, high, &edges);
}

void MergeOrder::Merge(const Instruction* a, const Instruction* b) {
  const size_t into = Find(a->slot()), from = Find(b->slot());
  for (const auto& [node, level] : lifts_) level_[node] = level;
  lifts_.clear();
  Join(into, from);
}

void MergeOrder::Join(size_t into, size_t from) {
  const auto size = [&](size_t node) { return members_[node].size(); };
  if (size(into) < size(from)) {
    level_[from] = level_[into];
    std::swap(into, from);
  }
  if (members_[into].empty()) members_[into] = {into};
  if (members_[from].empty()) {
    members_[into].push_back(from);
  } else {
    members_[into].insert(members_[into].end(), members_[from].begin(), members_[from].end());
    members_[from].clear();
  }
  parent_[from] = into;
}

}  // namespace swage::passes
