#include "base/files.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <climits>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

namespace swage {
namespace {

// A name with a NUL inside would silently open another file.
Status CheckName(const std::string& path) {
  if (path.empty()) return InvalidArgument("[file] the path is empty");
  if (path.find('\0') != std::string::npos) {
    return InvalidArgument("[file] the path '", path.c_str(), "...' contains a NUL byte");
  }
  return OkStatus();
}

constexpr std::string_view kTemporaryMark = ".tmp.";

// Beside the target, so that the rename stays inside one file system. Processes of two containers
// may share a number, so the clock is in it too.
std::string TemporaryName(const std::string& path) {
  static std::atomic<uint64_t> counter{0};
  const int64_t now = std::chrono::system_clock::now().time_since_epoch().count();
  return absl::StrCat(path, ToAbsl(kTemporaryMark), static_cast<int64_t>(::getpid()), ".",
                      counter.fetch_add(1, std::memory_order_relaxed), ".", absl::Hex(now));
}

Status TooLarge(const std::string& path, int64_t max_bytes) {
  return ResourceExhausted("[file] '", path, "' is larger than the limit of ", max_bytes, " bytes");
}

// Reads to the end of `fd`, which may hold more or less than `expected` bytes.
StatusOr<std::string> ReadAll(int fd, const std::string& path, int64_t expected,
                              int64_t max_bytes) {
  std::string content;
  int64_t size = 0;
  // One byte beyond the expected size, so that the usual file ends without a second allocation.
  content.resize(static_cast<size_t>(std::min(expected, max_bytes)) + 1);
  while (true) {
    if (size == static_cast<int64_t>(content.size())) {
      const int64_t grown = std::max<int64_t>(2 * size, 64 << 10);
      content.resize(static_cast<size_t>(std::min(grown, max_bytes + 1)));
    }
    const int64_t got = file_ops::Read(fd, path, content.data() + size, content.size() - size);
    if (got < 0) return FileError("read", path, static_cast<int>(-got));
    if (got == 0) break;
    size += got;
    if (size > max_bytes) return TooLarge(path, max_bytes);
  }
  content.resize(static_cast<size_t>(size));
  return content;
}

StatusOr<std::string> ReadWhole(const std::string& path, int64_t max_bytes, bool only_regular) {
  SWAGE_RETURN_IF_ERROR(CheckName(path));
  if (max_bytes < 0) return InvalidArgument("[file] a limit of ", max_bytes, " bytes");
  const int flags = only_regular ? O_RDONLY | O_NONBLOCK | O_NOCTTY : O_RDONLY;
  const Descriptor file(file_ops::Open(AT_FDCWD, path, flags));
  if (!file.ok()) return FileError("read", path, file.error());
  struct stat info;
  if (::fstat(file.get(), &info) != 0) return FileError("read", path, errno);
  if (only_regular && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) {
    return InvalidArgument("[file] '", path, "' is not a regular file");
  }
  int64_t expected = 0;
  if (S_ISREG(info.st_mode)) {
    expected = info.st_size;
    if (expected > max_bytes) return TooLarge(path, max_bytes);
  } else if (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode)) {
    max_bytes = std::min(max_bytes, kMaxDeviceBytes);
  }
  try {
    return ReadAll(file.get(), path, expected, max_bytes);
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("[file] no memory to read '", path, "'");
  }
}

// Whether a symbolic link is one that the system makes for an open file of a process.
bool IsOpenFile(int link) {
  struct statfs info;
  return ::fstatfs(link, &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

// What the link at `path`, opened as `link`, names; "" with errno set.
std::string TargetOf(int link, const std::string& path) {
  char text[PATH_MAX];
  const ssize_t size = ::readlinkat(link, "", text, sizeof(text));
  if (size < 0) return "";
  const std::string_view target(text, static_cast<size_t>(size));
  return (std::filesystem::path(path).parent_path() / target).string();
}

// The number of the open file of this process that a path such as /proc/self/fd/1 or /dev/fd/1
// names, or -1.
int NumberOfOpenFile(const std::filesystem::path& path) {
  std::error_code error;
  const auto folder = std::filesystem::canonical(path.parent_path(), error);
  if (error || folder != std::filesystem::canonical("/proc/self/fd", error)) return -1;
  const std::string name = path.filename().string();
  int number = -1;
  std::from_chars(name.data(), name.data() + name.size(), number);
  return number;
}

}  // namespace

StatusOr<std::string> ReadFile(const std::string& path, int64_t max_bytes) {
  return ReadWhole(path, max_bytes, false);
}

StatusOr<std::string> ReadRegularFile(const std::string& path, int64_t max_bytes) {
  return ReadWhole(path, max_bytes, true);
}

Status WriteFile(const std::string& path, std::string_view content) {
  SWAGE_RETURN_IF_ERROR(CheckName(path));
  Descriptor file(file_ops::Open(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0644));
  if (!file.ok()) return FileError("write", path, file.error());
  int error = file_ops::WriteAll(file.get(), path, content);
  if (error == 0) error = file_ops::Close(file, path);
  return error == 0 ? OkStatus() : FileError("write", path, -error);
}

StatusOr<AtomicFile> AtomicFile::Create(int folder, std::string path,
                                        const AtomicWriteOptions& options) {
  SWAGE_RETURN_IF_ERROR(CheckName(path));
  AtomicFile file(folder, std::move(path), options);
  if (int error = file.Open()) return FileError("write", file.path_, -error);
  return file;
}

StatusOr<AtomicFile> AtomicFile::CreateNamed(const std::string& path, IfSpecial special,
                                             const AtomicWriteOptions& options) {
  SWAGE_RETURN_IF_ERROR(CheckName(path));
  constexpr int kMostLinks = 40;  // as many as the system follows
  std::string target = path;
  for (int links = 0; links < kMostLinks; ++links) {
    const Descriptor at(file_ops::Open(AT_FDCWD, target, O_PATH | O_NOFOLLOW));
    if (at.error() == ENOENT) return Create(AT_FDCWD, std::move(target), options);
    if (!at.ok()) return FileError("write", path, at.error());
    struct stat info;
    if (::fstat(at.get(), &info) != 0) return FileError("write", path, errno);
    if (S_ISREG(info.st_mode)) return Create(AT_FDCWD, std::move(target), options);
    if (S_ISDIR(info.st_mode)) return FileError("write", path, EISDIR);
    const bool open_file = S_ISLNK(info.st_mode) && IsOpenFile(at.get());
    if (S_ISLNK(info.st_mode) && !open_file) {
      target = TargetOf(at.get(), target);
      if (target.empty()) return FileError("write", path, errno);
      continue;
    }
    if (special == IfSpecial::kRefuse || S_ISBLK(info.st_mode) || S_ISSOCK(info.st_mode)) {
      return InvalidArgument("[file] cannot write '", path, "': it is not a regular file");
    }
    AtomicFile file(AT_FDCWD, std::move(target), options);
    if (int error = file.OpenThrough(open_file)) return FileError("write", path, -error);
    return file;
  }
  return FileError("write", path, ELOOP);
}

int AtomicFile::OpenThrough(bool open_file) {
  through_ = true;
  // Opened anew, a file that stdout goes to would be written from its beginning.
  const int number = open_file ? NumberOfOpenFile(path_) : -1;
  if (number >= 0) {
    const int copy = ::fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    file_ = Descriptor(copy < 0 ? -errno : copy);
  } else {
    file_ = Descriptor(file_ops::Open(AT_FDCWD, path_, O_WRONLY | O_APPEND | O_NOCTTY));
  }
  return -file_.error();
}

int AtomicFile::Open() {
  // O_EXCL: never write through a file or link that someone else placed there.
  int error = -EEXIST;
  for (int attempt = 0; attempt < 100 && error == -EEXIST; ++attempt) {
    std::string temporary = TemporaryName(path_);
    file_ =
        Descriptor(file_ops::Open(folder_, temporary, O_WRONLY | O_CREAT | O_EXCL, options_.mode));
    error = -file_.error();
    if (error == 0) temporary_ = std::move(temporary);
  }
  if (error == 0 && options_.exact_mode && ::fchmod(file_.get(), options_.mode) != 0) {
    error = -errno;
  }
  return error;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : folder_(other.folder_),
      path_(std::move(other.path_)),
      options_(other.options_),
      temporary_(std::exchange(other.temporary_, std::string())),
      through_(other.through_),
      file_(std::move(other.file_)) {}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) file_ops::Remove(folder_, temporary_);
}

Status AtomicFile::Append(std::string_view content) {
  const int error = file_ops::WriteAll(file_.get(), temporary_, content);
  return error == 0 ? OkStatus() : FileError("write", path_, -error);
}

Status AtomicFile::Commit() {
  if (through_) {
    const int closed = file_ops::Close(file_, path_);
    return closed == 0 ? OkStatus() : FileError("write", path_, -closed);
  }
  int error = options_.sync ? file_ops::Sync(file_.get(), temporary_) : 0;
  if (error == 0) error = file_ops::Close(file_, temporary_);
  if (error == 0) error = file_ops::Rename(folder_, temporary_, path_);
  if (error != 0) return FileError("write", path_, -error);
  temporary_.clear();
  if (!options_.sync_folder) return OkStatus();
  const std::string parent = std::filesystem::path(path_).parent_path().string();
  error = file_ops::SyncDirectory(folder_, parent.empty() ? "." : parent);
  return error == 0 ? OkStatus() : FileError("write", path_, -error);
}

bool IsTemporaryName(std::string_view name) {
  return name.find(kTemporaryMark) != std::string_view::npos;
}

Status WriteFileAtomic(const std::string& path, std::string_view content,
                       const AtomicWriteOptions& options) {
  SWAGE_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::Create(AT_FDCWD, path, options));
  SWAGE_RETURN_IF_ERROR(file.Append(content));
  return file.Commit();
}

Status WriteNamedFile(const std::string& path, std::string_view content, IfSpecial special) {
  SWAGE_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::CreateNamed(path, special));
  SWAGE_RETURN_IF_ERROR(file.Append(content));
  return file.Commit();
}

Status MakeDirectories(const std::string& path) {
  SWAGE_RETURN_IF_ERROR(CheckName(path));
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return FileError("make directory", path, error.value());
  // create_directories is silent when the last part exists as a file.
  if (!std::filesystem::is_directory(path, error)) {
    return FileError("make directory", path, ENOTDIR);
  }
  return OkStatus();
}

}  // namespace swage
