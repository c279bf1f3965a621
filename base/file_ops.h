// File: base/file_ops.h
//
// The system calls on files that Swage makes, retried after a signal, with the error as a value:
// 0 (or a descriptor, or a count), else the negated errno.
//
//   Descriptor file(file_ops::Open(AT_FDCWD, path, O_RDONLY));
//   if (file.get() < 0) return FileError("read", path, -file.get());
//
// A test can stand between Swage and the disk: with a hook set, each call first asks it and fails
// with the errno that it returns, so that a full or read-only disk needs no such disk, and a hook
// that kills the process shows what a crash between two steps leaves behind.
//
//   file_ops::SetHook([](FileStep step, const char* path) {
//     return step == FileStep::kWrite ? ENOSPC : 0;
//   });
//
// Nothing but tests sets it; without it a call costs one load more.
#ifndef SWAGE_BASE_FILE_OPS_H_
#define SWAGE_BASE_FILE_OPS_H_

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"

namespace swage {

enum class FileStep {
  kOpen,    // for reading, folders included
  kCreate,  // for writing
  kRead,
  kWrite,
  kSync,
  kClose,
  kRename,
  kRemove,
  kMakeDirectory,
  kSyncDirectory,
};

// Owns a descriptor; a negative one (an error of file_ops::Open) is kept and not closed.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : fd_(other.Release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }
  // The errno of the open that failed.
  int error() const { return fd_ < 0 ? -fd_ : 0; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

// The Status of a failed system call; base/files.h lists the codes.
Status FileError(std::string_view action, std::string_view path, int error);

namespace file_ops {

// 0, or the errno with which the step fails. Called from any thread.
using Hook = int (*)(FileStep step, const char* path);
// For tests only; null takes it away.
void SetHook(Hook hook);

// `folder` is an open folder to which `path` is relative, or AT_FDCWD. Always close-on-exec.
int Open(int folder, const std::string& path, int flags, unsigned mode = 0);
// The same open file under a number that is not stdin's, stdout's or stderr's, or an error: in a
// process that was started without one of these, what is printed there must not end up in a file or
// socket of ours. Open does this itself. Close-on-exec.
int AboveStandard(int fd);
// Bytes read; 0 at the end. `path` is for the hook only, here and below.
int64_t Read(int fd, const std::string& path, char* data, size_t size);
int WriteAll(int fd, const std::string& path, std::string_view content);
int Sync(int fd, const std::string& path);
// Some file systems report a failed write only here.
int Close(Descriptor& file, const std::string& path);
int Rename(int folder, const std::string& from, const std::string& to);
int Remove(int folder, const std::string& path);
int MakeDirectory(int folder, const std::string& path, unsigned mode);
int SyncDirectory(int folder, const std::string& path);

}  // namespace file_ops
}  // namespace swage

#endif  // SWAGE_BASE_FILE_OPS_H_
