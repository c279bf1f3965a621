// File: compiler/analysis/live_ranges.h
//
// Which values of a computation need memory, which instructions only give such a value another
// name, and from when to when each value is alive in an order of execution.
//
// A value is one array leaf of an instruction that makes something: a parameter, a constant, or the
// result of a kernel, copy or call. Bitcasts, reshapes, tuples and get-tuple-elements are aliases:
// their leaves are those of their operands. Times are positions in the order.
#ifndef SWAGE_COMPILER_ANALYSIS_LIVE_RANGES_H_
#define SWAGE_COMPILER_ANALYSIS_LIVE_RANGES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "base/status.h"
#include "compiler/ir/computation.h"

namespace swage::analysis {

using ValueId = int32_t;

struct Value {
  const ir::Instruction* instruction = nullptr;
  ir::ShapeIndex index;    // its leaf
  int64_t bytes = 0;       // dense; a token has none
  int64_t begin = -1;      // when it is made; -1 for parameters and constants
  int64_t end = -1;        // when it is last read; end of the order for outputs
  bool is_output = false;  // a leaf of the root
};

// Only gives (parts of) its operands another name; runs no code.
bool IsAlias(const ir::Instruction& instruction);

class LiveRanges {
 public:
  // `order` holds every instruction of the computation, operands before users. Symbolic shapes have
  // the bytes of `sizes`; without it, of their DecisionExtents.
  // ResourceExhausted for sizes beyond 64 bits.
  static StatusOr<LiveRanges> Compute(const ir::Computation& computation,
                                      absl::Span<ir::Instruction* const> order,
                                      const ir::SymbolBinding* sizes = nullptr);

  const std::vector<Value>& values() const { return values_; }
  const Value& value(ValueId id) const { return values_[id]; }
  int64_t length() const { return length_; }

  // The values of all leaves of an instruction, left to right.
  absl::Span<const ValueId> ValuesOf(const ir::Instruction* instruction) const;
  // The value at one leaf; a wrong index is a fatal internal error.
  ValueId ValueAt(const ir::Instruction* instruction, const ir::ShapeIndex& leaf) const;

 private:
  struct Leaves {
    int64_t first = 0;  // in leaves_
    int64_t count = 0;
    int64_t offsets = -1;  // tuples: where in offsets_ the first leaves of the elements are
  };

  Status Add(ir::Instruction* instruction, const ir::SymbolBinding* sizes);
  Status AddValues(const ir::Instruction* instruction, const ir::SymbolBinding* sizes);
  void AddUses(const ir::Instruction* instruction, int64_t time);
  int64_t FirstLeaf(const ir::Instruction* tuple, int64_t element) const;

  std::vector<Value> values_;
  std::vector<ValueId> leaves_;
  std::vector<int64_t> offsets_;
  absl::flat_hash_map<const ir::Instruction*, Leaves> of_;
  int64_t length_ = 0;
};

}  // namespace swage::analysis

#endif  // SWAGE_COMPILER_ANALYSIS_LIVE_RANGES_H_
