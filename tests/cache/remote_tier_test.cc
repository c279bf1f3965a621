// The remote tier against a real Redis server.
#include "cache/remote_tier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "base/log.h"
#include "tests/cache/redis_server.h"

namespace swage::cache {
namespace {

using codegen::EntryKind;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Hash128 kHash = {0x0123456789abcdef, 0xfedcba9876543210};
constexpr Hash128 kOther = {1, 2};
// Where a test is not about time-outs, a busy machine shall not bring one.
constexpr milliseconds kLong{30'000};

RemoteTier::Options Patient(const std::string& url, char key = 'k') {
  return {.address = *RedisAddress::Parse(url),
          .key = *MacKey::FromBytes(std::string(MacKey::kBytes, key)),
          .connect_timeout = kLong,
          .command_timeout = kLong,
          .store_timeout = kLong};
}

TEST(RemoteTierTest, WhatOneTierPutsAnotherGets) {
  for (const auto transport : {RedisServer::Transport::kUnix, RedisServer::Transport::kTcp}) {
    RedisServer redis(transport);
    RemoteTier writer(Patient(redis.url()));
    RemoteTier reader(Patient(redis.url()));
    for (const std::string& bytes :
         {std::string(), std::string("a\0\r\nb", 5), std::string(5'000'000, 'x')}) {
      writer.Put(EntryKind::kKernel, kHash, bytes);
      ASSERT_TRUE(writer.Flush(kLong));
      EXPECT_EQ(reader.Get(EntryKind::kKernel, kHash), bytes);
    }
    EXPECT_EQ(reader.Get(EntryKind::kModule, kHash), std::nullopt);
    EXPECT_EQ(reader.Get(EntryKind::kKernel, kOther), std::nullopt);
    EXPECT_EQ(writer.stats().ToString(), "hits=0 misses=0 stored=3 connections=1");
    EXPECT_EQ(reader.stats().ToString(), "hits=3 misses=2 stored=0 connections=1");
  }
}

TEST(RemoteTierTest, NothingIsConnectedBeforeTheFirstCall) {
  RemoteTier remote(Patient("unix:/nonexistent/socket"));
  EXPECT_TRUE(remote.Flush(milliseconds(0)));
  EXPECT_EQ(remote.stats().ToString(), "hits=0 misses=0 stored=0");
}

TEST(RemoteTierTest, KeysNameFormatKindAndHash) {
  EXPECT_EQ(RemoteTier::KeyName(EntryKind::kKernel, kHash),
            "swage:v1:kernel:0123456789abcdeffedcba9876543210");
  EXPECT_EQ(RemoteTier::KeyName(EntryKind::kModule, kHash),
            "swage:v1:module:0123456789abcdeffedcba9876543210");
}

TEST(RemoteTierTest, PasswordAndDatabaseAreUsed) {
  RedisServer redis(RedisServer::Transport::kTcp, "p@ss");
  const std::string host = redis.url().substr(std::string("redis://").size());
  RemoteTier remote(Patient("redis://:p%40ss@" + host + "/3"));
  remote.Put(EntryKind::kKernel, kHash, "bytes");
  ASSERT_TRUE(remote.Flush(kLong));
  EXPECT_EQ(RemoteTier(Patient("redis://:p%40ss@" + host + "/3")).Get(EntryKind::kKernel, kHash),
            "bytes");
  EXPECT_EQ(RemoteTier(Patient("redis://:p%40ss@" + host + "/4")).Get(EntryKind::kKernel, kHash),
            std::nullopt);
  EXPECT_EQ(
      RemoteTier(Patient("redis://default:p%40ss@" + host + "/3")).Get(EntryKind::kKernel, kHash),
      "bytes");
}

TEST(RemoteTierTest, WrongOrMissingPasswordsAreCountedAndNeverLogged) {
  std::string log;
  SetLogCallback([&](LogLevel, std::string_view text) { log.append(text); });
  RedisServer redis(RedisServer::Transport::kTcp, "right");
  const std::string host = redis.url().substr(std::string("redis://").size());
  for (const std::string& credentials :
       {std::string(), std::string(":wrong@"), std::string("me:right@")}) {
    RemoteTier remote(Patient("redis://" + credentials + host));
    remote.Put(EntryKind::kKernel, kHash, "bytes");
    ASSERT_TRUE(remote.Flush(kLong));
    for (int i = 0; i < 4; ++i) EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), std::nullopt);
    EXPECT_EQ(remote.stats().fault(RemoteFault::kAuth), 3) << remote.stats();
    EXPECT_EQ(remote.stats().pauses, 1);
    EXPECT_EQ(remote.stats().skipped, 2);
  }
  SetLogCallback(nullptr);
  EXPECT_THAT(log, Not(HasSubstr("wrong@")));
  EXPECT_THAT(log, Not(HasSubstr("right")));
}

TEST(RemoteTierTest, UnsignedAndWronglySignedEntriesAreRefused) {
  RedisServer redis;
  RemoteTier remote(Patient(redis.url()));
  const std::string name = RemoteTier::KeyName(EntryKind::kKernel, kHash);
  redis.Run({"SET", name, ""});
  EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), std::nullopt);
  redis.Run({"SET", name, std::string(1000, 'x')});
  EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), std::nullopt);
  EXPECT_EQ(remote.stats().fault(RemoteFault::kUnsigned), 2);

  RemoteTier stranger(Patient(redis.url(), 's'));
  stranger.Put(EntryKind::kKernel, kHash, "evil");
  ASSERT_TRUE(stranger.Flush(kLong));
  EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), std::nullopt);
  EXPECT_EQ(remote.stats().fault(RemoteFault::kWrongMac), 1);

  // They say nothing about the server, and a Put replaces them.
  EXPECT_EQ(remote.stats().pauses, 0);
  remote.Put(EntryKind::kKernel, kHash, "good");
  ASSERT_TRUE(remote.Flush(kLong));
  EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), "good");
}

TEST(RemoteTierTest, AnEntryOfAnotherKeyOrKindIsRefused) {
  RedisServer redis;
  RemoteTier remote(Patient(redis.url()));
  remote.Put(EntryKind::kKernel, kHash, "bytes");
  ASSERT_TRUE(remote.Flush(kLong));
  const std::string from = RemoteTier::KeyName(EntryKind::kKernel, kHash);
  redis.Run({"COPY", from, RemoteTier::KeyName(EntryKind::kKernel, kOther)});
  redis.Run({"COPY", from, RemoteTier::KeyName(EntryKind::kModule, kHash)});
  EXPECT_EQ(remote.Get(EntryKind::kKernel, kOther), std::nullopt);
  EXPECT_EQ(remote.Get(EntryKind::kModule, kHash), std::nullopt);
  EXPECT_EQ(remote.stats().fault(RemoteFault::kWrongMac), 2);
  EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), "bytes");
}

TEST(RemoteTierTest, EveryFlippedBitOfAStoredEntryIsRefused) {
  RedisServer redis;
  RemoteTier remote(Patient(redis.url()));
  remote.Put(EntryKind::kKernel, kHash, "bytes");
  ASSERT_TRUE(remote.Flush(kLong));
  const std::string name = RemoteTier::KeyName(EntryKind::kKernel, kHash);
  const std::string good = redis.Run({"GET", name}).text;
  ASSERT_EQ(good.size(), kSealBytes + 5);
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
    redis.Run({"SET", name, bad});
    EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), std::nullopt) << i;
    redis.Run({"SET", name, good.substr(0, i)});
    EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), std::nullopt) << i;
  }
}

TEST(RemoteTierTest, AKeyOfAnotherTypeIsAMiss) {
  RedisServer redis;
  RemoteTier remote(Patient(redis.url()));
  redis.Run({"LPUSH", RemoteTier::KeyName(EntryKind::kKernel, kHash), "x"});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), std::nullopt);
  EXPECT_EQ(remote.stats().fault(RemoteFault::kWrongType), 5);
  EXPECT_EQ(remote.stats().pauses, 0);
  EXPECT_EQ(remote.stats().connections, 1);
}

TEST(RemoteTierTest, AServerThatIsFullKeepsAnsweringGets) {
  RedisServer redis;
  RemoteTier remote(Patient(redis.url()));
  remote.Put(EntryKind::kKernel, kHash, "bytes");
  ASSERT_TRUE(remote.Flush(kLong));
  redis.Run({"CONFIG", "SET", "maxmemory", "1"});
  for (int i = 0; i < 5; ++i) remote.Put(EntryKind::kKernel, kOther, "more");
  ASSERT_TRUE(remote.Flush(kLong));
  EXPECT_EQ(remote.stats().fault(RemoteFault::kErrorReply), 5);
  EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), "bytes");
}

TEST(RemoteTierTest, EntriesBeyondTheBoundNeitherGoNorCome) {
  RedisServer redis;
  RemoteTier::Options options = Patient(redis.url());
  options.max_value_bytes = 1000;
  RemoteTier small(options);
  RemoteTier large(Patient(redis.url()));
  small.Put(EntryKind::kKernel, kHash, std::string(1001, 'x'));
  EXPECT_EQ(small.stats().dropped_large, 1);
  large.Put(EntryKind::kKernel, kHash, std::string(1000, 'x'));
  large.Put(EntryKind::kKernel, kOther, std::string(1001, 'x'));
  large.Put(EntryKind::kModule, kOther, std::string(3'000'000, 'x'));
  ASSERT_TRUE(large.Flush(kLong));
  EXPECT_EQ(small.Get(EntryKind::kKernel, kHash), std::string(1000, 'x'));
  EXPECT_EQ(small.Get(EntryKind::kKernel, kOther), std::nullopt);
  EXPECT_EQ(small.Get(EntryKind::kModule, kOther), std::nullopt);
  EXPECT_EQ(small.stats().fault(RemoteFault::kTooLarge), 2);
}

TEST(RemoteTierTest, EntriesExpireWhenAskedTo) {
  RedisServer redis;
  RemoteTier::Options options = Patient(redis.url());
  RemoteTier forever(options);
  forever.Put(EntryKind::kKernel, kHash, "bytes");
  options.ttl_seconds = 1000;
  RemoteTier remote(options);
  remote.Put(EntryKind::kKernel, kOther, "bytes");
  ASSERT_TRUE(forever.Flush(kLong) && remote.Flush(kLong));
  const auto seconds_left = [&](const Hash128& hash) {
    const std::string name = RemoteTier::KeyName(EntryKind::kKernel, hash);
    return redis.Run({"EVAL", "return tostring(redis.call('TTL', KEYS[1]))", "1", name}).text;
  };
  EXPECT_EQ(seconds_left(kHash), "-1");
  EXPECT_GT(std::stoi(seconds_left(kOther)), 0);
  EXPECT_EQ(remote.Get(EntryKind::kKernel, kOther), "bytes");
}

TEST(RemoteTierTest, AServerThatComesBackIsUsedAgain) {
  RedisServer redis;
  RemoteTier::Options options = Patient(redis.url());
  options.breaker.first_pause = milliseconds(1);
  options.breaker.max_pause = milliseconds(1);
  RemoteTier remote(options);
  remote.Put(EntryKind::kKernel, kHash, "bytes");
  ASSERT_TRUE(remote.Flush(kLong));
  redis.Kill();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), std::nullopt);
  remote.Put(EntryKind::kKernel, kHash, "bytes");
  ASSERT_TRUE(remote.Flush(kLong));
  EXPECT_GE(remote.stats().fault(RemoteFault::kConnect), 3);
  EXPECT_GE(remote.stats().pauses, 1);
  redis.Start();
  std::this_thread::sleep_for(milliseconds(5));
  remote.Put(EntryKind::kKernel, kHash, "again");
  ASSERT_TRUE(remote.Flush(kLong));
  EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), "again");
}

TEST(RemoteTierTest, ARestartBetweenTwoCallsIsNotNoticed) {
  RedisServer redis;
  RemoteTier remote(Patient(redis.url()));
  EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), std::nullopt);
  redis.Kill();
  redis.Start();
  EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), std::nullopt);
  EXPECT_EQ(remote.stats().ToString(), "hits=0 misses=2 stored=0 connections=2");
}

TEST(RemoteTierTest, AFrozenServerIsGivenUpAndLeftAlone) {
  RedisServer redis;
  RemoteTier::Options options = Patient(redis.url());
  options.connect_timeout = options.command_timeout = options.store_timeout = milliseconds(20);
  options.breaker.first_pause = seconds(1000);
  RemoteTier remote(options);
  redis.Freeze();
  for (int i = 0; i < 200; ++i) EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), std::nullopt);
  remote.Put(EntryKind::kKernel, kHash, "bytes");
  EXPECT_TRUE(remote.Flush(kLong));
  EXPECT_EQ(remote.stats().fault(RemoteFault::kTimeout), 3) << remote.stats();
  EXPECT_EQ(remote.stats().skipped, 198);
  EXPECT_EQ(remote.stats().pauses, 1);
  redis.Unfreeze();
}

TEST(RemoteTierTest, ThreadsShareOneTier) {
  RedisServer redis;
  RemoteTier remote(Patient(redis.url()));
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 8; ++t) {
    threads.emplace_back([&remote, t] {
      for (uint64_t i = 0; i < 30; ++i) {
        remote.Put(EntryKind::kKernel, {t, i}, std::to_string(i));
        remote.Get(EntryKind::kKernel, {t, i});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(remote.Flush(kLong));
  for (uint64_t t = 0; t < 8; ++t) {
    for (uint64_t i = 0; i < 30; ++i) {
      EXPECT_EQ(remote.Get(EntryKind::kKernel, {t, i}), std::to_string(i));
    }
  }
  EXPECT_EQ(remote.stats().stored, 240);
}

TEST(RemoteTierTest, AForkedChildMakesItsOwnConnectionAndThread) {
  RedisServer redis;
  RemoteTier remote(Patient(redis.url()));
  remote.Put(EntryKind::kKernel, kHash, "parent");
  ASSERT_TRUE(remote.Flush(kLong));
  EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), "parent");
  const pid_t child = ::fork();
  if (child == 0) {
    int wrong = 0;
    for (int i = 0; i < 20; ++i) wrong += remote.Get(EntryKind::kKernel, kHash) != "parent";
#ifdef __SANITIZE_THREAD__  // it allows a forked child no threads
    ::_exit(wrong);
#endif
    remote.Put(EntryKind::kKernel, kOther, "child");
    wrong += !remote.Flush(kLong);
    wrong += remote.stats().stored != 1;
    wrong += remote.stats().hits != 20;
    ::_exit(wrong);
  }
  for (int i = 0; i < 20; ++i) EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), "parent");
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
#ifndef __SANITIZE_THREAD__
  EXPECT_EQ(remote.Get(EntryKind::kKernel, kOther), "child");
#endif
  EXPECT_EQ(remote.stats().stored, 1);
}

TEST(RemoteTierTest, AForkedChildCanDestroyTheTierUnused) {
  RedisServer redis;
  auto remote = std::make_unique<RemoteTier>(Patient(redis.url()));
  remote->Put(EntryKind::kKernel, kHash, "parent");
  ASSERT_TRUE(remote->Flush(kLong));
  const pid_t child = ::fork();
  if (child == 0) {
    remote.reset();
    ::_exit(0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(remote->Get(EntryKind::kKernel, kHash), "parent");
}

}  // namespace
}  // namespace swage::cache
