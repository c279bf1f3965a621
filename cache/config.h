// File: cache/config.h
//
// The configuration file (TOML), found through SWAGE_CONFIG.
//
//   format = 1                          # required
//   [cache]
//   dir = "~/.cache/swage"              # or "off"; relative to the file
//   memory_bytes = 1073741824
//   disk_bytes = 4294967296             # 0: nothing is written
//   trust_shared = false                # true: other users may own the directory and its entries
//   remote = "redis://host:6379"        # needs remote_key_file
//   remote_key_file = "key"
//
//   StatusOr<Config> config = ConfigFromEnvironment();
//   if (!config.ok()) ...   // all problems, a line each: "swage.toml:3:1: error: unknown key ..."
//
// A file with a problem is refused whole: InvalidArgument with every problem in the order of their
// places, or Unimplemented when its only problems are tables that Swage does not have yet. NotFound
// and the other codes of base/files.h when it cannot be read.
#ifndef SWAGE_CACHE_CONFIG_H_
#define SWAGE_CACHE_CONFIG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "cache/disk_tier.h"
#include "cache/redis_address.h"

namespace swage::cache {

inline constexpr int64_t kMaxConfigBytes = 64 << 10;

// The [cache] table; nullopt where the file says nothing.
struct CacheConfig {
  std::optional<std::string> dir;  // absolute; "" = no disk cache
  std::optional<int64_t> memory_bytes;
  std::optional<int64_t> disk_bytes;
  std::optional<bool> trust_shared;
  std::optional<RedisAddress> remote;          // only together with remote_key_file
  std::optional<std::string> remote_key_file;  // absolute
};

struct Config {
  CacheConfig cache;
};

// `path` names the text in errors, and relative paths in it start at its folder.
StatusOr<Config> ParseConfig(std::string_view text, const std::string& path);
StatusOr<Config> LoadConfig(const std::string& path);

// The file that SWAGE_CONFIG names, or an empty configuration without one.
StatusOr<Config> ConfigFromEnvironment();

// Where the disk tier is and how large: SWAGE_CACHE_DIR beats the file, which beats the default
// place (cache/cache_dir.h).
DiskOptions DiskOptionsFrom(const CacheConfig& config);

}  // namespace swage::cache

#endif  // SWAGE_CACHE_CONFIG_H_
