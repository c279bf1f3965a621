// File: cache/disk_pack.h
//
// Many entries in one file, to ship compiled code: built once, unpacked into the cache of another
// machine of the same kind.
//
//   StatusOr<PackResult> made = ExportPack(disk, "warm.swagepack");
//   StatusOr<PackResult> read = ImportPack("warm.swagepack", other_disk);
//
// A pack holds native code: whoever imports one runs what its author put in. Each entry is verified
// on the way in, and one whose key matches nothing on this machine is never loaded.
//
// The bytes: magic "SWGPACK" and a version, then for each entry its size as 8 bytes (the lowest
// first) and its bytes, then a size of 0 and the number of entries as 8 bytes.
#ifndef SWAGE_CACHE_DISK_PACK_H_
#define SWAGE_CACHE_DISK_PACK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "cache/disk_tier.h"

namespace swage::cache {

struct PackResult {
  int64_t entries = 0;                // written to the pack, or into the cache
  int64_t skipped = 0;                // of no use, or not written
  int64_t bytes = 0;                  // of the entries
  std::vector<std::string> problems;  // why the first few were skipped
};

// Writes every good entry of the cache into a new file at `path`.
StatusOr<PackResult> ExportPack(DiskTier& disk, const std::string& path);

// Puts the entries of a pack into the cache. A damaged entry is skipped; InvalidArgument when the
// file is no pack or ends early, with what came before it imported.
StatusOr<PackResult> ImportPack(const std::string& path, DiskTier& disk);

}  // namespace swage::cache

#endif  // SWAGE_CACHE_DISK_PACK_H_
