#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

namespace swage {
namespace {

Status SystemError(std::string_view action, const std::string& path, int error) {
  const std::string message = absl::StrCat("[file] cannot ", ToAbsl(action), " '", path,
                                           "': ", std::generic_category().message(error));
  switch (error) {
    case ENOENT:
      return absl::NotFoundError(message);
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(message);
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return absl::ResourceExhaustedError(message);
    case EISDIR:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP:
    case EEXIST:
    case EINVAL:
      return absl::InvalidArgumentError(message);
    default:
      return absl::FailedPreconditionError(message);
  }
}

// A name with a NUL inside would silently open another file.
Status CheckName(const std::string& path) {
  if (path.empty()) return InvalidArgument("[file] the path is empty");
  if (path.find('\0') != std::string::npos) {
    return InvalidArgument("[file] the path '", path.c_str(), "...' contains a NUL byte");
  }
  return OkStatus();
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  // Close with its error: on some file systems a failed write is reported only here.
  int Close() {
    const int fd = std::exchange(fd_, -1);
    return ::close(fd) == 0 ? 0 : errno;
  }

 private:
  int fd_;
};

int Open(const std::string& path, int flags, unsigned mode = 0) {
  int fd;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

// 0 or the errno of the write that failed.
int WriteAll(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    content.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

int SyncDirectoryOf(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  Descriptor directory(Open(parent.empty() ? "." : parent, O_RDONLY | O_DIRECTORY));
  if (directory.get() < 0) return errno;
  return ::fsync(directory.get()) == 0 ? 0 : errno;
}

// Beside the target, so that the rename stays inside one file system.
std::string TemporaryName(const std::string& path) {
  static std::atomic<uint64_t> counter{0};
  return absl::StrCat(path, ".tmp.", static_cast<int64_t>(::getpid()), ".",
                      counter.fetch_add(1, std::memory_order_relaxed));
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
    const ssize_t got = ::read(fd, content.data() + size, content.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError("read", path, errno);
    if (got == 0) break;
    size += got;
    if (size > max_bytes) return TooLarge(path, max_bytes);
  }
  content.resize(static_cast<size_t>(size));
  return content;
}

}  // namespace

StatusOr<std::string> ReadFile(const std::string& path, int64_t max_bytes) {
  SWAGE_RETURN_IF_ERROR(CheckName(path));
  if (max_bytes < 0) return InvalidArgument("[file] a limit of ", max_bytes, " bytes");
  Descriptor file(Open(path, O_RDONLY));
  if (file.get() < 0) return SystemError("read", path, errno);
  struct stat info;
  if (::fstat(file.get(), &info) != 0) return SystemError("read", path, errno);
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

Status WriteFile(const std::string& path, std::string_view content) {
  SWAGE_RETURN_IF_ERROR(CheckName(path));
  Descriptor file(Open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644));
  if (file.get() < 0) return SystemError("write", path, errno);
  int error = WriteAll(file.get(), content);
  if (error == 0) error = file.Close();
  return error == 0 ? OkStatus() : SystemError("write", path, error);
}

Status WriteFileAtomic(const std::string& path, std::string_view content,
                       const AtomicWriteOptions& options) {
  SWAGE_RETURN_IF_ERROR(CheckName(path));
  std::string temporary;
  int fd = -1;
  // O_EXCL: never write through a file or link that someone else placed there.
  for (int attempt = 0; attempt < 100 && fd < 0; ++attempt) {
    temporary = TemporaryName(path);
    fd = Open(temporary, O_WRONLY | O_CREAT | O_EXCL, options.mode);
    if (fd < 0 && errno != EEXIST) break;
  }
  if (fd < 0) return SystemError("write", path, errno);
  Descriptor file(fd);
  int error = WriteAll(fd, content);
  if (error == 0 && options.sync && ::fsync(fd) != 0) error = errno;
  if (error == 0) error = file.Close();
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    return SystemError("write", path, error);
  }
  if (options.sync) error = SyncDirectoryOf(path);
  return error == 0 ? OkStatus() : SystemError("sync the directory of", path, error);
}

Status MakeDirectories(const std::string& path) {
  SWAGE_RETURN_IF_ERROR(CheckName(path));
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return SystemError("make directory", path, error.value());
  // create_directories is silent when the last part exists as a file.
  if (!std::filesystem::is_directory(path, error)) {
    return SystemError("make directory", path, ENOTDIR);
  }
  return OkStatus();
}

}  // namespace swage
