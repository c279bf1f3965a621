// File: cache/disk_files.h
//
// The files of the disk cache: their names, how one is read with suspicion, and the sweep that
// bounds them.
//
//   DIR/3f/3f08...9a.kernel      an entry: 32 hex digits of its key's hash, and its kind
//   DIR/3f/3f08...9a.kernel.tmp.* being written, or left by a process that died
//   DIR/locks/                   lock files, empty
//
// All functions tolerate files that vanish while they work: other processes sweep too.
#ifndef SWAGE_CACHE_DISK_FILES_H_
#define SWAGE_CACHE_DISK_FILES_H_

#include <sys/stat.h>

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "base/function_ref.h"
#include "base/hash.h"
#include "cache/cache_dir.h"
#include "cache/entry_format.h"

namespace swage::cache {

// Why a file, or the whole directory, was of no use.
enum class DiskCause {
  kNone,
  kDirectory,   // the directory must not be trusted or cannot be used
  kResources,   // disk full, quota, or another limit of the system
  kPermission,  // no right, or a read-only file system
  kIo,          // any other error of the system
  kNotRegular,  // a symlink, a folder, a pipe
  kOwner,       // of another user
  kWritable,    // others may write to it
  kTooLarge,    // larger than an entry can be, or than the bound of the cache
  kMagic,       // from here on: EntryProblem
  kVersion,
  kTruncated,
  kChecksum,
  kKind,
  kMaterial,
  kCompression,
};
inline constexpr int kDiskCauses = static_cast<int>(DiskCause::kCompression) + 1;

// "checksum", "owner" ...
std::string_view DiskCauseName(DiskCause cause);
DiskCause CauseOf(EntryProblem problem);
// Of a system call's error; FailedPrecondition is `other`.
DiskCause CauseOf(const Status& status, DiskCause other);

std::string EntryPath(const Hash128& hash, EntryKind kind);
// False when `name`, without its folder, is no entry's name.
bool ParseEntryName(std::string_view name, Hash128* hash, EntryKind* kind);

struct LoadedFile {
  bool absent = false;
  DiskCause cause = DiskCause::kNone;  // kNone: `bytes` is the whole file, not yet decoded
  std::string text;                    // what is wrong
  std::string bytes;
  struct stat info = {};
};

// Opens the file once, never through a symlink, and reads it into memory; checks and decoding see
// only that. A file of another user is refused unless `trust_shared`; one that others can write
// to always is.
LoadedFile LoadEntryFile(const CacheRoot& root, const std::string& path, bool trust_shared);

// Removes the file if it is still the one that was loaded, is our own, and is not a folder.
void RemoveLoaded(const CacheRoot& root, const std::string& path, const struct stat& info);

// A read entry is stamped with the time, at most once an hour, so that reading stays cheap. A stamp
// from the future (a clock that jumped) is replaced too.
void StampEntry(int folder, const std::string& path, const struct stat& info, time_t now);

struct DiskFile {
  std::string path;  // relative to the directory
  Hash128 hash;
  EntryKind kind = EntryKind::kKernel;
  bool temporary = false;  // then hash and kind mean nothing
  struct stat info = {};
};

// All entries and temporaries, in the order of their paths.
void ForEachFile(const CacheRoot& root, FunctionRef<void(const DiskFile&)> visit);

// What a file takes on the disk.
int64_t DiskBytes(const struct stat& info);

struct SweepResult {
  bool done = false;    // false: another process sweeps, or the folder is read-only
  int64_t bytes = 0;    // of our own entries, after it
  int64_t evicted = 0;  // entries
  int error = 0;        // why others that were to go are still there; an errno
};

// Brings our own entries down to `target` bytes if they take more than `limit`: first those that
// were not used for longest; the newest stays if it alone fits `limit`. Removes temporaries that
// are older than an hour. Files of other users are neither counted nor touched. Any number of
// processes may call it at any time; one sweeps, the others return at once, or after `patience`.
SweepResult SweepEntries(const CacheRoot& root, int64_t limit, int64_t target, time_t now,
                         int patience_ms = 0);

}  // namespace swage::cache

#endif  // SWAGE_CACHE_DISK_FILES_H_
