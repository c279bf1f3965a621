// File: runtime/cache.h
//
// The cache of compiled code, all jit functions together: its bound and its counters.
//
//   swage::set_cache_memory_bytes(64 << 20);
//   std::cout << swage::cache_stats();
//
// Compiled programs and their kernels are kept in memory up to a bound; the least recently used go
// first, and their code is freed. What runs is never freed under way, and what was used last stays
// even if it alone is larger than the bound.
// Memory for results and intermediate values that is free is kept for the next ones, at most as much
// again as the bound, and 256 MiB.
// Every function here may be called from any thread.
#ifndef SWAGE_RUNTIME_CACHE_H_
#define SWAGE_RUNTIME_CACHE_H_

#include <cstdint>
#include <iosfwd>

#include "runtime/export.h"

namespace swage {

struct CacheStats {
  int64_t memory_limit = 0;  // bytes
  int64_t memory_bytes = 0;  // programs and kernels
  // Programs: hits and misses of the tier, so calls that hit their own jit function do not count.
  int64_t programs = 0;
  int64_t program_bytes = 0;
  int64_t program_hits = 0;
  int64_t program_misses = 0;
  int64_t program_evictions = 0;
  // Kernels, which programs share.
  int64_t kernels = 0;
  int64_t unused_kernels = 0;  // of them: in no program now
  int64_t kernel_bytes = 0;    // object files, and code in memory
  int64_t kernel_hits = 0;
  int64_t kernel_misses = 0;
  int64_t kernel_evictions = 0;
};
SWAGE_API std::ostream& operator<<(std::ostream& out, const CacheStats& stats);

SWAGE_API CacheStats cache_stats();

// The bound in bytes; default SWAGE_CACHE_MEMORY_BYTES or 1 GiB. What is over it goes at once.
// Negative is an Error.
SWAGE_API void set_cache_memory_bytes(int64_t bytes);

// Forgets all programs and all kernels that do not run now.
SWAGE_API void clear_cache();

}  // namespace swage

#endif  // SWAGE_RUNTIME_CACHE_H_
