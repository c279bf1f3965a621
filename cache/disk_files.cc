#include "cache/disk_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>
#include <tuple>
#include <utility>
#include <vector>

#include "base/files.h"
#include "cache/file_lock.h"

namespace swage::cache {
namespace {

constexpr time_t kHour = 3600;
constexpr int64_t kDiskBlock = 4096;

constexpr std::string_view kCauseNames[] = {
    "none",     "directory", "resources", "permission", "io",      "not a regular file",
    "owner",    "writable",  "too large", "magic",      "version", "truncated",
    "checksum", "kind",      "material",  "compression"};
static_assert(std::size(kCauseNames) == kDiskCauses);

template <typename... Args>
void Refuse(LoadedFile& file, DiskCause cause, const Args&... args) {
  file.cause = cause;
  file.text = absl::StrCat(args...);
}

void RefuseWithError(LoadedFile& file, const std::string& path, int error) {
  const Status status = FileError("read", path, error);
  file.cause = CauseOf(status, DiskCause::kIo);
  file.text = std::string(status.message());
}

// False with the cause in `file` when its owner, mode or size is wrong.
bool Admit(LoadedFile& file, bool trust_shared) {
  if (!S_ISREG(file.info.st_mode)) {
    Refuse(file, DiskCause::kNotRegular, "not a regular file");
  } else if (!trust_shared && file.info.st_uid != ::geteuid()) {
    Refuse(file, DiskCause::kOwner, "owned by user ", file.info.st_uid, ", not ", ::geteuid());
  } else if (file.info.st_mode & (S_IWGRP | S_IWOTH)) {
    Refuse(file, DiskCause::kWritable, "other users can write to it");
  } else if (file.info.st_size > static_cast<int64_t>(kMaxEntryBytes)) {
    Refuse(file, DiskCause::kTooLarge, file.info.st_size, " bytes, an entry has at most ",
           kMaxEntryBytes);
  }
  return file.cause == DiskCause::kNone;
}

// As many bytes as the file had when it was opened, or fewer when somebody cuts it meanwhile.
void ReadWhole(int fd, const std::string& path, LoadedFile& file) {
  try {
    file.bytes.resize(static_cast<size_t>(file.info.st_size));
  } catch (const std::bad_alloc&) {
    Refuse(file, DiskCause::kResources, "no memory for ", file.info.st_size, " bytes");
    return;
  }
  size_t size = 0;
  while (size < file.bytes.size()) {
    const int64_t got =
        file_ops::Read(fd, path, file.bytes.data() + size, file.bytes.size() - size);
    if (got < 0) return RefuseWithError(file, path, static_cast<int>(-got));
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  file.bytes.resize(size);
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

// Names in a folder, sorted; none when it cannot be read.
std::vector<std::string> NamesIn(int folder, const std::string& path) {
  std::vector<std::string> names;
  Descriptor opened(file_ops::Open(folder, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  if (!opened.ok()) return names;
  const std::unique_ptr<DIR, CloseDirectory> directory(::fdopendir(opened.get()));
  if (directory == nullptr) return names;
  opened.Release();
  while (const struct dirent* entry = ::readdir(directory.get())) names.push_back(entry->d_name);
  std::sort(names.begin(), names.end());
  return names;
}

bool IsHex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// A stamp that is far from now is as good as none, whichever way the clock jumped.
bool Near(time_t stamp, time_t now) { return stamp <= now + kHour; }

// Oldest first. Stamps from the future come before all others: a wrong clock must not make an entry
// immortal.
auto SweepOrder(const DiskFile& file, time_t now) {
  return std::tuple(Near(file.info.st_mtim.tv_sec, now), file.info.st_mtim.tv_sec,
                    file.info.st_mtim.tv_nsec);
}

}  // namespace

std::string_view DiskCauseName(DiskCause cause) { return kCauseNames[static_cast<int>(cause)]; }

DiskCause CauseOf(EntryProblem problem) {
  if (problem == EntryProblem::kNone) return DiskCause::kNone;
  constexpr int kFirst =
      static_cast<int>(DiskCause::kMagic) - static_cast<int>(EntryProblem::kMagic);
  static_assert(static_cast<int>(EntryProblem::kCompression) + kFirst ==
                static_cast<int>(DiskCause::kCompression));
  return static_cast<DiskCause>(static_cast<int>(problem) + kFirst);
}

DiskCause CauseOf(const Status& status, DiskCause other) {
  switch (status.code()) {
    case absl::StatusCode::kResourceExhausted:
      return DiskCause::kResources;
    case absl::StatusCode::kPermissionDenied:
      return DiskCause::kPermission;
    default:
      return other;
  }
}

std::string EntryPath(const Hash128& hash, EntryKind kind) {
  const std::string hex = hash.ToHex();
  return absl::StrCat(hex.substr(0, 2), "/", hex, ".", ToAbsl(EntryKindName(kind)));
}

bool ParseEntryName(std::string_view name, Hash128* hash, EntryKind* kind) {
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos) return false;
  const StatusOr<Hash128> parsed = ParseHash128(name.substr(0, dot));
  if (!parsed.ok()) return false;
  *hash = *parsed;
  for (EntryKind each : {EntryKind::kKernel, EntryKind::kModule}) {
    if (name.substr(dot + 1) != EntryKindName(each)) continue;
    *kind = each;
    return true;
  }
  return false;
}

LoadedFile LoadEntryFile(const CacheRoot& root, const std::string& path, bool trust_shared) {
  LoadedFile file;
  // O_NONBLOCK: opening a pipe must not wait for its other end.
  const Descriptor opened(
      file_ops::Open(root.folder.get(), path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (!opened.ok()) {
    file.absent = opened.error() == ENOENT;
    if (opened.error() == ELOOP) {
      ::fstatat(root.folder.get(), path.c_str(), &file.info, AT_SYMLINK_NOFOLLOW);
      Refuse(file, DiskCause::kNotRegular, "a symbolic link");
    } else if (!file.absent) {
      RefuseWithError(file, path, opened.error());
    }
    return file;
  }
  if (::fstat(opened.get(), &file.info) != 0) {
    RefuseWithError(file, path, errno);
  } else if (Admit(file, trust_shared)) {
    ReadWhole(opened.get(), path, file);
  }
  return file;
}

void RemoveLoaded(const CacheRoot& root, const std::string& path, const struct stat& info) {
  struct stat now;
  if (info.st_uid != ::geteuid() || S_ISDIR(info.st_mode)) return;
  if (::fstatat(root.folder.get(), path.c_str(), &now, AT_SYMLINK_NOFOLLOW) != 0) return;
  // Between this look and the removal a good entry may take its place; it is lost, not harmful.
  if (now.st_ino != info.st_ino || now.st_dev != info.st_dev) return;
  file_ops::Remove(root.folder.get(), path);
}

void StampEntry(int folder, const std::string& path, const struct stat& info, time_t now) {
  const time_t age = now - info.st_mtim.tv_sec;
  if (age > -kHour && age < kHour) return;
  const struct timespec times[2] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT},
                                    {.tv_sec = now, .tv_nsec = 0}};
  // Fails on a read-only file system and on another user's file: then it keeps its old stamp.
  ::utimensat(folder, path.c_str(), times, AT_SYMLINK_NOFOLLOW);
}

void ForEachFile(const CacheRoot& root, FunctionRef<void(const DiskFile&)> visit) {
  for (const std::string& folder : NamesIn(root.folder.get(), ".")) {
    if (folder.size() != 2 || !IsHex(folder[0]) || !IsHex(folder[1])) continue;
    for (const std::string& name : NamesIn(root.folder.get(), folder)) {
      DiskFile file;
      file.path = folder + "/" + name;
      file.temporary = IsTemporaryName(name);
      if (!file.temporary && !ParseEntryName(name, &file.hash, &file.kind)) continue;
      if (::fstatat(root.folder.get(), file.path.c_str(), &file.info, AT_SYMLINK_NOFOLLOW) != 0) {
        continue;
      }
      visit(file);
    }
  }
}

int64_t DiskBytes(const struct stat& info) {
  return (info.st_size + kDiskBlock - 1) / kDiskBlock * kDiskBlock;
}

SweepResult SweepEntries(const CacheRoot& root, int64_t limit, int64_t target, time_t now,
                         int patience_ms) {
  SweepResult result;
  MakeFolder(root, "locks");
  const FileLock lock = FileLock::Acquire(root.folder.get(), "locks/sweep", root.file_mode,
                                          std::chrono::milliseconds(patience_ms));
  if (!lock.held()) return result;
  result.done = true;
  std::vector<DiskFile> entries;
  ForEachFile(root, [&](const DiskFile& file) {
    if (file.info.st_uid != ::geteuid()) return;
    if (!file.temporary) {
      result.bytes += DiskBytes(file.info);
      entries.push_back(file);
    } else if (std::abs(now - file.info.st_mtim.tv_sec) > kHour) {
      file_ops::Remove(root.folder.get(), file.path);
    }
  });
  if (result.bytes <= limit) return result;
  std::sort(entries.begin(), entries.end(), [&](const DiskFile& a, const DiskFile& b) {
    return SweepOrder(a, now) < SweepOrder(b, now);
  });
  for (const DiskFile& file : entries) {
    if (result.bytes <= target) break;
    if (&file == &entries.back() && result.bytes <= limit) break;
    const int error = file_ops::Remove(root.folder.get(), file.path);
    // Gone already: another process removed it, so its bytes are free too.
    if (error != 0 && error != -ENOENT) {
      result.error = -error;
      continue;
    }
    result.bytes -= DiskBytes(file.info);
    if (error == 0) ++result.evicted;
  }
  return result;
}

}  // namespace swage::cache
