#include "cache/config.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/env.h"
#include "base/files.h"
#include "base/nearest.h"

namespace swage::cache {
namespace {

struct ParserInvariant {};

// toml++ 3.3 asserts that a table header begins with a key, which a file such as "[[[" breaks, and
// then handles it with a good error; with NDEBUG it would be undefined behaviour. Any other
// assertion of its parser becomes an error of the file.
constexpr void TomlAssert(bool holds, std::string_view what) {
  if (!holds && what.find("is_bare_key_character") == std::string_view::npos) {
    throw ParserInvariant();
  }
}

}  // namespace
}  // namespace swage::cache

#undef NDEBUG
#define TOML_ASSERT(expr) ::swage::cache::TomlAssert(static_cast<bool>(expr), #expr)
#define TOML_EXCEPTIONS 1
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace swage::cache {
namespace {

constexpr int64_t kFormat = 1;
constexpr std::string_view kTopKeys[] = {"cache", "defaults", "format", "functions", "symbols"};
constexpr std::string_view kLaterTables[] = {"defaults", "functions", "symbols"};
constexpr std::string_view kCacheKeys[] = {"dir",    "disk_bytes",      "memory_bytes",
                                           "remote", "remote_key_file", "trust_shared"};

std::string_view TypeName(toml::node_type type) {
  switch (type) {
    case toml::node_type::table:
      return "table";
    case toml::node_type::array:
      return "array";
    case toml::node_type::string:
      return "string";
    case toml::node_type::integer:
      return "integer";
    case toml::node_type::floating_point:
      return "float";
    case toml::node_type::boolean:
      return "boolean";
    default:
      return "date or time";
  }
}

// Length of the UTF-8 sequence that `text` begins with, 0 when there is none.
size_t SequenceLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return 1;
  const size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, beyond U+10FFFF.
  if ((byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xed && byte(1) > 0x9f) ||
      (byte(0) == 0xf0 && byte(1) < 0x90) || (byte(0) == 0xf4 && byte(1) > 0x8f)) {
    return 0;
  }
  return length;
}

std::string Quoted(std::string_view text) { return absl::StrCat("'", ToAbsl(text), "'"); }

// What a file says, in a few words for an error.
std::string Described(const toml::node& node) {
  const std::string type(TypeName(node.type()));
  if (const auto* text = node.as_string()) return absl::StrCat(type, " \"", text->get(), "\"");
  if (const auto* number = node.as_integer()) return absl::StrCat(type, " ", number->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  return type;
}

class ConfigReader {
 public:
  explicit ConfigReader(const std::string& path) : path_(path) {}

  StatusOr<Config> Read(std::string_view text) {
    if (CheckUtf8(text)) {
      try {
        ReadTop(toml::parse(text));
      } catch (const toml::parse_error& error) {
        Report(error.source().begin, std::string(error.description()));
      } catch (const ParserInvariant&) {
        Report({1, 1}, "not TOML");
      }
    }
    if (problems_.empty()) return std::move(config_);
    return Failure();
  }

 private:
  struct Problem {
    toml::source_position place;
    std::string text;
    bool later = false;  // right, but not there yet
  };

  void Report(toml::source_position place, std::string text, bool later = false) {
    problems_.push_back({place, std::move(text), later});
  }

  Status Failure() {
    std::stable_sort(problems_.begin(), problems_.end(),
                     [](const Problem& a, const Problem& b) { return a.place < b.place; });
    std::string text;
    bool later = true;
    for (const Problem& problem : problems_) {
      absl::StrAppend(&text, text.empty() ? "" : "\n", path_, ":", problem.place.line, ":",
                      problem.place.column, ": error: ", problem.text);
      later = later && problem.later;
    }
    return later ? absl::UnimplementedError(text) : absl::InvalidArgumentError(text);
  }

  bool CheckUtf8(std::string_view text) {
    toml::source_position place{1, 1};
    while (!text.empty()) {
      const size_t length = SequenceLength(text);
      if (length == 0) {
        Report(place, "not UTF-8");
        return false;
      }
      ++place.column;
      if (text[0] == '\n') place = {place.line + 1, 1};
      text.remove_prefix(length);
    }
    return true;
  }

  void Unknown(const toml::key& key, std::string_view where,
               std::span<const std::string_view> known) {
    Report(key.source().begin, absl::StrCat("unknown key ", Quoted(key.str()), ToAbsl(where),
                                            ToAbsl(DidYouMean(key.str(), known))));
  }

  void ReadTop(const toml::table& top) {
    if (!CheckFormat(top)) return;
    for (const auto& [key, node] : top) {
      const std::string_view name = key.str();
      if (name == "format") continue;
      if (name == "cache") {
        if (const toml::table* table = node.as_table()) {
          ReadCache(*table);
        } else {
          Report(node.source().begin, absl::StrCat("cache: expected table, got ", Described(node)));
        }
      } else if (std::find(std::begin(kLaterTables), std::end(kLaterTables), name) !=
                 std::end(kLaterTables)) {
        Report(key.source().begin,
               absl::StrCat(Quoted(name), " is not implemented yet, only 'cache' is"), true);
      } else {
        Unknown(key, "", kTopKeys);
      }
    }
  }

  // What another format means is unknown, so nothing else is said about such a file.
  bool CheckFormat(const toml::table& top) {
    const toml::node* format = top.get("format");
    if (format == nullptr) {
      Report({1, 1}, "missing required key 'format'; this is format 1");
    } else if (!format->is_integer()) {
      Report(format->source().begin,
             absl::StrCat("format: expected integer, got ", Described(*format)));
    } else if (format->as_integer()->get() != kFormat) {
      Report(format->source().begin, absl::StrCat("format ", format->as_integer()->get(),
                                                  " is not known; this build reads ", kFormat));
      return false;
    }
    return true;
  }

  void ReadCache(const toml::table& table) {
    CacheConfig& cache = config_.cache;
    for (const auto& [key, node] : table) {
      const std::string_view name = key.str();
      if (name == "dir") {
        const std::optional<std::string> dir = Value<std::string>(name, node);
        if (dir == "off") {
          cache.dir = "";
        } else if (dir.has_value()) {
          cache.dir = ReadPath(name, node, *dir);
        }
      } else if (name == "memory_bytes") {
        cache.memory_bytes = ReadSize(name, node);
      } else if (name == "disk_bytes") {
        cache.disk_bytes = ReadSize(name, node);
      } else if (name == "trust_shared") {
        cache.trust_shared = Value<bool>(name, node);
      } else if (name == "remote") {
        if (const auto text = Value<std::string>(name, node)) ReadRemote(node, *text, table);
      } else if (name == "remote_key_file") {
        const auto text = Value<std::string>(name, node);
        if (text.has_value()) cache.remote_key_file = ReadPath(name, node, *text);
      } else {
        Unknown(key, " in cache", kCacheKeys);
      }
    }
  }

  template <typename T>
  std::optional<T> Value(std::string_view name, const toml::node& node) {
    if (const toml::value<T>* value = node.as<T>()) return value->get();
    const std::string_view wanted = std::is_same_v<T, std::string> ? "string"
                                    : std::is_same_v<T, bool>      ? "boolean"
                                                                   : "integer";
    Report(node.source().begin, absl::StrCat("cache.", ToAbsl(name), ": expected ", ToAbsl(wanted),
                                             ", got ", Described(node)));
    return std::nullopt;
  }

  std::optional<int64_t> ReadSize(std::string_view name, const toml::node& node) {
    const std::optional<int64_t> size = Value<int64_t>(name, node);
    if (!size.has_value() || *size >= 0) return size;
    Report(node.source().begin,
           absl::StrCat("cache.", ToAbsl(name), ": must be at least 0, got ", *size));
    return std::nullopt;
  }

  std::optional<std::string> ReadPath(std::string_view name, const toml::node& node,
                                      const std::string& text) {
    const auto wrong = [&](std::string_view what) {
      Report(node.source().begin, absl::StrCat("cache.", ToAbsl(name), ": ", ToAbsl(what)));
      return std::nullopt;
    };
    if (text.empty()) return wrong("the path is empty");
    if (text.find('\0') != std::string::npos) return wrong("the path contains a NUL byte");
    std::string expanded = text;
    if (text[0] == '~') {
      if (text.size() > 1 && text[1] != '/') return wrong("only '~' and '~/' are expanded");
      const std::string home = HomeDir();
      if (home.empty()) return wrong("'~' cannot be expanded: there is no home directory");
      expanded = home + text.substr(1);
    }
    const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
    return NormalCacheDir((folder / expanded).string());
  }

  void ReadRemote(const toml::node& node, const std::string& text, const toml::table& table) {
    StatusOr<RedisAddress> address = RedisAddress::Parse(text);
    if (!address.ok()) {
      Report(node.source().begin,
             absl::StrCat("cache.remote: ", std::string(address.status().message())));
    }
    if (!table.contains("remote_key_file")) {
      Report(
          node.source().begin,
          "cache.remote: needs remote_key_file; entries hold code and are taken only with a key");
    }
    if (address.ok()) config_.cache.remote = *std::move(address);
  }

  const std::string& path_;
  Config config_;
  std::vector<Problem> problems_;
};

}  // namespace

StatusOr<Config> ParseConfig(std::string_view text, const std::string& path) {
  return ConfigReader(path).Read(text);
}

StatusOr<Config> LoadConfig(const std::string& path) {
  SWAGE_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxConfigBytes));
  return ParseConfig(text, path);
}

StatusOr<Config> ConfigFromEnvironment() {
  const std::optional<std::string> path = GetEnv("SWAGE_CONFIG");
  if (!path.has_value()) return Config();
  StatusOr<Config> config = LoadConfig(*path);
  if (config.ok()) return config;
  return Annotate(config.status(), "\nSWAGE_CONFIG names this file");
}

DiskOptions DiskOptionsFrom(const CacheConfig& config) {
  DiskOptions options;
  const bool from_environment = GetEnv("SWAGE_CACHE_DIR").has_value();
  options.dir = config.dir.has_value() && !from_environment ? *config.dir : DefaultCacheDir();
  options.disk_bytes = config.disk_bytes.value_or(options.disk_bytes);
  options.trust_shared = config.trust_shared.value_or(options.trust_shared);
  return options;
}

}  // namespace swage::cache
