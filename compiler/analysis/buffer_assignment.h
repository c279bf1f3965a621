// File: compiler/analysis/buffer_assignment.h
//
// Where each array of a computation lives while it runs: in a parameter, in an output, in a
// constant, or in the one arena of the executable.
//
//   SWAGE_ASSIGN_OR_RETURN(BufferAssignment buffers, AssignBuffers(*module->entry()));
//   arena = allocate(buffers.arena_bytes());
//   const Slice& slice = buffers.SliceOf(fusion->operand(0));
//
// - Aliases (bitcast, reshape, tuple, get-tuple-element) have the slice of what they name.
// - A value that is an output is written where the output is wanted; no copy at the end.
// - A kernel may write over an operand that dies in it (CanWriteOver, in_place.h), so its output
//   and that operand may have the same slice.
// - Other values that are never alive together may share bytes of the arena.
// - Called computations have executables, hence assignments, of their own.
// Requires copy-insertion: an output that is a parameter, a constant, or another output is an
// error.
#ifndef SWAGE_COMPILER_ANALYSIS_BUFFER_ASSIGNMENT_H_
#define SWAGE_COMPILER_ANALYSIS_BUFFER_ASSIGNMENT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/status.h"
#include "compiler/analysis/live_ranges.h"
#include "compiler/ir/computation.h"

namespace swage::analysis {

inline constexpr int64_t kBufferAlignment = 64;

struct Slice {
  enum class Kind : uint8_t { kParameter, kOutput, kConstant, kArena };
  Kind kind = Kind::kArena;
  int64_t index = 0;   // row of parameters(), outputs() or constants(); 0 for the arena
  int64_t offset = 0;  // bytes into the arena, a multiple of kBufferAlignment; else 0
  int64_t size = 0;    // bytes

  bool operator==(const Slice&) const = default;
  std::string ToString() const;  // "arena+128", "output 0"
};

// An array that comes in or goes out: the leaves of all parameters (or of the root), left to right.
// Tokens have rows too, of 0 bytes.
struct BufferLeaf {
  const ir::Instruction* instruction = nullptr;
  ir::ShapeIndex index;
  int64_t bytes = 0;
};

// Whether the memory of a parameter may be given to an output in a run whose caller gives it away.
// The kernels then read and write through the same pointer; a copy step whose two ends are equal
// must be skipped.
struct Donation {
  int64_t output = -1;  // row of outputs(); -1: not usable
  std::string reason;   // why not; empty when it is
};

struct BufferOptions {
  // Whether `user` may write leaf `output_leaf` of its result over its operand number `operand`.
  // Unset: CanWriteOver.
  std::function<bool(const ir::Instruction& user, int operand, int64_t output_leaf)> can_write_over;
  // Of every symbol of the computation; null: symbols count as their upper bounds.
  const ir::SymbolBinding* sizes = nullptr;
};

class BufferAssignment {
 public:
  // An instruction that is not of the computation, or an index that is not a leaf, is a fatal
  // error.
  const Slice& SliceOf(const ir::Instruction* instruction, const ir::ShapeIndex& leaf = {}) const {
    return slices_[ranges_.ValueAt(instruction, leaf)];
  }

  int64_t arena_bytes() const { return arena_bytes_; }
  int64_t parameter_bytes() const { return parameter_bytes_; }
  int64_t output_bytes() const { return output_bytes_; }
  const std::vector<BufferLeaf>& parameters() const { return parameters_; }
  const std::vector<BufferLeaf>& outputs() const { return outputs_; }
  const std::vector<const ir::Instruction*>& constants() const { return constants_; }
  // One per row of parameters(); no two name the same output, so all may be taken at once.
  const std::vector<Donation>& donations() const { return donations_; }

  // The most bytes of the arena in use at one time, and the position in the order when they are.
  int64_t peak_bytes() const { return peak_bytes_; }
  int64_t peak_time() const { return peak_time_; }

  // The table of values (slice, bytes, life) and what is alive at the peak.
  std::string ToString() const;

 private:
  friend class BufferAssigner;

  std::string name_;
  LiveRanges ranges_;
  std::vector<Slice> slices_;  // by value
  std::vector<BufferLeaf> parameters_, outputs_;
  std::vector<const ir::Instruction*> constants_;
  std::vector<Donation> donations_;
  int64_t parameter_bytes_ = 0, output_bytes_ = 0;
  int64_t arena_bytes_ = 0, peak_bytes_ = 0, peak_time_ = -1;
};

// In the order of the schedule; of Computation::PostOrder where there is none.
StatusOr<BufferAssignment> AssignBuffers(const ir::Computation& computation,
                                         const BufferOptions& options = {});
// In any order with operands before users.
StatusOr<BufferAssignment> AssignBuffers(const ir::Computation& computation,
                                         absl::Span<ir::Instruction* const> order,
                                         const BufferOptions& options = {});

}  // namespace swage::analysis

#endif  // SWAGE_COMPILER_ANALYSIS_BUFFER_ASSIGNMENT_H_
