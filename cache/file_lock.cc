#include "cache/file_lock.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <thread>
#include <utility>

#include "base/file_ops.h"

namespace swage::cache {
namespace {

// More locks at a time than any process takes; one too many is not held.
constexpr int kMaxLocks = 256;

// The descriptors of this process's locks. A fork copies them, and flock belongs to what they point
// to, so a child that lives longer would keep its parent's locks. Opening a lock file and noting it
// is one step under the mutex, which a fork waits for.
struct Registry {
  std::mutex mutex;
  int fds[kMaxLocks];
  int count = 0;
  uint64_t generation = 0;  // how many forks lie between the first process and this one
};

Registry& TheRegistry() {
  static Registry& registry = *[] {
    auto* made = new Registry;
    pthread_atfork([] { TheRegistry().mutex.lock(); }, [] { TheRegistry().mutex.unlock(); },
                   [] {
                     Registry& child = TheRegistry();
                     for (int i = 0; i < child.count; ++i) ::close(child.fds[i]);
                     child.count = 0;
                     ++child.generation;
                     child.mutex.unlock();
                   });
    return made;
  }();
  return registry;
}

int OpenNoted(int folder, const std::string& path, unsigned mode, uint64_t* generation) {
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  if (registry.count == kMaxLocks) return -EMFILE;
  const int fd = file_ops::Open(folder, path, O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode);
  if (fd >= 0) registry.fds[registry.count++] = fd;
  *generation = registry.generation;
  return fd;
}

// The closing is under the mutex too: a child must not close a number that means another file.
void CloseNoted(int fd, uint64_t generation) {
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  if (generation != registry.generation) return;
  int* const end = registry.fds + registry.count;
  *std::find(registry.fds, end, fd) = end[-1];
  --registry.count;
  ::flock(fd, LOCK_UN);
  ::close(fd);
}

bool LockWithin(int fd, std::chrono::milliseconds timeout) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + timeout;
  std::chrono::microseconds pause(200);
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return false;
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(10'000));
  }
  return true;
}

}  // namespace

FileLock FileLock::Acquire(int folder, const std::string& path, unsigned mode,
                           std::chrono::milliseconds timeout) {
  FileLock lock;
  lock.fd_ = OpenNoted(folder, path, mode, &lock.generation_);
  if (lock.held() && !LockWithin(lock.fd_, timeout)) lock.Release();
  return lock;
}

FileLock::FileLock(FileLock&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), generation_(other.generation_) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(generation_, other.generation_);
  return *this;
}

void FileLock::Release() {
  if (fd_ >= 0) CloseNoted(std::exchange(fd_, -1), generation_);
}

}  // namespace swage::cache
