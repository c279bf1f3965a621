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
// Memory for results and intermediate values that is free is kept for the next ones, at most as
// much again as the bound, and 256 MiB. Every function here may be called from any thread.
#ifndef SWAGE_RUNTIME_CACHE_H_
#define SWAGE_RUNTIME_CACHE_H_

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

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
  // Below memory: programs and kernels together. Rejects are entries that were there and could not
  // be used: damaged, foreign, of another machine; each is a miss too.
  int64_t disk_hits = 0;
  int64_t disk_misses = 0;
  int64_t disk_rejects = 0;
  int64_t disk_writes = 0;
  int64_t disk_write_errors = 0;
  int64_t disk_evictions = 0;
  bool has_remote = false;  // the configuration names a server
  int64_t remote_hits = 0;
  int64_t remote_misses = 0;
  int64_t remote_rejects = 0;
  int64_t remote_writes = 0;
  int64_t remote_faults = 0;  // calls that the server did not answer well; no miss
  // Kernels that ran often and were compiled again with their sizes baked in (SWAGE_SPECIALIZE).
  int64_t kernels_specialised = 0;   // the baked one runs now
  int64_t specialise_too_small = 0;  // refused: less than 15 % faster
  int64_t specialise_not_worth = 0;  // refused for now: saves less than the compile took
  int64_t specialise_failed = 0;     // could not be compiled or timed
  int64_t specialise_dropped = 0;    // given up: the program was gone, or too many waited
};
SWAGE_API std::ostream& operator<<(std::ostream& out, const CacheStats& stats);

SWAGE_API CacheStats cache_stats();

// The bound in bytes; default SWAGE_CACHE_MEMORY_BYTES or 1 GiB. What is over it goes at once.
// Negative is an Error.
SWAGE_API void set_cache_memory_bytes(int64_t bytes);

// Forgets all programs and all kernels that do not run now. What is on disk stays.
SWAGE_API void clear_cache();

// The cache on disk, as `swage cache` shows it. Without one (SWAGE_CACHE_DIR=off, no home) there
// are no entries, and packing, unpacking and pruning are Errors, as are unreadable directories and
// files.

struct CacheEntryInfo {
  std::string kind;  // "kernel", "module"
  std::string hash;  // 32 hex digits; with the kind, the name of the file
  int64_t bytes = 0;
  int64_t used = 0;     // Unix time of the last use, exact to an hour
  std::string problem;  // why it would be refused; empty: it is good
};
// All entries; each is read whole and verified.
SWAGE_API std::vector<CacheEntryInfo> cache_entries();

// Waits until what was compiled so far is on disk (it is written behind the caller's back), at most
// `seconds`; whether it is.
SWAGE_API bool flush_cache(double seconds = 10);

// Removes what was not used for longest, down to this many bytes; returns the entries removed.
SWAGE_API int64_t prune_cache(int64_t bytes);

// Writes all good entries into one file, for other machines of the same kind and the same build of
// Swage; reads such a file. Both return the number of entries, and warn of those that were skipped
// since they are damaged or could not be written. A pack holds native code: whoever unpacks one
// runs it.
SWAGE_API int64_t pack_cache(const std::string& file);
SWAGE_API int64_t unpack_cache(const std::string& file);

// Gives memory that is kept for later results back: the host's to the system, that of GPUs to their
// drivers. What is in use stays.
SWAGE_API void trim();

}  // namespace swage

#endif  // SWAGE_RUNTIME_CACHE_H_
