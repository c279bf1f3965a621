#include "runtime/cache.h"

#include <algorithm>
#include <chrono>
#include <ostream>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/block_pool.h"
#include "base/log.h"
#include "base/memory_bound.h"
#include "cache/disk_pack.h"
#include "cache/module_cache.h"
#include "cache/tiers.h"
#include "codegen/cpu/specialise.h"
#include "codegen/gpu/compile.h"
#include "codegen/program/kernel_cache.h"
#include "runtime/trace.h"

namespace swage {
namespace {

void AddTiers(const cache::TierStats& tiers, CacheStats* stats) {
  stats->disk_hits = tiers.disk.hits;
  stats->disk_misses = tiers.disk.misses;
  stats->disk_rejects = tiers.disk.rejects;
  stats->disk_writes = tiers.disk.writes;
  stats->disk_write_errors = tiers.disk.write_errors;
  stats->disk_evictions = tiers.disk.evictions;
  stats->has_remote = tiers.remote.has_value();
  if (!tiers.remote.has_value()) return;
  stats->remote_hits = tiers.RemoteHits();
  stats->remote_misses = tiers.RemoteMisses();
  stats->remote_rejects = tiers.RemoteRejects();
  stats->remote_writes = tiers.remote->stored;
  stats->remote_faults = tiers.RemoteFaults();
}

// `what` as a user calls it, for errors.
template <typename T>
T ValueOf(StatusOr<T> value, const char* what) {
  if (!value.ok()) runtime::ThrowStatus(value.status(), what, {});
  return *std::move(value);
}

// The number of entries, with a warning of those that were left out.
int64_t EntriesOf(const cache::PackResult& result, const char* what) {
  if (result.skipped > 0) {
    LogWarning(absl::StrCat(
        "[", what, "] skipped ", result.skipped, " of ", result.skipped + result.entries,
        " entries: ", result.problems.empty() ? "unknown" : result.problems.front()));
  }
  return result.entries;
}

cache::Tiers& DiskFor(const char* what) {
  cache::Tiers* const tiers = cache::Tiers::Global();
  if (tiers == nullptr || tiers->disk().dir().empty()) {
    runtime::ThrowStatus(InvalidArgument("there is no cache on disk; SWAGE_CACHE_DIR names its "
                                         "directory"),
                         what, {});
  }
  // What waits to be written belongs to it.
  tiers->FlushDisk(std::chrono::seconds(10));
  return *tiers;
}

}  // namespace

CacheStats cache_stats() {
  const cache::ModuleCache::Stats programs = cache::ModuleCache::Global().stats();
  const codegen::KernelCache::Stats kernels = codegen::KernelCache::Get().stats();
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
  if (const cache::Tiers* tiers = cache::Tiers::Global()) AddTiers(tiers->stats(), &stats);
  const cpu::SpecialiseStats specialise = cpu::specialise_stats();
  stats.kernels_specialised = specialise.specialised;
  stats.specialise_too_small = specialise.too_small;
  stats.specialise_not_worth = specialise.not_worth;
  stats.specialise_failed = specialise.failed;
  stats.specialise_dropped = specialise.dropped;
  return stats;
}

std::ostream& operator<<(std::ostream& out, const CacheStats& stats) {
  out << absl::StrFormat(
      "memory: %d of %d bytes\n"
      "programs: %d (%d bytes), hits %d, misses %d, evicted %d\n"
      "kernels: %d (%d bytes, %d unused), hits %d, misses %d, evicted %d\n"
      "specialised: %d, too small a saving %d, not worth it %d, failed %d, dropped %d\n",
      stats.memory_bytes, stats.memory_limit, stats.programs, stats.program_bytes,
      stats.program_hits, stats.program_misses, stats.program_evictions, stats.kernels,
      stats.kernel_bytes, stats.unused_kernels, stats.kernel_hits, stats.kernel_misses,
      stats.kernel_evictions, stats.kernels_specialised, stats.specialise_too_small,
      stats.specialise_not_worth, stats.specialise_failed, stats.specialise_dropped);
  out << absl::StrFormat(
      "disk: hits %d, misses %d (%d rejected), writes %d (%d failed), evicted %d\n",
      stats.disk_hits, stats.disk_misses, stats.disk_rejects, stats.disk_writes,
      stats.disk_write_errors, stats.disk_evictions);
  if (!stats.has_remote) return out;
  return out << absl::StrFormat("remote: hits %d, misses %d, rejected %d, writes %d, faults %d\n",
                                stats.remote_hits, stats.remote_misses, stats.remote_rejects,
                                stats.remote_writes, stats.remote_faults);
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
  codegen::KernelCache::Get().Clear();
}

void trim() {
  TrimBlocks();
  gpu::Trim();
}

std::vector<CacheEntryInfo> cache_entries() {
  cache::Tiers* const tiers = cache::Tiers::Global();
  std::vector<CacheEntryInfo> infos;
  if (tiers == nullptr) return infos;
  for (const cache::DiskEntry& entry :
       ValueOf(tiers->disk().List(/*unpack=*/true), "cache_entries")) {
    infos.push_back({.kind = std::string(cache::EntryKindName(entry.kind)),
                     .hash = entry.hash.ToHex(),
                     .bytes = entry.bytes,
                     .used = entry.used,
                     .problem = entry.problem});
  }
  return infos;
}

bool flush_cache(double seconds) {
  cache::Tiers* const tiers = cache::Tiers::Global();
  const double bounded = std::clamp(seconds, 0.0, 1e6);
  return tiers == nullptr ||
         tiers->Flush(std::chrono::milliseconds(static_cast<int64_t>(bounded * 1000)));
}

int64_t prune_cache(int64_t bytes) {
  if (bytes < 0) {
    runtime::ThrowStatus(InvalidArgument("got ", bytes, " bytes, expected 0 or more"),
                         "prune_cache", {});
  }
  return ValueOf(DiskFor("prune_cache").disk().Prune(bytes), "prune_cache");
}

int64_t pack_cache(const std::string& file) {
  constexpr char kWhat[] = "pack_cache";
  return EntriesOf(ValueOf(cache::ExportPack(DiskFor(kWhat).disk(), file), kWhat), kWhat);
}

int64_t unpack_cache(const std::string& file) {
  constexpr char kWhat[] = "unpack_cache";
  return EntriesOf(ValueOf(cache::ImportPack(file, DiskFor(kWhat).disk()), kWhat), kWhat);
}

}  // namespace swage
