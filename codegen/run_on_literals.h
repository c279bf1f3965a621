// File: codegen/run_on_literals.h
//
// An executable on values of the graph: for tools and tests, which have literals instead of
// tensors.
#ifndef SWAGE_CODEGEN_RUN_ON_LITERALS_H_
#define SWAGE_CODEGEN_RUN_ON_LITERALS_H_

#include <vector>

#include "absl/types/span.h"
#include "base/guard_memory.h"
#include "base/status.h"
#include "codegen/executable.h"
#include "codegen/memory_space.h"
#include "compiler/ir/literal.h"

namespace swage::codegen {

// What an executable reads and writes when it runs on literals: the literals themselves and
// literals for its results; under SWAGE_CHECK=memory copies between guard pages
// (base/check_mode.h); on a device blocks of its memory.
class RunBuffers {
 public:
  // `inputs`: leaves, of the executable's input shapes. They and its memory must outlive this.
  static StatusOr<RunBuffers> Create(const Executable& executable,
                                     absl::Span<const ir::Literal> inputs);

  absl::Span<const void* const> in() const { return in_; }
  absl::Span<void* const> out() const { return out_; }
  // The leaves that a run has written; waits for it. An error where it wrote beside a buffer.
  StatusOr<std::vector<ir::Literal>> Results() const&;
  StatusOr<std::vector<ir::Literal>> Results() &&;

 private:
  explicit RunBuffers(MemorySpace* memory) : memory_(memory) {}
  // A buffer that is no literal, with the content at `content` (null: none).
  StatusOr<void*> Add(int64_t bytes, const void* content);
  // Of buffers that are no literals.
  StatusOr<std::vector<ir::Literal>> CopyResults() const;

  MemorySpace* memory_;
  std::vector<ir::Shape> shapes_;  // of the results
  bool in_literals_ = false;
  std::vector<ir::Literal> results_;
  std::vector<GuardedBuffer> guarded_;
  std::vector<SpaceBlock> blocks_;
  std::vector<const void*> in_;
  std::vector<void*> out_;
};

// The arrays of `shapes` at these addresses of an executable's memory.
StatusOr<std::vector<ir::Literal>> LiteralsAt(MemorySpace* memory,
                                              absl::Span<const ir::Shape> shapes,
                                              absl::Span<const void* const> addresses);

// Leaves in, of the executable's input shapes; the leaves of the result out.
StatusOr<std::vector<ir::Literal>> RunOnLiterals(Executable& executable,
                                                 absl::Span<const ir::Literal> inputs);

}  // namespace swage::codegen

#endif  // SWAGE_CODEGEN_RUN_ON_LITERALS_H_
