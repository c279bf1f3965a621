// File: cache/cache_dir.h
//
// Where the disk cache lives, and whether that place can be trusted: whoever can write there can
// run code as the user.
//
//   std::string dir = DefaultCacheDir();                      // "" = nowhere
//   StatusOr<CacheRoot> root = OpenCacheDir(dir, {.create = true});
//   openat(root->folder.get(), "3f/3f08....kernel", ...);
//
// Everything inside is reached through the opened folder, so it cannot be exchanged for another one
// between the check and the use. It is opened anew for each access: a directory that was removed
// and made again, or repaired, works again.
#ifndef SWAGE_CACHE_CACHE_DIR_H_
#define SWAGE_CACHE_CACHE_DIR_H_

#include <string>

#include "base/file_ops.h"
#include "base/status.h"

namespace swage::cache {

// SWAGE_CACHE_DIR, else $XDG_CACHE_HOME/swage, else $HOME/.cache/swage, else .cache/swage in the
// home that the user database names, else "". Empty variables count as unset, and so do relative
// paths in the latter two. SWAGE_CACHE_DIR=off gives "".
std::string DefaultCacheDir();

// $HOME, else the home that the user database names, else "".
std::string HomeDir();

// Absolute and without a trailing '/', behind which a symlink would be followed. "" stays "".
std::string NormalCacheDir(const std::string& dir);

struct CacheDirOptions {
  bool create = false;  // with its parents, mode 0700
  // Another user may own it, its group may write, and it may be a symlink.
  bool trust_shared = false;
};

struct CacheRoot {
  Descriptor folder;
  // Permissions for what is made inside: the owner's alone, or as far as a shared folder goes.
  unsigned folder_mode = 0700;
  unsigned file_mode = 0600;
};

// NotFound when it does not exist. FailedPrecondition when it must not be trusted: a symlink, owned
// by another user, writable by the group or by all. Else the error of the system.
StatusOr<CacheRoot> OpenCacheDir(const std::string& dir, const CacheDirOptions& options);

// Makes the folder `name` in `root` where absent. 0 or -errno.
int MakeFolder(const CacheRoot& root, const std::string& name);

}  // namespace swage::cache

#endif  // SWAGE_CACHE_CACHE_DIR_H_
