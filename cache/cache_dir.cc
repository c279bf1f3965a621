#include "cache/cache_dir.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "base/env.h"

namespace swage::cache {
namespace {

std::string AbsoluteFromEnv(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && value[0] == '/' ? value : "";
}

std::string HomeFromUserDatabase() {
  std::vector<char> buffer(16 << 10);
  struct passwd entry;
  struct passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) != 0 ||
      found == nullptr || found->pw_dir == nullptr || found->pw_dir[0] != '/') {
    return "";
  }
  return found->pw_dir;
}

// Every missing part of the path; 0 or -errno.
int MakeDirectories(const std::string& dir) {
  int error = file_ops::MakeDirectory(AT_FDCWD, dir, 0700);
  if (error == -ENOENT) {
    const std::string parent = std::filesystem::path(dir).parent_path().string();
    if (parent.empty() || parent == dir) return error;
    error = MakeDirectories(parent);
    if (error == 0) error = file_ops::MakeDirectory(AT_FDCWD, dir, 0700);
  }
  // Another process was faster, or it was there all the time.
  return error == -EEXIST ? 0 : error;
}

template <typename... Args>
Status Refused(const std::string& dir, const Args&... args) {
  return absl::FailedPreconditionError(
      absl::StrCat("[cache] the directory '", dir, "' is not used: ", args...));
}

}  // namespace

std::string DefaultCacheDir() {
  if (const std::optional<std::string> dir = GetEnv("SWAGE_CACHE_DIR")) {
    return *dir == "off" ? "" : NormalCacheDir(*dir);
  }
  if (const std::string xdg = AbsoluteFromEnv("XDG_CACHE_HOME"); !xdg.empty()) {
    return NormalCacheDir(xdg + "/swage");
  }
  const std::string home = HomeDir();
  return home.empty() ? "" : NormalCacheDir(home + "/.cache/swage");
}

std::string HomeDir() {
  const std::string home = AbsoluteFromEnv("HOME");
  return home.empty() ? HomeFromUserDatabase() : home;
}

std::string NormalCacheDir(const std::string& dir) {
  if (dir.empty()) return "";
  // With the working directory gone a relative path stays relative.
  std::error_code ignored;
  std::filesystem::path path = std::filesystem::absolute(dir, ignored);
  if (ignored) path = dir;
  std::string text = path.lexically_normal().string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

StatusOr<CacheRoot> OpenCacheDir(const std::string& dir, const CacheDirOptions& options) {
  if (dir.find('\0') != std::string::npos) {
    return InvalidArgument("[cache] the directory '", dir.c_str(), "...' contains a NUL byte");
  }
  const int flags = O_RDONLY | O_DIRECTORY | (options.trust_shared ? 0 : O_NOFOLLOW);
  CacheRoot root;
  root.folder = Descriptor(file_ops::Open(AT_FDCWD, dir, flags));
  if (root.folder.error() == ENOENT && options.create) {
    if (int error = MakeDirectories(dir)) return FileError("make directory", dir, -error);
    root.folder = Descriptor(file_ops::Open(AT_FDCWD, dir, flags));
  }
  if (!root.folder.ok()) {
    struct stat link;
    const int error = root.folder.error();
    if ((error == ENOTDIR || error == ELOOP) && ::lstat(dir.c_str(), &link) == 0 &&
        S_ISLNK(link.st_mode)) {
      return Refused(dir, "it is a symbolic link; name its target, or set trust_shared = true");
    }
    return FileError("open the cache directory", dir, error);
  }
  struct stat info;
  if (::fstat(root.folder.get(), &info) != 0) {
    return FileError("open the cache directory", dir, errno);
  }
  if (info.st_mode & S_IWOTH) {
    return Refused(dir, "every user can write to it; chmod o-w it");
  }
  if (options.trust_shared) {
    // Whoever may read or write the folder may do so with what is made inside.
    root.folder_mode = 0700 | (info.st_mode & 0077) | (info.st_mode & S_ISGID);
    root.file_mode = 0600 | (info.st_mode & 0044);
    return root;
  }
  if (info.st_uid != ::geteuid()) {
    return Refused(dir, "user ", info.st_uid, " owns it, not ", ::geteuid(),
                   "; set trust_shared = true if that user may run code as this one");
  }
  if (info.st_mode & S_IWGRP) {
    return Refused(dir, "its group can write to it; chmod g-w it, or set trust_shared = true");
  }
  return root;
}

int MakeFolder(const CacheRoot& root, const std::string& name) {
  const int error = file_ops::MakeDirectory(root.folder.get(), name, 0700);
  if (error == -EEXIST) return 0;
  // The umask must not take a shared folder's rights away.
  if (error == 0 && root.folder_mode != 0700) {
    ::fchmodat(root.folder.get(), name.c_str(), root.folder_mode, 0);
  }
  return error;
}

}  // namespace swage::cache
