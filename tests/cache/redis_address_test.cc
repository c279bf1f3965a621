#include "cache/redis_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace swage::cache {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(RedisAddressTest, PartsAreFound) {
  const RedisAddress plain = *RedisAddress::Parse("redis://cache.example:6379");
  EXPECT_EQ(plain.host, "cache.example");
  EXPECT_EQ(plain.port, 6379);
  EXPECT_EQ(plain.database, 0);
  EXPECT_TRUE(plain.password.empty());
  EXPECT_EQ(plain.ToString(), "redis://cache.example:6379");

  const RedisAddress full = *RedisAddress::Parse("redis://me:a%40b%2f:c@10.0.0.1:1/15");
  EXPECT_EQ(full.user, "me");
  EXPECT_EQ(full.password, "a@b/:c");
  EXPECT_EQ(full.host, "10.0.0.1");
  EXPECT_EQ(full.port, 1);
  EXPECT_EQ(full.database, 15);
  EXPECT_EQ(full.ToString(), "redis://10.0.0.1:1/15");

  EXPECT_EQ(RedisAddress::Parse("redis://:pw@h:2")->password, "pw");
  EXPECT_EQ(RedisAddress::Parse("redis://:pw@h:2")->user, "");

  const RedisAddress v6 = *RedisAddress::Parse("redis://[::1]:6379/2");
  EXPECT_EQ(v6.host, "::1");
  EXPECT_EQ(v6.ToString(), "redis://[::1]:6379/2");

  const RedisAddress local = *RedisAddress::Parse("unix:/run/redis/r.sock");
  EXPECT_EQ(local.unix_path, "/run/redis/r.sock");
  EXPECT_TRUE(local.host.empty());
  EXPECT_EQ(local.ToString(), "unix:/run/redis/r.sock");
}

TEST(RedisAddressTest, ErrorsSayWhichPartIsWrong) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "neither redis:// nor unix:"},
      {"cache:6379", "neither redis:// nor unix:"},
      {"http://cache:6379", "neither redis:// nor unix:"},
      {"REDIS://cache:6379", "neither redis:// nor unix:"},
      {"redis://", "no host"},
      {"redis://:6379", "no host"},
      {"redis://cache", "no port"},
      {"redis://cache:", "the port ''"},
      {"redis://cache:0", "the port '0'"},
      {"redis://cache:65536", "the port '65536'"},
      {"redis://cache:+1", "the port '+1'"},
      {"redis://cache:63x", "the port '63x'"},
      {"redis://a:b:1", "more than one ':'"},
      {"redis://::1:6379", "more than one ':'"},
      {"redis://[::1:6379", "no ']'"},
      {"redis://[::1]", "no port"},
      {"redis://[::1]6379", "no port"},
      {"redis://cache:6379/", "the database ''"},
      {"redis://cache:6379/x", "the database 'x'"},
      {"redis://cache:6379/-1", "the database '-1'"},
      {"redis://cache:6379/1/2", "the database '1/2'"},
      {"redis://cache:6379?db=1", "the port '6379?db=1'"},
      {"redis://cache?:1", "the host 'cache?'"},
      {"redis://ca che:6379", "a blank"},
      {"redis://cache:6379\n", "a blank"},
      {"redis://pw@cache:6379", "no ':' before the password"},
      {"redis://:@cache:6379", "the password is empty"},
      {"redis://:%4@cache:6379", "two hex digits"},
      {"redis://:%-1@cache:6379", "two hex digits"},
      {"redis://:%00@cache:6379", "two hex digits"},
      {"unix:", "no path"},
      {"unix:" + std::string(200, 'x'), "200 bytes"},
      {std::string("unix:/a\0b", 9), "NUL"},
  };
  for (const auto& [text, part] : cases) {
    const Status status = RedisAddress::Parse(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr(part)) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr("expected redis://")) << text;
  }
}

TEST(RedisAddressTest, TlsIsNamedAsMissing) {
  const Status status = RedisAddress::Parse("rediss://cache:6379").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), HasSubstr("TLS"));
}

TEST(RedisAddressTest, PasswordsAreNeverShown) {
  for (const char* text :
       {"redis://:secret@cache", "redis://:secret@cache:x", "redis://:secret@cache:1/x",
        "redis://:secret%@cache:1", "redis://secret@cache:1", "redis://u:secret@[cache:1"}) {
    EXPECT_THAT(std::string(RedisAddress::Parse(text).status().message()), Not(HasSubstr("secret")))
        << text;
  }
}

}  // namespace
}  // namespace swage::cache
