#include "cache/disk_tier.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <utility>

#include "base/files.h"
#include "base/log.h"

namespace swage::cache {
namespace {

// What a sweep leaves room for, so that not every write is followed by one.
constexpr double kSweepTarget = 0.9;
// Other processes write too; their part is counted again after this share of the bound.
constexpr int64_t kRecountShare = 16;
constexpr int64_t kMinRecount = 1 << 20;
constexpr int kToolPatienceMs = 10'000;

thread_local int key_locks_held = 0;

// One process may have several tiers and many failing calls; each cause is told once.
void WarnOnce(const std::string& dir, DiskCause cause, std::string_view text) {
  static std::array<std::atomic<bool>, kDiskCauses> told{};
  if (told[static_cast<int>(cause)].exchange(true)) return;
  LogWarning(absl::StrCat("[cache] disk cache '", dir, "': ", ToAbsl(text),
                          "; going on without it (told once)"));
}

// Makes the folder of the entry where it is the first one there.
StatusOr<AtomicFile> CreateEntryFile(const CacheRoot& root, const std::string& path, bool sync) {
  const AtomicWriteOptions how{.mode = root.file_mode, .exact_mode = true, .sync = sync};
  StatusOr<AtomicFile> file = AtomicFile::Create(root.folder.get(), path, how);
  if (!absl::IsNotFound(file.status())) return file;
  const std::string folder = path.substr(0, path.find('/'));
  if (int error = MakeFolder(root, folder)) return FileError("make directory", folder, -error);
  return AtomicFile::Create(root.folder.get(), path, how);
}

Status Miss() { return NotFound("[cache] not in the disk cache"); }

}  // namespace

KeyLock::KeyLock(FileLock lock) : lock_(std::move(lock)) {
  if (held()) ++key_locks_held;
}

FileLock KeyLock::Detach() {
  if (held()) --key_locks_held;
  return std::move(lock_);
}

KeyLock::~KeyLock() {
  if (held()) --key_locks_held;
}

DiskTier::DiskTier(DiskOptions options)
    : options_([&] {
        options.dir = NormalCacheDir(options.dir);
        return std::move(options);
      }()) {}

StatusOr<CacheRoot> DiskTier::OpenRoot(bool create) {
  if (options_.dir.empty()) return NotFound("[cache] there is no disk cache");
  return OpenCacheDir(options_.dir, {.create = create, .trust_shared = options_.trust_shared});
}

Status DiskTier::Reject(DiskCause cause, std::string_view text) {
  ++counters_.rejects[static_cast<int>(cause)];
  WarnOnce(options_.dir, cause, text);
  return Miss();
}

void DiskTier::CountWriteError(DiskCause cause, std::string_view text) {
  ++counters_.write_errors[static_cast<int>(cause)];
  WarnOnce(options_.dir, cause, text);
}

StatusOr<std::string> DiskTier::Get(EntryKind kind, std::string_view material) {
  StatusOr<std::string> payload = Find(kind, material);
  ++(payload.ok() ? counters_.hits : counters_.misses);
  return payload;
}

StatusOr<std::string> DiskTier::Find(EntryKind kind, std::string_view material) {
  const StatusOr<CacheRoot> root = OpenRoot(/*create=*/false);
  if (!root.ok()) {
    if (absl::IsNotFound(root.status())) return Miss();
    return Reject(CauseOf(root.status(), DiskCause::kDirectory), ToStd(root.status().message()));
  }
  const Hash128 hash = HashBytes(material);
  const std::string path = EntryPath(hash, kind);
  LoadedFile file = LoadEntryFile(*root, path, options_.trust_shared);
  if (file.absent) return Miss();
  std::string payload;
  bool damaged = file.cause == DiskCause::kNotRegular;
  if (file.cause == DiskCause::kNone) {
    const EntryFault fault = DecodeEntry(file.bytes, kind, material, &payload);
    file.cause = CauseOf(fault.problem);
    file.text = fault.text;
    // An entry of another format belongs to another version of Swage, and a true collision of
    // hashes is as good as what would replace it.
    EntryView view;
    damaged = !fault.ok() && fault.problem != EntryProblem::kVersion &&
              !(fault.problem == EntryProblem::kMaterial && ParseEntry(file.bytes, &view).ok() &&
                HashBytes(view.material) == hash);
  }
  if (damaged) RemoveLoaded(*root, path, file.info);
  if (file.cause != DiskCause::kNone) return Reject(file.cause, path + ": " + file.text);
  StampEntry(root->folder.get(), path, file.info, ::time(nullptr));
  counters_.bytes_read += static_cast<int64_t>(file.bytes.size());
  return payload;
}

void DiskTier::Put(EntryKind kind, std::string_view material, std::string_view payload) {
  if (options_.dir.empty() || options_.disk_bytes <= 0) return;
  const StatusOr<std::string> entry = EncodeEntry(kind, material, payload);
  if (!entry.ok()) {
    CountWriteError(DiskCause::kTooLarge, ToStd(entry.status().message()));
    return;
  }
  (void)WriteEntry(HashBytes(material), kind, *entry);
}

Status DiskTier::WriteEntry(const Hash128& hash, EntryKind kind, std::string_view bytes) {
  // What follows the first failing step reports its status and counts it by cause.
  const auto fail = [&](const Status& status, DiskCause other) {
    CountWriteError(CauseOf(status, other), ToStd(status.message()));
    return status;
  };
  if (static_cast<int64_t>(bytes.size()) > options_.disk_bytes) {
    const Status status = absl::OutOfRangeError(absl::StrCat(
        "[cache] an entry of ", bytes.size(), " bytes; disk_bytes is ", options_.disk_bytes));
    return fail(status, DiskCause::kTooLarge);
  }
  const StatusOr<CacheRoot> root = OpenRoot(/*create=*/true);
  if (!root.ok()) return fail(root.status(), DiskCause::kDirectory);
  const std::string path = EntryPath(hash, kind);
  StatusOr<AtomicFile> file = CreateEntryFile(*root, path, options_.sync);
  if (!file.ok()) return fail(file.status(), DiskCause::kIo);
  Status written = file->Append(bytes);
  if (written.ok()) written = file->Commit();
  if (!written.ok()) return fail(written, DiskCause::kIo);
  ++counters_.writes;
  counters_.bytes_written += static_cast<int64_t>(bytes.size());
  struct stat info = {};
  info.st_size = static_cast<int64_t>(bytes.size());
  AccountWrite(*root, DiskBytes(info));
  return OkStatus();
}

void DiskTier::AccountWrite(const CacheRoot& root, int64_t bytes) {
  written_since_count_ += bytes;
  const int64_t before = bytes_.load();
  if (before >= 0) bytes_ += bytes;
  const int64_t recount = std::max(options_.disk_bytes / kRecountShare, kMinRecount);
  if (before >= 0 && bytes_ <= options_.disk_bytes && written_since_count_ < recount) return;
  const std::unique_lock<std::mutex> lock(sweep_mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const auto target = static_cast<int64_t>(static_cast<double>(options_.disk_bytes) * kSweepTarget);
  const SweepResult result = SweepEntries(root, options_.disk_bytes, target, ::time(nullptr));
  // Another process is sweeping: it has just counted, and the next write asks again.
  if (!result.done) return;
  bytes_ = result.bytes;
  written_since_count_ = 0;
  counters_.evictions += result.evicted;
}

int DiskTier::LockOf(std::string_view material) {
  return static_cast<int>(HashBytes(material).low % kLocks);
}

KeyLock DiskTier::LockFor(std::string_view material, std::chrono::milliseconds timeout) {
  if (key_locks_held > 0) return KeyLock(FileLock());
  const StatusOr<CacheRoot> root = OpenRoot(/*create=*/true);
  if (!root.ok()) return KeyLock(FileLock());
  const std::string path = absl::StrCat("locks/", LockOf(material));
  MakeFolder(*root, "locks");
  return KeyLock(FileLock::Acquire(root->folder.get(), path, root->file_mode, timeout));
}

DiskStats DiskTier::stats() const {
  DiskStats stats;
  stats.hits = counters_.hits;
  stats.misses = counters_.misses;
  stats.writes = counters_.writes;
  stats.evictions = counters_.evictions;
  stats.bytes = std::max<int64_t>(bytes_, 0);
  stats.bytes_read = counters_.bytes_read;
  stats.bytes_written = counters_.bytes_written;
  for (int i = 0; i < kDiskCauses; ++i) {
    stats.rejects += stats.rejects_by_cause[i] = counters_.rejects[i];
    stats.write_errors += stats.write_errors_by_cause[i] = counters_.write_errors[i];
  }
  return stats;
}

DiskEntry DiskTier::Inspect(const CacheRoot& root, const DiskFile& file, bool unpack) {
  DiskEntry entry;
  entry.hash = file.hash;
  entry.kind = file.kind;
  entry.bytes = file.info.st_size;
  entry.used = file.info.st_mtim.tv_sec;
  const LoadedFile loaded = LoadEntryFile(root, file.path, options_.trust_shared);
  if (loaded.absent || loaded.cause != DiskCause::kNone) {
    entry.problem = loaded.absent ? "gone" : loaded.text;
    return entry;
  }
  EntryView view;
  EntryFault fault = ParseEntry(loaded.bytes, &view);
  if (fault.ok()) {
    entry.material = std::string(view.material);
    entry.payload_bytes = static_cast<int64_t>(view.payload_bytes);
    if (view.kind != file.kind || HashBytes(view.material) != file.hash) {
      fault = {EntryProblem::kMaterial, "its name is that of another entry"};
    } else if (std::string payload; unpack) {
      fault = UnpackPayload(view, &payload);
    }
  }
  entry.problem = fault.text;
  return entry;
}

StatusOr<std::vector<DiskEntry>> DiskTier::List(bool unpack) {
  std::vector<DiskEntry> entries;
  const StatusOr<CacheRoot> root = OpenRoot(/*create=*/false);
  if (absl::IsNotFound(root.status())) return entries;
  if (!root.ok()) return root.status();
  ForEachFile(*root, [&](const DiskFile& file) {
    if (!file.temporary) entries.push_back(Inspect(*root, file, unpack));
  });
  return entries;
}

StatusOr<std::string> DiskTier::ReadEntry(const Hash128& hash, EntryKind kind) {
  SWAGE_ASSIGN_OR_RETURN(const CacheRoot root, OpenRoot(/*create=*/false));
  const std::string path = EntryPath(hash, kind);
  LoadedFile file = LoadEntryFile(root, path, options_.trust_shared);
  if (file.absent) return NotFound("[cache] no entry ", path, " in '", options_.dir, "'");
  if (file.cause == DiskCause::kNone) {
    EntryView view;
    const EntryFault fault = ParseEntry(file.bytes, &view);
    const bool other = fault.ok() && (view.kind != kind || HashBytes(view.material) != hash);
    if (fault.ok() && !other) return std::move(file.bytes);
    file.text = other ? "its name is that of another entry" : fault.text;
  }
  return NotFound("[cache] the entry ", path, " in '", options_.dir, "' is of no use: ", file.text);
}

Status DiskTier::PutEntry(std::string_view entry) {
  if (options_.dir.empty()) return NotFound("[cache] there is no disk cache");
  EntryView view;
  std::string payload;
  EntryFault fault = ParseEntry(entry, &view);
  if (fault.ok()) fault = UnpackPayload(view, &payload);
  if (!fault.ok()) return InvalidArgument("[cache] ", fault.text);
  return WriteEntry(HashBytes(view.material), view.kind, entry);
}

StatusOr<int64_t> DiskTier::Prune(int64_t bytes) {
  const StatusOr<CacheRoot> root = OpenRoot(/*create=*/false);
  if (absl::IsNotFound(root.status())) return int64_t{0};
  if (!root.ok()) return root.status();
  const SweepResult result = SweepEntries(*root, bytes, bytes, ::time(nullptr), kToolPatienceMs);
  if (!result.done) {
    return absl::UnavailableError(absl::StrCat("[cache] cannot lock '", options_.dir,
                                               "': another process sweeps it, or it is read-only"));
  }
  bytes_ = result.bytes;
  written_since_count_ = 0;
  counters_.evictions += result.evicted;
  if (result.error == 0) return result.evicted;
  const Status failed = FileError("remove entries in", options_.dir, result.error);
  return Status(failed.code(), absl::StrCat(failed.message(), "; removed ", result.evicted));
}

StatusOr<int64_t> DiskTier::Remove(const Hash128& hash) {
  const StatusOr<CacheRoot> root = OpenRoot(/*create=*/false);
  if (absl::IsNotFound(root.status())) return int64_t{0};
  if (!root.ok()) return root.status();
  int64_t removed = 0;
  for (EntryKind kind : {EntryKind::kKernel, EntryKind::kModule}) {
    const std::string path = EntryPath(hash, kind);
    const int error = file_ops::Remove(root->folder.get(), path);
    if (error == 0) ++removed;
    if (error != 0 && error != -ENOENT) return FileError("remove", path, -error);
  }
  return removed;
}

}  // namespace swage::cache
