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

#include "base/status.h"

namespace swage {

// No input that Swage reads whole is meant to be larger than this.
inline constexpr int64_t kMaxFileBytes = int64_t{16} << 30;
// A device such as /dev/zero may never end.
inline constexpr int64_t kMaxDeviceBytes = int64_t{64} << 20;

// The whole content. More than `max_bytes` is an error, and no more than that is ever read, so
// endless files (/dev/zero, a pipe) end in the same error.
StatusOr<std::string> ReadFile(const std::string& path, int64_t max_bytes = kMaxFileBytes);

// Creates or truncates `path`. A reader may see a part of it; see WriteFileAtomic.
Status WriteFile(const std::string& path, std::string_view content);

struct AtomicWriteOptions {
  unsigned mode = 0644;  // permissions of the new file, before the umask
  bool sync = false;     // fsync the file before the rename and its directory after
};

// Writes a temporary file beside `path` and renames it over `path`: a reader sees the old content
// or the new, never a mixture, and an error leaves the old file and no temporary behind.
Status WriteFileAtomic(const std::string& path, std::string_view content,
                       const AtomicWriteOptions& options = {});

// Makes the directory and its parents where absent.
Status MakeDirectories(const std::string& path);

}  // namespace swage

#endif  // SWAGE_BASE_FILES_H_
