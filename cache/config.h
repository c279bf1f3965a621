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
//   [defaults]                          # these three: docs/buckets.md, cache/policy/policy.h
//   [symbols.seq]
//   [functions.encode]
//
//   const StatusOr<Config>& config = GlobalConfig();
//   if (!config.ok()) ...   // all problems, a line each: "swage.toml:3:1: error: unknown key ..."
//
// A file with a problem is refused whole: InvalidArgument with every problem in the order of their
// places. NotFound and the other codes of base/files.h when it cannot be read.
#ifndef SWAGE_CACHE_CONFIG_H_
#define SWAGE_CACHE_CONFIG_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "cache/disk_tier.h"
#include "cache/policy/policy.h"
#include "cache/policy/shape_trace.h"
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
  std::shared_ptr<const policy::PolicySet> policies = policy::PolicySet::None();  // never null
};

// `path` names the text in errors, and relative paths in it start at its folder. `read_trace` loads
// what learned buckets are learned from.
StatusOr<Config> ParseConfig(std::string_view text, const std::string& path,
                             const policy::TraceReader& read_trace = policy::ShapeTrace::Load);
StatusOr<Config> LoadConfig(const std::string& path);

// The file that SWAGE_CONFIG names, or an empty configuration without one.
StatusOr<Config> ConfigFromEnvironment();
// The same as this process saw it first: the file is read on the first call only, from any thread.
const StatusOr<Config>& GlobalConfig();

// Where the disk tier is and how large: SWAGE_CACHE_DIR beats the file, which beats the default
// place (cache/cache_dir.h).
DiskOptions DiskOptionsFrom(const CacheConfig& config);

// The policies in force. Whoever took some keeps them; a later Get sees the new ones. All methods
// may be called from any thread.
class PolicyHolder {
 public:
  std::shared_ptr<const policy::PolicySet> Get() const;
  void Set(std::shared_ptr<const policy::PolicySet> policies);
  // Puts those of a file in force; on an error everything stays as it was.
  Status Load(const std::string& path);
  // Rises with every change, for those who keep what they took.
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const policy::PolicySet> policies_ = policy::PolicySet::None();
  std::atomic<uint64_t> generation_ = 0;
};

}  // namespace swage::cache

#endif  // SWAGE_CACHE_CONFIG_H_
