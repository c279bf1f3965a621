// File: cache/disk_tier.h
//
// The disk tier of the compile cache: entries that outlive the process and are shared by all
// processes of a user.
//
//   DiskTier disk({.dir = DefaultCacheDir(), .disk_bytes = int64_t{4} << 30});
//   StatusOr<std::string> code = disk.Get(EntryKind::kKernel, material);
//   if (!code.ok()) {
//     KeyLock lock = disk.LockFor(material, std::chrono::seconds(10));   // optional
//     code = disk.Get(EntryKind::kKernel, material);    // somebody may have made it meanwhile
//     if (!code.ok()) disk.Put(EntryKind::kKernel, material, *(code = Compile()));
//   }
//
// - One file per entry, published by a rename: readers see a whole entry or none. Each is verified
//   on every read (cache/entry_format.h) and compared with the full key. A damaged one is a miss
//   and is removed.
// - Nothing is touched before the first Get, and nothing is made before the first Put or LockFor.
// - Whatever is wrong with the disk costs a miss or a lost write, a counter that says why, and at
//   most one warning per process and cause. Nothing is remembered: once the cause is gone, the
//   cache works again.
// - The cache holds code, so a directory or an entry that another user owns or can write to is not
//   used, unless `trust_shared`: then other users may own both and a group may write to the
//   directory. Nobody's file is ever removed but one's own.
// - Entries that were not used for longest go when the user's own exceed `disk_bytes`.
// - Any thread may call, in any number of processes. After fork() both processes may go on.
// A Put compresses and waits for the disk (fsync, 1 to 10 ms): call it where nobody waits for it.
#ifndef SWAGE_CACHE_DISK_TIER_H_
#define SWAGE_CACHE_DISK_TIER_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/status.h"
#include "cache/cache_dir.h"
#include "cache/disk_files.h"
#include "cache/file_lock.h"
#include "codegen/entry_store.h"

namespace swage::cache {

struct DiskOptions {
  std::string dir;                        // "" = no disk tier: all misses, no writes
  int64_t disk_bytes = int64_t{4} << 30;  // 0 = nothing is written
  bool trust_shared = false;
  // Survive a power failure. Without it an entry may be lost then, never wrong.
  bool sync = true;
};

struct DiskStats {
  int64_t hits = 0;
  int64_t misses = 0;   // every Get without a payload, whatever the cause
  int64_t rejects = 0;  // the misses that had a cause
  int64_t writes = 0;
  int64_t write_errors = 0;
  int64_t evictions = 0;
  int64_t bytes = 0;       // that the directory takes, as far as known; 0 before the first Put
  int64_t bytes_read = 0;  // of entries that hit
  int64_t bytes_written = 0;
  std::array<int64_t, kDiskCauses> rejects_by_cause = {};  // index: DiskCause
  std::array<int64_t, kDiskCauses> write_errors_by_cause = {};
};

// One file as the tools see it.
struct DiskEntry {
  Hash128 hash;  // of the material, and so the file's name
  EntryKind kind = EntryKind::kKernel;
  int64_t bytes = 0;          // of the file
  int64_t payload_bytes = 0;  // unpacked
  time_t used = 0;            // when it was last used, exact to an hour
  std::string material;
  std::string problem;  // why it would be refused; then material and payload_bytes may be empty
};

// Excludes other holders of the same key until it dies. It must die in the thread that took it.
class KeyLock {
 public:
  ~KeyLock();
  KeyLock(KeyLock&& other) noexcept = default;
  KeyLock& operator=(KeyLock&&) = delete;
  // False: the time was over, this thread holds another one, or the directory cannot be written.
  // Work must go on without it then.
  bool held() const { return lock_.held(); }
  // What excludes the others, for a thread that lets go later.
  FileLock Detach();

 private:
  friend class DiskTier;
  explicit KeyLock(FileLock lock);
  FileLock lock_;
};

class DiskTier : public codegen::EntryStore {
 public:
  explicit DiskTier(DiskOptions options);

  StatusOr<std::string> Get(EntryKind kind, std::string_view material) override;
  void Put(EntryKind kind, std::string_view material, std::string_view payload) override;

  // Single flight across processes. Keys share 64 locks, so an unrelated key may wait too. A thread
  // holds one at a time, a second is not held: two would deadlock with their reverse. For the same
  // reason, whoever holds one must not wait for a thread that asks for one.
  static constexpr int kLocks = 64;
  static int LockOf(std::string_view material);
  KeyLock LockFor(std::string_view material, std::chrono::milliseconds timeout);

  DiskStats stats() const;
  const std::string& dir() const { return options_.dir; }

  // For tools; errors are reported, nothing is counted as a hit or miss, no stamp is changed.
  // Without a directory there are no entries.

  // All entries by hash, damaged ones included; with `unpack` their payloads are verified too.
  StatusOr<std::vector<DiskEntry>> List(bool unpack = false);
  // The encoded, verified bytes of one entry; NotFound says why it is of no use.
  StatusOr<std::string> ReadEntry(const Hash128& hash, EntryKind kind);
  // Stores encoded bytes after verifying them whole: a shipped pack, another tier.
  Status PutEntry(std::string_view entry);
  // Evicts down to `bytes`; returns how many entries went.
  StatusOr<int64_t> Prune(int64_t bytes);
  // Removes the entries of this hash, damaged ones included; returns how many.
  StatusOr<int64_t> Remove(const Hash128& hash);

 private:
  StatusOr<CacheRoot> OpenRoot(bool create);
  StatusOr<std::string> Find(EntryKind kind, std::string_view material);
  // Miss, for a cause that is counted and warned about.
  Status Reject(DiskCause cause, std::string_view text);
  void CountWriteError(DiskCause cause, std::string_view text);
  Status WriteEntry(const Hash128& hash, EntryKind kind, std::string_view bytes);
  void AccountWrite(const CacheRoot& root, int64_t bytes);
  DiskEntry Inspect(const CacheRoot& root, const DiskFile& file, bool unpack);

  const DiskOptions options_;

  struct Counters {
    std::atomic<int64_t> hits{0}, misses{0}, writes{0}, evictions{0}, bytes_read{0},
        bytes_written{0};
    std::array<std::atomic<int64_t>, kDiskCauses> rejects{}, write_errors{};
  };
  Counters counters_;

  // Only ever tried, so that a fork while another thread holds it stops nothing in the child.
  std::mutex sweep_mutex_;
  std::atomic<int64_t> bytes_{-1};  // estimate of what we take; -1: not counted yet
  std::atomic<int64_t> written_since_count_{0};
};

}  // namespace swage::cache

#endif  // SWAGE_CACHE_DISK_TIER_H_
