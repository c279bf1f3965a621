#include "cache/config.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <thread>
#include <vector>

#include "tests/cache/cache_testing.h"

namespace swage::cache {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The message of the error that `text` gives as /etc/b.toml.
std::string Error(std::string_view text) {
  const StatusOr<Config> config = ParseConfig(text, "/etc/b.toml");
  EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument) << text;
  return std::string(config.status().message());
}

class ConfigTest : public CacheTest {};

TEST_F(ConfigTest, EveryKeyOfTheCacheIsRead) {
  ::setenv("HOME", "/home/user", 1);
  const StatusOr<Config> config = ParseConfig(R"(
# comment
format = 1
[cache]
dir = "~/c/"
memory_bytes = 1_000
disk_bytes = 9223372036854775807
trust_shared = true
remote = "redis://host:6379/0"
remote_key_file = "keys/key"
)",
                                              "/etc/swage/b.toml");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->cache.dir, "/home/user/c");
  EXPECT_EQ(config->cache.memory_bytes, 1000);
  EXPECT_EQ(config->cache.disk_bytes, std::numeric_limits<int64_t>::max());
  EXPECT_EQ(config->cache.trust_shared, true);
  EXPECT_EQ(config->cache.remote->host, "host");
  EXPECT_EQ(config->cache.remote_key_file, "/etc/swage/keys/key");
}

TEST_F(ConfigTest, WhatIsNotSaidStaysUnset) {
  const StatusOr<Config> config = ParseConfig("format = 1\n[cache]\n", "b.toml");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->cache.dir, std::nullopt);
  EXPECT_EQ(config->cache.disk_bytes, std::nullopt);
  EXPECT_FALSE(config->cache.remote.has_value());
}

TEST_F(ConfigTest, DirMayBeOff) {
  EXPECT_EQ(ParseConfig("format = 1\ncache.dir = 'off'", "b.toml")->cache.dir, "");
}

TEST_F(ConfigTest, AllProblemsAreToldInTheOrderOfTheirPlaces) {
  EXPECT_EQ(Error(R"(format = 1
symbls = 3
[cache]
disk_bytes = -5
dirr = "x"
memory_bytes = "64"
trust_shared = 1
remote = "redis://host:6379"
)"),
            "/etc/b.toml:2:1: error: unknown key 'symbls'; did you mean 'symbols'?\n"
            "/etc/b.toml:4:14: error: cache.disk_bytes: must be at least 0, got -5\n"
            "/etc/b.toml:5:1: error: unknown key 'dirr' in cache; did you mean 'dir'?\n"
            "/etc/b.toml:6:16: error: cache.memory_bytes: expected integer, got string \"64\"\n"
            "/etc/b.toml:7:16: error: cache.trust_shared: expected boolean, got integer 1\n"
            "/etc/b.toml:8:10: error: cache.remote: needs remote_key_file; entries hold code and "
            "are taken only with a key");
}

TEST_F(ConfigTest, FormatIsRequiredAndChecked) {
  EXPECT_THAT(Error(""), HasSubstr("b.toml:1:1: error: missing required key 'format'"));
  EXPECT_THAT(Error("[cache]\ndir = 3"), HasSubstr("b.toml:2:7: error: cache.dir: expected"));
  EXPECT_THAT(Error("format = '1'"), HasSubstr("1:10: error: format: expected integer"));
  // What else such a file says is not judged.
  EXPECT_EQ(Error("format = 2\nnew = 1"),
            "/etc/b.toml:1:10: error: format 2 is not known; this build reads 1");
}

TEST_F(ConfigTest, TypesOfEveryKindAreNamed) {
  for (const auto& [value, name] : {std::pair{"1.5", "float"},
                                    {"nan", "float"},
                                    {"[1]", "array"},
                                    {"{a = 1}", "table"},
                                    {"1979-05-27", "date or time"},
                                    {"07:32:00", "date or time"},
                                    {"true", "true"}}) {
    EXPECT_THAT(Error(absl::StrCat("format = 1\ncache.disk_bytes = ", value)),
                HasSubstr(absl::StrCat("expected integer, got ", name)));
  }
  EXPECT_THAT(Error("format = 1\ncache = 1"), HasSubstr("cache: expected table, got integer 1"));
}

TEST_F(ConfigTest, SyntaxErrorsHaveAPlace) {
  EXPECT_THAT(Error("format = 1\n[cache\n"), HasSubstr("/etc/b.toml:2:"));
  EXPECT_THAT(Error("format = 1\nformat = 1\n"), HasSubstr("/etc/b.toml:2:"));
  EXPECT_THAT(Error("format = 1\n[cache]\n[cache]\n"), HasSubstr("/etc/b.toml:3:"));
  EXPECT_THAT(Error("format = 1\ncache.disk_bytes = 9223372036854775808\n"),
              HasSubstr("/etc/b.toml:2:"));
  EXPECT_THAT(Error(std::string(20'000, '[')), HasSubstr("/etc/b.toml:1:"));
}

TEST_F(ConfigTest, LettersOutsideOfStringsAreErrors) {
  for (const char* letter :
       {"\xc3\xa4", "\xc2\xa1", "\xe3\x80\x81", "\xef\xbb\xa0", "\xe2\x82\xac"}) {
    EXPECT_THAT(Error(absl::StrCat("format = 1\n", letter, " = 1")), HasSubstr("/etc/b.toml:2:1:"));
    EXPECT_THAT(Error(absl::StrCat("format = 1\ncache = ", letter)), HasSubstr("/etc/b.toml:2:9:"));
  }
}

TEST_F(ConfigTest, WhatIsNotUtf8IsRefused) {
  for (const char* bad : {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}) {
    EXPECT_EQ(Error(absl::StrCat("format = 1\n# \xc3\xa4", bad)),
              "/etc/b.toml:2:4: error: not UTF-8");
  }
  EXPECT_TRUE(ParseConfig("format = 1 # \xe2\x82\xac \xf0\x9f\x98\x80", "b.toml").ok());
}

TEST_F(ConfigTest, WrongPathsAreErrors) {
  EXPECT_THAT(Error("format = 1\ncache.dir = ''"), HasSubstr("the path is empty"));
  EXPECT_THAT(Error("format = 1\ncache.dir = '~root/x'"), HasSubstr("only '~' and '~/'"));
  EXPECT_THAT(Error("format = 1\ncache.dir = \"a\\u0000b\""), HasSubstr("NUL"));
}

TEST_F(ConfigTest, ASpoiltRemoteIsAnError) {
  EXPECT_THAT(Error("format = 1\n[cache]\nremote = 'http://host'\nremote_key_file = 'k'"),
              HasSubstr("b.toml:3:10: error: cache.remote: "));
}

TEST_F(ConfigTest, FilesAreReadWithinTheirBound) {
  const std::string path = root_ + "/swage.toml";
  ASSERT_TRUE(WriteFile(path, "format = 1\ncache.dir = 'c'").ok());
  EXPECT_EQ(LoadConfig(path)->cache.dir, root_ + "/c");
  std::string large = "format = 1\n";
  large.resize(kMaxConfigBytes, '#');
  ASSERT_TRUE(WriteFile(path, large).ok());
  EXPECT_TRUE(LoadConfig(path).ok());
  ASSERT_TRUE(WriteFile(path, large + "#").ok());
  EXPECT_EQ(LoadConfig(path).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(LoadConfig(root_ + "/absent").status().code(), absl::StatusCode::kNotFound);
  // It has no writer, so reading it would not end.
  ASSERT_EQ(::mkfifo((root_ + "/pipe").c_str(), 0600), 0);
  EXPECT_THAT(std::string(LoadConfig(root_ + "/pipe").status().message()),
              HasSubstr("is not a regular file"));
}

TEST_F(ConfigTest, TheEnvironmentBeatsTheFile) {
  const std::string path = root_ + "/swage.toml";
  ASSERT_TRUE(WriteFile(path, "format = 1\n[cache]\ndir = 'c'\ndisk_bytes = 7").ok());
  ::setenv("SWAGE_CONFIG", path.c_str(), 1);
  const StatusOr<Config> config = ConfigFromEnvironment();
  ASSERT_TRUE(config.ok()) << config.status();
  ::unsetenv("SWAGE_CACHE_DIR");
  EXPECT_EQ(DiskOptionsFrom(config->cache).dir, root_ + "/c");
  EXPECT_EQ(DiskOptionsFrom(config->cache).disk_bytes, 7);
  ::setenv("SWAGE_CACHE_DIR", "/elsewhere", 1);
  EXPECT_EQ(DiskOptionsFrom(config->cache).dir, "/elsewhere");
  ::setenv("SWAGE_CACHE_DIR", "off", 1);
  EXPECT_EQ(DiskOptionsFrom(config->cache).dir, "");
  ::setenv("SWAGE_CACHE_DIR", "", 1);
  EXPECT_EQ(DiskOptionsFrom(config->cache).dir, root_ + "/c");
  ::setenv("XDG_CACHE_HOME", "/xdg", 1);
  EXPECT_EQ(DiskOptionsFrom({}).dir, "/xdg/swage");
  ::setenv("SWAGE_CONFIG", (path + ".not").c_str(), 1);
  EXPECT_THAT(std::string(ConfigFromEnvironment().status().message()), HasSubstr("SWAGE_CONFIG"));
  ::unsetenv("SWAGE_CONFIG");
  ::unsetenv("SWAGE_CACHE_DIR");
  EXPECT_TRUE(ConfigFromEnvironment().ok());
}

TEST_F(ConfigTest, AProcessReadsItsFileOnce) {
  const std::string path = root_ + "/swage.toml";
  ASSERT_TRUE(WriteFile(path, "format = 1\ncache.disk_bytes = 7").ok());
  EXPECT_EQ(RunChild([&] {
              ::setenv("SWAGE_CONFIG", path.c_str(), 1);
              std::vector<const StatusOr<Config>*> seen(4);
              std::vector<std::thread> threads;
              for (auto& config : seen) threads.emplace_back([&] { config = &GlobalConfig(); });
              for (std::thread& thread : threads) thread.join();
              EXPECT_TRUE(WriteFile(path, "nonsense").ok());
              for (const StatusOr<Config>* config : seen) EXPECT_EQ(config, &GlobalConfig());
              EXPECT_TRUE(GlobalConfig().ok() && GlobalConfig()->cache.disk_bytes == 7);
              return 0;
            }),
            0);
}

}  // namespace
}  // namespace swage::cache
