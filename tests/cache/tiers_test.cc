#include "cache/tiers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

#include "base/key_material.h"
#include "tests/cache/cache_testing.h"
#include "tests/cache/fake_server.h"
#include "tests/cache/redis_server.h"

namespace swage::cache {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr milliseconds kLong{30'000};

std::string Material(const std::string& text, const std::string& build = "b1",
                     const std::string& features = "+avx2") {
  KeyMaterial material;
  material.Add("kind", "kernel");
  material.Add("build_id", build);
  material.Add("cpu_features", features);
  material.Add("kernel", text);
  return material.Serialise();
}

class TiersTest : public CacheTest {
 protected:
  RemoteTier::Options Remote(const std::string& url, char key = 'k') const {
    return {.address = *RedisAddress::Parse(url),
            .key = *MacKey::FromBytes(std::string(MacKey::kBytes, key)),
            .connect_timeout = kLong,
            .command_timeout = kLong,
            .store_timeout = kLong};
  }
  // A machine of its own: its disk is the folder `name`.
  std::unique_ptr<Tiers> Machine(const std::string& name, const std::string& url = "",
                                 char key = 'k') const {
    Tiers::Options options;
    if (!name.empty()) options.disk = {.dir = root_ + "/" + name, .sync = false};
    if (!url.empty()) options.remote = Remote(url, key);
    return std::make_unique<Tiers>(std::move(options));
  }
  static std::string Got(Tiers& tiers, const std::string& material,
                         EntryKind kind = EntryKind::kKernel) {
    const StatusOr<std::string> payload = tiers.Get(kind, material);
    return payload.ok() ? *payload : std::string(absl::StatusCodeToString(payload.status().code()));
  }
};

TEST_F(TiersTest, DiskAloneKeepsEntries) {
  const std::unique_ptr<Tiers> tiers = Machine("a");
  EXPECT_EQ(Got(*tiers, Material("x")), "NOT_FOUND");
  tiers->Put(EntryKind::kKernel, Material("x"), "code");
  ASSERT_TRUE(tiers->Flush(kLong));
  EXPECT_EQ(Got(*tiers, Material("x")), "code");
  EXPECT_EQ(Got(*tiers, Material("x"), EntryKind::kModule), "NOT_FOUND");
  EXPECT_EQ(tiers->remote(), nullptr);
  EXPECT_FALSE(tiers->stats().remote.has_value());
  EXPECT_EQ(tiers->stats().disk.hits, 1);
  EXPECT_EQ(tiers->stats().disk.misses, 2);
}

TEST_F(TiersTest, TheServerAloneKeepsEntries) {
  RedisServer redis;
  const std::unique_ptr<Tiers> a = Machine("", redis.url());
  a->Put(EntryKind::kModule, Material("x"), "module");
  ASSERT_TRUE(a->Flush(kLong));
  EXPECT_EQ(Got(*Machine("", redis.url()), Material("x"), EntryKind::kModule), "module");
}

TEST_F(TiersTest, NeitherTierIsAMiss) {
  Tiers tiers({});
  tiers.Put(EntryKind::kKernel, Material("x"), "code");
  EXPECT_TRUE(tiers.Flush(milliseconds(0)));
  EXPECT_EQ(Got(tiers, Material("x")), "NOT_FOUND");
}

TEST_F(TiersTest, WhatTheServerHasIsKeptOnTheDisk) {
  RedisServer redis;
  const std::unique_ptr<Tiers> a = Machine("a", redis.url());
  const std::string payload(1'000'000, 'x');
  a->Put(EntryKind::kKernel, Material("x"), payload);
  ASSERT_TRUE(a->Flush(kLong));
  EXPECT_EQ(a->stats().remote->stored, 1);

  const std::unique_ptr<Tiers> b = Machine("b", redis.url());
  EXPECT_EQ(Got(*b, Material("x")), payload);
  ASSERT_TRUE(b->Flush(kLong));
  redis.Kill();
  EXPECT_EQ(Got(*b, Material("x")), payload);
  EXPECT_EQ(b->stats().disk.hits, 1);
  EXPECT_EQ(b->stats().remote->hits, 1);
  EXPECT_EQ(b->stats().remote->stored, 0);
  EXPECT_EQ(Got(*Machine("b"), Material("x")), payload);
}

TEST_F(TiersTest, AnotherBuildOrCpuIsAnotherKey) {
  RedisServer redis;
  const std::unique_ptr<Tiers> a = Machine("a", redis.url());
  a->Put(EntryKind::kKernel, Material("x", "b1", "+avx2"), "code");
  ASSERT_TRUE(a->Flush(kLong));
  const std::unique_ptr<Tiers> b = Machine("b", redis.url());
  EXPECT_EQ(Got(*b, Material("x", "b2", "+avx2")), "NOT_FOUND");
  EXPECT_EQ(Got(*b, Material("x", "b1", "+avx512f")), "NOT_FOUND");
  EXPECT_EQ(b->stats().remote->misses, 2);
}

// Whoever has the key file can still be wrong: an old deployment that computes the place of an
// entry in another way, a copied database.
TEST_F(TiersTest, SignedEntriesOfAnotherBuildOrCpuAreRefusedAndCounted) {
  RedisServer redis;
  RemoteTier writer(Remote(redis.url()));
  const std::string wanted = Material("x");
  const std::string others[] = {Material("x", "b0"), Material("x", "b1", "+sse4"), Material("y")};
  const std::unique_ptr<Tiers> tiers = Machine("a", redis.url());
  for (const std::string& other : others) {
    writer.Put(EntryKind::kKernel, HashKeyBytes(wanted),
               *EncodeEntry(EntryKind::kKernel, other, "wrong code"));
    ASSERT_TRUE(writer.Flush(kLong));
    EXPECT_EQ(Got(*tiers, wanted), "NOT_FOUND");
  }
  const TierStats stats = tiers->stats();
  EXPECT_EQ(stats.refused[static_cast<int>(EntryProblem::kMaterial)], 3);
  EXPECT_THAT(stats.refused_by_component,
              ElementsAre(Pair("build_id", 1), Pair("cpu_features", 1), Pair("kernel", 1)));
  EXPECT_EQ(stats.RemoteRejects(), 3);
  EXPECT_EQ(stats.RemoteMisses(), 3);
  EXPECT_EQ(stats.RemoteHits() + stats.RemoteFaults(), 0);
  EXPECT_THAT(stats.ToString(), HasSubstr("refused.material=3 refused.material.build_id=1"));
  EXPECT_TRUE(Files().empty());
}

TEST_F(TiersTest, SignedGarbageIsRefusedAndCounted) {
  RedisServer redis;
  RemoteTier writer(Remote(redis.url()));
  const std::string wanted = Material("x");
  const std::string good = *EncodeEntry(EntryKind::kKernel, wanted, "code");
  std::string damaged = good;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  const std::unique_ptr<Tiers> tiers = Machine("a", redis.url());
  const std::pair<std::string, EntryProblem> cases[] = {
      {"", EntryProblem::kTruncated},
      {"garbage", EntryProblem::kMagic},
      {good.substr(0, good.size() - 1), EntryProblem::kTruncated},
      {damaged, EntryProblem::kChecksum},
      {*EncodeEntry(EntryKind::kModule, wanted, "code"), EntryProblem::kKind},
  };
  for (const auto& [bytes, problem] : cases) {
    const int64_t before = tiers->stats().refused[static_cast<int>(problem)];
    writer.Put(EntryKind::kKernel, HashKeyBytes(wanted), bytes);
    ASSERT_TRUE(writer.Flush(kLong));
    EXPECT_EQ(Got(*tiers, wanted), "NOT_FOUND");
    EXPECT_EQ(tiers->stats().refused[static_cast<int>(problem)], before + 1)
        << *tiers->stats().remote;
  }
  // Made anew, it replaces what was there.
  tiers->Put(EntryKind::kKernel, wanted, "code");
  ASSERT_TRUE(tiers->Flush(kLong));
  EXPECT_EQ(Got(*Machine("b", redis.url()), wanted), "code");
}

TEST_F(TiersTest, StrangersEntriesAreNeverParsed) {
  RedisServer redis;
  const std::unique_ptr<Tiers> stranger = Machine("a", redis.url(), 's');
  stranger->Put(EntryKind::kKernel, Material("x"), "evil");
  ASSERT_TRUE(stranger->Flush(kLong));
  const std::unique_ptr<Tiers> tiers = Machine("b", redis.url());
  EXPECT_EQ(Got(*tiers, Material("x")), "NOT_FOUND");
  EXPECT_EQ(tiers->stats().remote->fault(RemoteFault::kWrongMac), 1);
  for (const int64_t count : tiers->stats().refused) EXPECT_EQ(count, 0);
}

// What cache_stats() counts: an entry that was there and is of no use is a reject and a miss; a
// fault is a server that did not answer.
TEST_F(TiersTest, RejectsFaultsMissesAndHitsAreToldApart) {
  RedisServer redis;
  const std::unique_ptr<Tiers> stranger = Machine("", redis.url(), 's');
  stranger->Put(EntryKind::kKernel, Material("foreign"), "evil");
  const std::unique_ptr<Tiers> friendly = Machine("", redis.url());
  friendly->Put(EntryKind::kKernel, Material("good"), "code");
  ASSERT_TRUE(stranger->Flush(kLong) && friendly->Flush(kLong));
  const std::unique_ptr<Tiers> tiers = Machine("", redis.url());
  for (const char* text : {"foreign", "foreign", "good", "absent"}) Got(*tiers, Material(text));
  const TierStats stats = tiers->stats();
  EXPECT_EQ(stats.RemoteRejects(), 2);
  EXPECT_EQ(stats.RemoteFaults(), 0);
  EXPECT_EQ(stats.RemoteMisses(), 3);
  EXPECT_EQ(stats.RemoteHits(), 1);
  FakeServer unsigned_entries([](FakeServer::Client& client) {
    while (!client.ReadSome().empty()) client.Write("$4\r\nbare\r\n");
  });
  FakeServer of_other_types([](FakeServer::Client& client) {
    while (!client.ReadSome().empty()) client.Write("-WRONGTYPE it is a list\r\n");
  });
  for (const std::string& url : {unsigned_entries.url(), of_other_types.url()}) {
    const std::unique_ptr<Tiers> one = Machine("", url);
    EXPECT_EQ(Got(*one, Material("x")), "NOT_FOUND");
    EXPECT_EQ(one->stats().RemoteRejects(), 1) << url;
    EXPECT_EQ(one->stats().RemoteMisses(), 1);
    EXPECT_EQ(one->stats().RemoteFaults(), 0);
  }
  FakeServer confused([](FakeServer::Client& client) {
    while (!client.ReadSome().empty()) client.Write("-ERR no\r\n");
  });
  const std::unique_ptr<Tiers> faulty = Machine("", confused.url());
  EXPECT_EQ(Got(*faulty, Material("x")), "NOT_FOUND");
  EXPECT_EQ(faulty->stats().RemoteFaults(), 1);
  EXPECT_EQ(faulty->stats().RemoteRejects() + faulty->stats().RemoteMisses(), 0);
}

// As in a process that was started without stdin, stdout and stderr.
TEST_F(TiersTest, NoSocketTakesTheNumberOfAStandardStream) {
  RedisServer redis;
  const int status = RunChild([&] {
    ::close(0);
    ::close(1);
    ::close(2);
    const std::unique_ptr<Tiers> tiers = Machine("a", redis.url());
    tiers->Put(EntryKind::kKernel, Material("x"), "code");
    if (!tiers->Flush(kLong) || tiers->stats().remote->stored != 1) return 1;
    for (const int stream : {0, 1, 2}) {
      if (::fcntl(stream, F_GETFD) >= 0) return 2;
    }
    return 0;
  });
  EXPECT_EQ(status, 0);
}

TEST_F(TiersTest, ADeadServerLeavesTheDisk) {
  const std::unique_ptr<Tiers> tiers = Machine("a", "unix:/nonexistent/socket");
  for (int i = 0; i < 20; ++i) {
    const std::string material = Material(std::to_string(i));
    EXPECT_EQ(Got(*tiers, material), "NOT_FOUND");
    tiers->Put(EntryKind::kKernel, material, "code");
    ASSERT_TRUE(tiers->Flush(kLong));
    EXPECT_EQ(Got(*tiers, material), "code");
  }
  EXPECT_EQ(tiers->stats().disk.writes, 20);
  EXPECT_GE(tiers->stats().remote->fault(RemoteFault::kConnect), 3);
}

TEST_F(TiersTest, AServerThatSwallowsEverythingDoesNotHoldTheDisk) {
  FakeServer server([](FakeServer::Client& client) { client.Wait(); });
  Tiers::Options options;
  options.disk = Options();
  options.remote = Remote(server.url());
  options.remote->command_timeout = milliseconds(10);
  Tiers tiers(std::move(options));
  for (int i = 0; i < 20; ++i) {
    tiers.Put(EntryKind::kKernel, Material(std::to_string(i)), "code");
  }
  ASSERT_TRUE(tiers.FlushDisk(kLong));
  EXPECT_EQ(tiers.stats().disk.writes, 20);
  EXPECT_FALSE(tiers.Flush(milliseconds(1)));
}

TEST_F(TiersTest, ADiskThatCannotBeUsedLeavesTheServer) {
  RedisServer redis;
  ASSERT_TRUE(WriteFile(root_ + "/file", "").ok());
  const std::unique_ptr<Tiers> a = Machine("file/x", redis.url());
  a->Put(EntryKind::kKernel, Material("x"), "code");
  ASSERT_TRUE(a->Flush(kLong));
  EXPECT_EQ(Got(*a, Material("x")), "code");
  EXPECT_GE(a->stats().disk.write_errors, 1);
}

TEST_F(TiersTest, NothingIsPutAfterStop) {
  const std::unique_ptr<Tiers> tiers = Machine("a");
  tiers->Put(EntryKind::kKernel, Material("x"), "code");
  ASSERT_TRUE(tiers->Flush(kLong));
  tiers->Stop();
  tiers->Put(EntryKind::kKernel, Material("y"), "code");
  EXPECT_EQ(Got(*tiers, Material("x")), "code");
  EXPECT_EQ(Got(*tiers, Material("y")), "NOT_FOUND");
  EXPECT_EQ(tiers->stats().dropped, 1);
}

TEST_F(TiersTest, ManyMachinesShareOneServer) {
  RedisServer redis(RedisServer::Transport::kTcp);
  std::vector<std::thread> machines;
  for (int m = 0; m < 4; ++m) {
    machines.emplace_back([&, m] {
      const std::unique_ptr<Tiers> tiers = Machine("m" + std::to_string(m), redis.url());
      for (int i = 0; i < 25; ++i) {
        const std::string material = Material(std::to_string(i));
        const StatusOr<std::string> found = tiers->Get(EntryKind::kKernel, material);
        if (found.ok()) {
          EXPECT_EQ(*found, "code " + std::to_string(i));
        } else {
          tiers->Put(EntryKind::kKernel, material, "code " + std::to_string(i));
        }
      }
      EXPECT_TRUE(tiers->Flush(kLong));
    });
  }
  for (std::thread& machine : machines) machine.join();
  const std::unique_ptr<Tiers> late = Machine("late", redis.url());
  for (int i = 0; i < 25; ++i) {
    EXPECT_EQ(Got(*late, Material(std::to_string(i))), "code " + std::to_string(i));
  }
}

class GlobalTiersTest : public TiersTest {
 protected:
  // Each in a process of its own, since the first use decides.
  int InProcess(const std::string& config, const std::function<int()>& work) {
    return RunChild([&] {
      ::unsetenv("SWAGE_CACHE_DIR");
      ::unsetenv("SWAGE_CONFIG");
      ::setenv("XDG_CACHE_HOME", (root_ + "/xdg").c_str(), 1);
      if (!config.empty()) {
        const std::string path = root_ + "/swage.toml";
        if (!WriteFile(path, config).ok()) return 97;
        ::setenv("SWAGE_CONFIG", path.c_str(), 1);
      }
      return work();
    });
  }
  void WriteKey(mode_t mode = 0600) {
    ASSERT_TRUE(WriteFile(root_ + "/key", std::string(MacKey::kBytes, 'k')).ok());
    ASSERT_EQ(::chmod((root_ + "/key").c_str(), mode), 0);
  }
};

TEST_F(GlobalTiersTest, WithoutAConfigurationItIsTheUsersDisk) {
  EXPECT_EQ(InProcess("",
                      [&] {
                        Tiers* const tiers = Tiers::Global();
                        EXPECT_TRUE(Tiers::GlobalStatus().ok());
                        EXPECT_EQ(tiers, Tiers::Global());
                        EXPECT_EQ(tiers->disk().dir(), root_ + "/xdg/swage");
                        EXPECT_EQ(tiers->remote(), nullptr);
                        EXPECT_FALSE(std::filesystem::exists(root_ + "/xdg"));
                        return 0;
                      }),
            0);
}

TEST_F(GlobalTiersTest, EverythingOffIsNull) {
  EXPECT_EQ(InProcess("format = 1\n[cache]\ndir = \"off\"\n",
                      [&] {
                        EXPECT_EQ(Tiers::Global(), nullptr);
                        EXPECT_TRUE(Tiers::GlobalStatus().ok());
                        return 0;
                      }),
            0);
}

TEST_F(GlobalTiersTest, WhatWasPutIsThereAfterTheProcessEnds) {
  RedisServer redis;
  WriteKey();
  const std::string config = "format = 1\n[cache]\ndir = \"disk\"\nremote = \"" + redis.url() +
                             "\"\nremote_key_file = \"key\"\n";
  EXPECT_EQ(InProcess(config,
                      [&]() -> int {
#ifdef __SANITIZE_THREAD__  // it allows a forked child no threads
                        return 0;
#endif
                        for (int i = 0; i < 10; ++i) {
                          Tiers::Global()->Put(EntryKind::kKernel, Material(std::to_string(i)),
                                               "code");
                        }
                        std::exit(0);
                      }),
            0);
#ifndef __SANITIZE_THREAD__
  EXPECT_EQ(Files(".kernel").size(), 0u);  // not in the default place
  DiskTier disk({.dir = root_ + "/disk"});
  EXPECT_EQ(Entries(disk).size(), 10u);
  RemoteTier remote(Remote(redis.url()));
  EXPECT_TRUE(remote.Get(EntryKind::kKernel, HashKeyBytes(Material("9"))).has_value());
#endif
}

TEST_F(GlobalTiersTest, AKeyFileOpenToOthersTurnsTheRemoteTierOff) {
  WriteKey(0644);
  const std::string config =
      "format = 1\n[cache]\nremote = \"redis://cache:6379\"\nremote_key_file = \"key\"\n";
  EXPECT_EQ(InProcess(config,
                      [&] {
                        EXPECT_NE(Tiers::Global(), nullptr);
                        EXPECT_EQ(Tiers::Global()->remote(), nullptr);
                        EXPECT_THAT(std::string(Tiers::GlobalStatus().message()),
                                    HasSubstr("chmod 600"));
                        return 0;
                      }),
            0);
}

TEST_F(GlobalTiersTest, AWrongConfigurationIsLoggedAndTurnsAllOff) {
  EXPECT_EQ(InProcess("format = 1\n[cache]\ndri = \"x\"\n",
                      [&] {
                        std::string log;
                        SetLogLevel(LogLevel::kWarn);
                        SetLogCallback([&](LogLevel, std::string_view text) { log.append(text); });
                        // Who asks for the status says it himself.
                        EXPECT_FALSE(Tiers::GlobalStatus().ok());
                        EXPECT_EQ(log, "");
                        EXPECT_EQ(Tiers::Global(), nullptr);
                        EXPECT_THAT(log, HasSubstr("swage.toml:3:1"));
                        log.clear();
                        EXPECT_EQ(Tiers::Global(), nullptr);
                        EXPECT_EQ(log, "");
                        SetLogCallback(nullptr);
                        return 0;
                      }),
            0);
}

TEST_F(GlobalTiersTest, TestsCanReplaceIt) {
  EXPECT_EQ(InProcess("",
                      [&] {
                        const std::unique_ptr<Tiers> mine = Machine("mine");
                        Tiers* const before = Tiers::ReplaceGlobal(mine.get());
                        EXPECT_EQ(Tiers::Global(), mine.get());
                        EXPECT_EQ(Tiers::ReplaceGlobal(before), mine.get());
                        return 0;
                      }),
            0);
}

}  // namespace
}  // namespace swage::cache
