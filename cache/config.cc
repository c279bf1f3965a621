#include "cache/config.h"

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/env.h"
#include "base/files.h"
#include "cache/config_policies.h"
#include "cache/config_toml.h"

namespace swage::cache {
namespace {

constexpr int64_t kFormat = 1;
constexpr std::string_view kTopKeys[] = {"cache", "defaults", "format", "functions", "symbols"};
constexpr std::string_view kCacheKeys[] = {"dir",    "disk_bytes",      "memory_bytes",
                                           "remote", "remote_key_file", "trust_shared"};

// What another format means is unknown, so nothing else is said about such a file: false.
bool CheckFormat(const toml::table& top, Problems& problems) {
  const toml::node* format = top.get("format");
  if (format == nullptr) {
    problems.Error({1, 1}, "missing required key 'format'; this is format 1");
  } else if (!format->is_integer()) {
    problems.Error(TableReader::PlaceOf(*format),
                   absl::StrCat("format: expected integer, got ", Described(*format)));
  } else if (format->as_integer()->get() != kFormat) {
    problems.Error(TableReader::PlaceOf(*format),
                   absl::StrCat("format ", format->as_integer()->get(),
                                " is not known; this build reads ", kFormat));
    return false;
  }
  return true;
}

std::optional<RedisAddress> ReadRemote(const TableReader& table) {
  const std::optional<Field<std::string>> text = table.String("remote");
  if (!text.has_value()) return std::nullopt;
  StatusOr<RedisAddress> address = RedisAddress::Parse(text->value);
  if (!address.ok()) {
    table.problems().Error(text->place,
                           absl::StrCat("cache.remote: ", std::string(address.status().message())));
  }
  if (!table.Has("remote_key_file")) {
    table.problems().Error(
        text->place,
        "cache.remote: needs remote_key_file; entries hold code and are taken only with a key");
  }
  return address.ok() ? std::optional<RedisAddress>(*std::move(address)) : std::nullopt;
}

CacheConfig ReadCache(const TableReader& table) {
  CacheConfig cache;
  const auto path = [&](std::string_view key) -> std::optional<std::string> {
    const std::optional<Field<std::string>> text = table.String(key);
    if (!text.has_value()) return std::nullopt;
    if (key == "dir" && text->value == "off") return "";
    return ExpandPath(text->value, text->place, text->name, table.problems());
  };
  const auto size = [&](std::string_view key) -> std::optional<int64_t> {
    const std::optional<Field<int64_t>> field = table.Integer(key, 0);
    return field.has_value() ? std::optional<int64_t>(field->value) : std::nullopt;
  };
  cache.dir = path("dir");
  cache.memory_bytes = size("memory_bytes");
  cache.disk_bytes = size("disk_bytes");
  if (const auto trust = table.Boolean("trust_shared")) cache.trust_shared = trust->value;
  cache.remote = ReadRemote(table);
  cache.remote_key_file = path("remote_key_file");
  return cache;
}

Config ReadTop(const toml::table& top, const policy::TraceReader& read_trace, Problems& problems) {
  Config config;
  if (!CheckFormat(top, problems)) return config;
  const TableReader table(top, "", kTopKeys, problems);
  if (const toml::table* cache = table.Table("cache")) {
    config.cache = ReadCache(TableReader(*cache, "cache", kCacheKeys, problems));
  }
  config.policies = ReadPolicies(table, read_trace);
  return config;
}

}  // namespace

StatusOr<Config> ParseConfig(std::string_view text, const std::string& path,
                             const policy::TraceReader& read_trace) {
  Problems problems(path);
  Config config;
  if (const std::optional<toml::table> top = ParseToml(text, problems)) {
    config = ReadTop(*top, read_trace, problems);
  }
  SWAGE_RETURN_IF_ERROR(problems.ToStatus());
  return config;
}

StatusOr<Config> LoadConfig(const std::string& path) {
  SWAGE_ASSIGN_OR_RETURN(const std::string text, ReadRegularFile(path, kMaxConfigBytes));
  return ParseConfig(text, path);
}

StatusOr<Config> ConfigFromEnvironment() {
  const std::optional<std::string> path = GetEnv("SWAGE_CONFIG");
  if (!path.has_value()) return Config();
  StatusOr<Config> config = LoadConfig(*path);
  if (config.ok()) return config;
  return Annotate(config.status(), "\nSWAGE_CONFIG names this file");
}

const StatusOr<Config>& GlobalConfig() {
  // No lock, which a thread that a fork left behind would keep; of threads that come first together
  // each reads, and one counts. Never destroyed: other threads may work while the process ends.
  static std::atomic<const StatusOr<Config>*> global{nullptr};
  const StatusOr<Config>* known = global.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  auto read = std::make_unique<const StatusOr<Config>>(ConfigFromEnvironment());
  const bool first = global.compare_exchange_strong(known, read.get(), std::memory_order_acq_rel);
  return first ? *read.release() : *known;
}

DiskOptions DiskOptionsFrom(const CacheConfig& config) {
  DiskOptions options;
  const bool from_environment = GetEnv("SWAGE_CACHE_DIR").has_value();
  options.dir = config.dir.has_value() && !from_environment ? *config.dir : DefaultCacheDir();
  options.disk_bytes = config.disk_bytes.value_or(options.disk_bytes);
  options.trust_shared = config.trust_shared.value_or(options.trust_shared);
  return options;
}

std::shared_ptr<const policy::PolicySet> PolicyHolder::Get() const {
  const std::lock_guard lock(mutex_);
  return policies_;
}

void PolicyHolder::Set(std::shared_ptr<const policy::PolicySet> policies) {
  const std::lock_guard lock(mutex_);
  policies_ = std::move(policies);
  generation_.fetch_add(1, std::memory_order_release);
}

Status PolicyHolder::Load(const std::string& path) {
  SWAGE_ASSIGN_OR_RETURN(Config config, LoadConfig(path));
  Set(std::move(config.policies));
  return OkStatus();
}

}  // namespace swage::cache
