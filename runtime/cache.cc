#include "runtime/cache.h"

#include <ostream>

#include "absl/strings/str_format.h"
#include "base/memory_bound.h"
#include "cache/module_cache.h"
#include "codegen/cpu/kernel_cache.h"
#include "runtime/trace.h"

namespace swage {

CacheStats cache_stats() {
  const cache::ModuleCache::Stats programs = cache::ModuleCache::Global().stats();
  const cpu::KernelCache::Stats kernels = cpu::KernelCache::Get().stats();
  CacheStats stats;
  stats.memory_limit = MemoryBound::Get().limit();
  stats.memory_bytes = programs.bytes + kernels.bytes;
  stats.programs = programs.entries;
  stats.program_bytes = programs.bytes;
  stats.program_hits = programs.hits;
  stats.program_misses = programs.misses;
  stats.program_evictions = programs.evictions;
  stats.kernels = kernels.kernels;
  stats.unused_kernels = kernels.unused;
  stats.kernel_bytes = kernels.bytes;
  stats.kernel_hits = kernels.hits;
  stats.kernel_misses = kernels.misses;
  stats.kernel_evictions = kernels.evictions;
  return stats;
}

std::ostream& operator<<(std::ostream& out, const CacheStats& stats) {
  return out << absl::StrFormat(
             "memory: %d of %d bytes\n"
             "programs: %d (%d bytes), hits %d, misses %d, evicted %d\n"
             "kernels: %d (%d bytes, %d unused), hits %d, misses %d, evicted %d\n",
             stats.memory_bytes, stats.memory_limit, stats.programs, stats.program_bytes,
             stats.program_hits, stats.program_misses, stats.program_evictions, stats.kernels,
             stats.kernel_bytes, stats.unused_kernels, stats.kernel_hits, stats.kernel_misses,
             stats.kernel_evictions);
}

void set_cache_memory_bytes(int64_t bytes) {
  if (bytes < 0) {
    runtime::ThrowStatus(InvalidArgument("got ", bytes, " bytes, expected 0 or more"),
                         "set_cache_memory_bytes", {});
  }
  MemoryBound::Get().set_limit(bytes);
}

void clear_cache() {
  cache::ModuleCache::Global().Clear();
  cpu::KernelCache::Get().Clear();
}

}  // namespace swage
