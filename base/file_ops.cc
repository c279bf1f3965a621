#include "base/file_ops.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>

namespace swage {
namespace {

std::atomic<file_ops::Hook> file_hook{nullptr};

// With a hook a write goes out in pieces, so that a test can stop in the middle of a file.
constexpr size_t kHookedPiece = 1024;

int Ask(FileStep step, const std::string& path) {
  const file_ops::Hook hook = file_hook.load(std::memory_order_relaxed);
  return hook == nullptr ? 0 : -hook(step, path.c_str());
}

template <typename Call>
auto Retry(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

int ErrorOf(int result) { return result < 0 ? -errno : 0; }

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Status FileError(std::string_view action, std::string_view path, int error) {
  const std::string message = absl::StrCat("[file] cannot ", ToAbsl(action), " '", ToAbsl(path),
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

namespace file_ops {

void SetHook(Hook hook) { file_hook.store(hook); }

int Open(int folder, const std::string& path, int flags, unsigned mode) {
  const bool reads = (flags & O_ACCMODE) == O_RDONLY && (flags & O_CREAT) == 0;
  if (int error = Ask(reads ? FileStep::kOpen : FileStep::kCreate, path)) return error;
  const int fd = Retry([&] { return ::openat(folder, path.c_str(), flags | O_CLOEXEC, mode); });
  return fd < 0 ? -errno : AboveStandard(fd);
}

int AboveStandard(int fd) {
  if (fd > STDERR_FILENO) return fd;
  const int above = ::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int error = errno;
  ::close(fd);
  return above < 0 ? -error : above;
}

int64_t Read(int fd, const std::string& path, char* data, size_t size) {
  if (int error = Ask(FileStep::kRead, path)) return error;
  const ssize_t got = Retry([&] { return ::read(fd, data, size); });
  return got < 0 ? -errno : got;
}

int WriteAll(int fd, const std::string& path, std::string_view content) {
  const bool hooked = file_hook.load(std::memory_order_relaxed) != nullptr;
  while (!content.empty()) {
    if (int error = Ask(FileStep::kWrite, path)) return error;
    const size_t size = hooked ? std::min(content.size(), kHookedPiece) : content.size();
    const ssize_t written = Retry([&] { return ::write(fd, content.data(), size); });
    if (written < 0) return -errno;
    content.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

int Sync(int fd, const std::string& path) {
  if (int error = Ask(FileStep::kSync, path)) return error;
  return ErrorOf(Retry([&] { return ::fsync(fd); }));
}

int Close(Descriptor& file, const std::string& path) {
  const int error = Ask(FileStep::kClose, path);
  // Not retried: the descriptor is gone even when close was interrupted.
  const int result = ErrorOf(::close(file.Release()));
  return error != 0 ? error : result;
}

int Rename(int folder, const std::string& from, const std::string& to) {
  if (int error = Ask(FileStep::kRename, to)) return error;
  return ErrorOf(::renameat(folder, from.c_str(), folder, to.c_str()));
}

int Remove(int folder, const std::string& path) {
  if (int error = Ask(FileStep::kRemove, path)) return error;
  return ErrorOf(::unlinkat(folder, path.c_str(), 0));
}

int MakeDirectory(int folder, const std::string& path, unsigned mode) {
  if (int error = Ask(FileStep::kMakeDirectory, path)) return error;
  return ErrorOf(::mkdirat(folder, path.c_str(), mode));
}

int SyncDirectory(int folder, const std::string& path) {
  const Descriptor directory(Open(folder, path, O_RDONLY | O_DIRECTORY));
  if (!directory.ok()) return -directory.error();
  if (int error = Ask(FileStep::kSyncDirectory, path)) return error;
  return ErrorOf(Retry([&] { return ::fsync(directory.get()); }));
}

}  // namespace file_ops
}  // namespace swage
