// File: compiler/analysis/arena_packer.h
//
// Places buffers that are alive for a stretch of time into one block of memory, so that two that
// are alive together never share a byte.
//
// Several orders are tried and the smallest result is kept: in order of time with the best free gap
// (O(n log n), always), by decreasing size and by decreasing life (both within a budget of work,
// since they may look at n^2 / 2 pairs).
#ifndef SWAGE_COMPILER_ANALYSIS_ARENA_PACKER_H_
#define SWAGE_COMPILER_ANALYSIS_ARENA_PACKER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/status.h"

namespace swage::analysis {

// Both ends belong to the life: {.begin = 3, .end = 3} is alive at time 3 alone.
struct Lifetime {
  int64_t bytes = 0;
  int64_t begin = 0;
  int64_t end = 0;
};

struct Packing {
  std::vector<int64_t>
      offsets;        // one per lifetime, multiples of the alignment; 0 where bytes are 0
  int64_t bytes = 0;  // of the block
};

// ResourceExhausted when the block would exceed what 64 bits address.
StatusOr<Packing> PackArena(absl::Span<const Lifetime> lifetimes, int64_t alignment);

// The most bytes that are alive at one time, each buffer rounded up to the alignment: no packing is
// smaller. `when` (may be null) is the first such time.
StatusOr<int64_t> PeakBytes(absl::Span<const Lifetime> lifetimes, int64_t alignment,
                            int64_t* when = nullptr);

}  // namespace swage::analysis

#endif  // SWAGE_COMPILER_ANALYSIS_ARENA_PACKER_H_
