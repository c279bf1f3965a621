// File: base/files.h
//
// Whole files in and out, with errors that name the path and say what the system said.
//
//   SWAGE_ASSIGN_OR_RETURN(std::string text, ReadFile("model.hlo"));
//   SWAGE_RETURN_IF_ERROR(WriteFileAtomic(path, bytes));
//
// Codes: NotFound (no such file or directory), PermissionDenied, ResourceExhausted (larger than the
// bound, disk full), InvalidArgument (a directory, a name too long), FailedPrecondition (any other
// I/O error).
#ifndef SWAGE_BASE_FILES_H_
#define SWAGE_BASE_FILES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/file_ops.h"
#include "base/status.h"

namespace swage {

// No input that Swage reads whole is meant to be larger than this.
inline constexpr int64_t kMaxFileBytes = int64_t{16} << 30;
// A device such as /dev/zero may never end.
inline constexpr int64_t kMaxDeviceBytes = int64_t{64} << 20;

// The whole content. More than `max_bytes` is an error, and no more than that is ever read, so
// endless files (/dev/zero, a pipe) end in the same error.
StatusOr<std::string> ReadFile(const std::string& path, int64_t max_bytes = kMaxFileBytes);

// The same, and InvalidArgument for what is not a regular file. Never waits for the writer of a
// pipe.
StatusOr<std::string> ReadRegularFile(const std::string& path, int64_t max_bytes = kMaxFileBytes);

// Creates or truncates `path`. A reader may see a part of it; see WriteFileAtomic.
Status WriteFile(const std::string& path, std::string_view content);

struct AtomicWriteOptions {
  unsigned mode = 0644;      // permissions of the new file
  bool exact_mode = false;   // the umask takes nothing away from them
  bool sync = false;         // fsync the file before the rename
  bool sync_folder = false;  // and its folder after, so that the name survives a power failure too
};

// What becomes of a character device or a pipe that a user names as the file to write.
enum class IfSpecial {
  kRefuse,        // an error
  kWriteThrough,  // it receives the content, as with a shell's `>`
};

// A file that is written piece by piece beside `path` and appears there whole or not at all: a
// reader sees the old content or the new, never a mixture. Unless Commit succeeds, the old file and
// no temporary stay behind. A process that dies leaves `path`.tmp.*, see IsTemporaryName.
class AtomicFile {
 public:
  // `folder` is an open folder to which `path` is relative, or AT_FDCWD; it must outlive the file.
  static StatusOr<AtomicFile> Create(int folder, std::string path,
                                     const AtomicWriteOptions& options = {});
  // For a path that a user gave. A symbolic link is followed, so that it stays and what it names is
  // replaced. A directory is an error, and so are block devices and sockets. /dev/stdout counts as
  // a device whatever it is, and is written on from where it stands.
  static StatusOr<AtomicFile> CreateNamed(const std::string& path, IfSpecial special,
                                          const AtomicWriteOptions& options = {});
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  Status Append(std::string_view content);
  // Nothing may follow it.
  Status Commit();

 private:
  AtomicFile(int folder, std::string path, const AtomicWriteOptions& options)
      : folder_(folder), path_(std::move(path)), options_(options) {}
  // -errno.
  int Open();
  // The same for what is not replaced; `open_file`: the name of a file that a process has open.
  int OpenThrough(bool open_file);

  int folder_;
  std::string path_;
  AtomicWriteOptions options_;
  std::string temporary_;  // empty once there is none to remove
  bool through_ = false;   // no temporary: `path` itself is written
  Descriptor file_;
};

// Whether a file of this name is what an AtomicFile leaves when its process dies.
bool IsTemporaryName(std::string_view name);

// Writes a temporary file beside `path` and renames it over `path`.
Status WriteFileAtomic(const std::string& path, std::string_view content,
                       const AtomicWriteOptions& options = {});

// The same for a path that a user gave, see AtomicFile::CreateNamed.
Status WriteNamedFile(const std::string& path, std::string_view content, IfSpecial special);

// Makes the directory and its parents where absent.
Status MakeDirectories(const std::string& path);

}  // namespace swage

#endif  // SWAGE_BASE_FILES_H_
