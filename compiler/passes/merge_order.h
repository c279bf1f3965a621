// File: compiler/passes/merge_order.h
//
// Which instructions of a computation may become one without a cycle, while more and more do.
//
//   MergeOrder order(computation);
//   if (order.CanMerge(a, b)) order.Merge(a, b);   // from now on a and b are one node
//
// Every node has a level above those of all that it reads, so a path from a to b runs through the
// levels between theirs only. Levels are far apart at first: what a merge lifts fits into the gaps.
// A question looks at a bounded number of edges and answers no when they are not enough, so n
// questions cost O(n).
#ifndef SWAGE_COMPILER_PASSES_MERGE_ORDER_H_
#define SWAGE_COMPILER_PASSES_MERGE_ORDER_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "compiler/ir/computation.h"

namespace swage::passes {

class MergeOrder {
 public:
  // Edges that one question may look at.
  static constexpr int64_t kMaxEdges = 512;

  // The computation must not change while this is used.
  explicit MergeOrder(const ir::Computation& computation);

  // Whether two nodes may be one: no path leads from one to the other but edges between the two.
  bool CanMerge(const ir::Instruction* a, const ir::Instruction* b);
  // CanMerge must have said yes, and nothing been merged since.
  void Merge(const ir::Instruction* a, const ir::Instruction* b);
  // All that the questions have looked at.
  int64_t edges_seen() const { return edges_seen_; }

 private:
  size_t Find(size_t slot);
  // One node of two, at the level of `into`.
  void Join(size_t into, size_t from);
  // Calls fn(node) for everything that reads a member of `node`, or must run after it, until fn
  // returns false or the edges are used up; false then.
  template <typename Fn>
  bool ForEachReader(size_t node, int64_t* edges, Fn&& fn);
  bool HasOtherPath(size_t from, size_t to, int64_t* edges);
  // What must be lifted when `low` moves up to the level of `high`.
  bool PlanLifts(size_t low, size_t high, int64_t* edges);

  std::vector<const ir::Instruction*> order_;      // by slot
  std::vector<size_t> parent_;                     // by slot; union-find
  std::vector<std::vector<size_t>> members_;       // by node, when there are several
  std::vector<int64_t> level_;                     // by node
  std::vector<std::pair<size_t, int64_t>> lifts_;  // of the last question
  int64_t edges_seen_ = 0;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_MERGE_ORDER_H_
