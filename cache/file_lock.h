// File: cache/file_lock.h
//
// A lock that excludes other processes (and other holders in this one): flock on a file.
//
//   FileLock lock = FileLock::Acquire(folder, "locks/sweep", 0600, std::chrono::seconds(10));
//   if (!lock.held()) ...   // somebody else has it, or there is no such folder to write to
//
// It can never strand: the kernel releases it when its process ends in any way. A forked child does
// not share it, though it would with flock alone: the child's copy is closed while it is made.
#ifndef SWAGE_CACHE_FILE_LOCK_H_
#define SWAGE_CACHE_FILE_LOCK_H_

#include <chrono>
#include <cstdint>
#include <string>

namespace swage::cache {

class FileLock {
 public:
  // Holds nothing.
  FileLock() = default;
  ~FileLock() { Release(); }
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;

  // Waits until the lock is free or the time is over. A time of 0 tries once. The file is made
  // with `mode` where absent, and it stays.
  static FileLock Acquire(int folder, const std::string& path, unsigned mode,
                          std::chrono::milliseconds timeout);

  bool held() const { return fd_ >= 0; }
  void Release();

 private:
  int fd_ = -1;
  uint64_t generation_ = 0;  // of the process that took it
};

}  // namespace swage::cache

#endif  // SWAGE_CACHE_FILE_LOCK_H_
