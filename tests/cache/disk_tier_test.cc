#include "cache/disk_tier.h"

#include <gmock/gmock.h>

#include <thread>

#include "tests/cache/cache_testing.h"

namespace swage::cache {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr time_t kHour = 3600;

class DiskTierTest : public CacheTest {};

TEST_F(DiskTierTest, WhatOneTierPutsAnotherGets) {
  const std::string payload("code\0\xff", 6);
  DiskTier writer(Options());
  writer.Put(EntryKind::kKernel, "key", payload);
  DiskTier reader(Options());
  EXPECT_EQ(*reader.Get(EntryKind::kKernel, "key"), payload);
  EXPECT_EQ(reader.Get(EntryKind::kModule, "key").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(reader.Get(EntryKind::kKernel, "kex").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(writer.stats().writes, 1);
  const DiskStats stats = reader.stats();
  EXPECT_EQ(stats.hits, 1);
  EXPECT_EQ(stats.misses, 2);
  EXPECT_EQ(stats.rejects, 0);
}

TEST_F(DiskTierTest, KindsOfOneKeyAreTwoEntries) {
  DiskTier disk(Options());
  disk.Put(EntryKind::kKernel, "key", "a kernel");
  disk.Put(EntryKind::kModule, "key", "a module");
  EXPECT_EQ(*disk.Get(EntryKind::kKernel, "key"), "a kernel");
  EXPECT_EQ(*disk.Get(EntryKind::kModule, "key"), "a module");
}

TEST_F(DiskTierTest, NothingIsMadeBeforeTheFirstPut) {
  DiskTier disk({.dir = root_ + "/a/b/cache"});
  EXPECT_FALSE(disk.Get(EntryKind::kKernel, "key").ok());
  EXPECT_THAT(Entries(disk), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(root_ + "/a"));
  disk.Put(EntryKind::kKernel, "key", "x");
  EXPECT_EQ(*disk.Get(EntryKind::kKernel, "key"), "x");
  for (const char* made : {"/a", "/a/b", "/a/b/cache"}) {
    EXPECT_EQ(Stat(root_ + made).st_mode & 0777, 0700u) << made;
  }
}

TEST_F(DiskTierTest, FilesAreTheOwnersAloneWhateverTheUmask) {
  DiskTier disk(Options());
  for (mode_t mask : {0000, 0022, 0777}) {
    const mode_t before = ::umask(mask);
    // The directory itself is made under a usual mask.
    if (mask == 0777) ::umask(0022);
    disk.Put(EntryKind::kKernel, "first", "x");
    ::umask(mask);
    disk.Put(EntryKind::kKernel, "first", "x");
    ::umask(before);
    ASSERT_THAT(Files(), SizeIs(1));
    EXPECT_EQ(Stat(Files()[0]).st_mode & 0777, 0600u);
    EXPECT_EQ(Stat(cache()).st_mode & 0777, 0700u);
  }
}

TEST_F(DiskTierTest, NoDirectoryMeansNoDiskTier) {
  DiskTier disk(DiskOptions{});
  disk.Put(EntryKind::kKernel, "key", "x");
  EXPECT_FALSE(disk.Get(EntryKind::kKernel, "key").ok());
  EXPECT_FALSE(disk.LockFor("key", std::chrono::seconds(1)).held());
  EXPECT_EQ(disk.stats().write_errors, 0);
}

TEST_F(DiskTierTest, ADirectoryThatVanishesIsMadeAgain) {
  DiskTier disk(Options());
  disk.Put(EntryKind::kKernel, "key", "x");
  std::filesystem::remove_all(cache());
  EXPECT_FALSE(disk.Get(EntryKind::kKernel, "key").ok());
  disk.Put(EntryKind::kKernel, "key", "x");
  EXPECT_EQ(*disk.Get(EntryKind::kKernel, "key"), "x");
  EXPECT_EQ(disk.stats().rejects, 0);
}

TEST_F(DiskTierTest, ARelativeDirectoryStaysWhereItWas) {
  EXPECT_EQ(RunChild([&] {
              if (::chdir(root_.c_str()) != 0) return 1;
              DiskTier disk({.dir = "cache/", .sync = false});
              if (::chdir("/") != 0) return 1;
              disk.Put(EntryKind::kKernel, "key", "x");
              return 0;
            }),
            0);
  EXPECT_THAT(Files(), SizeIs(1));
}

TEST_F(DiskTierTest, LeastRecentlyUsedGoFirst) {
  DiskOptions options = Options();
  options.disk_bytes = 10 * 4096;
  DiskTier disk(options);
  const time_t now = ::time(nullptr);
  for (int i = 0; i < 10; ++i) {
    disk.Put(EntryKind::kKernel, std::to_string(i), "x");
    SetTime(cache() + "/" + EntryPath(HashBytes(std::to_string(i)), EntryKind::kKernel),
            now - (20 - i) * kHour);
  }
  EXPECT_EQ(disk.stats().evictions, 0);
  EXPECT_TRUE(disk.Get(EntryKind::kKernel, "0").ok());  // used now
  disk.Put(EntryKind::kKernel, "10", "x");
  EXPECT_EQ(disk.stats().evictions, 2);
  EXPECT_EQ(disk.stats().bytes, 9 * 4096);
  EXPECT_TRUE(disk.Get(EntryKind::kKernel, "0").ok());
  EXPECT_FALSE(disk.Get(EntryKind::kKernel, "1").ok());
  EXPECT_FALSE(disk.Get(EntryKind::kKernel, "2").ok());
  EXPECT_TRUE(disk.Get(EntryKind::kKernel, "3").ok());
  EXPECT_TRUE(disk.Get(EntryKind::kKernel, "10").ok());
}

TEST_F(DiskTierTest, TheBoundHoldsForWhatOlderProcessesLeft) {
  DiskOptions options = Options();
  DiskTier(options).Put(EntryKind::kKernel, "old", std::string(100, 'x'));
  SetTime(Files()[0], ::time(nullptr) - 2 * kHour);
  options.disk_bytes = 4096;
  DiskTier disk(options);
  disk.Put(EntryKind::kKernel, "new", "x");
  EXPECT_FALSE(disk.Get(EntryKind::kKernel, "old").ok());
  EXPECT_TRUE(disk.Get(EntryKind::kKernel, "new").ok());
}

TEST_F(DiskTierTest, AnEntryLargerThanTheBoundIsNotWritten) {
  DiskOptions options = Options();
  options.disk_bytes = 100;
  DiskTier disk(options);
  disk.Put(EntryKind::kKernel, std::string(200, 'k'), "x");
  EXPECT_THAT(Files(), IsEmpty());
  EXPECT_EQ(Count(disk.stats().write_errors_by_cause, DiskCause::kTooLarge), 1);
}

TEST_F(DiskTierTest, AStampIsRenewedAtMostHourly) {
  DiskTier disk(Options());
  disk.Put(EntryKind::kKernel, "key", "x");
  const std::string file = Files()[0];
  const time_t now = ::time(nullptr);
  SetTime(file, now - kHour / 2);
  EXPECT_TRUE(disk.Get(EntryKind::kKernel, "key").ok());
  EXPECT_EQ(Stat(file).st_mtim.tv_sec, now - kHour / 2);
  // Old, from before a clock was set, and from the future.
  for (time_t stamp : {now - 2 * kHour, time_t{0}, now + 400 * 24 * kHour}) {
    SetTime(file, stamp);
    EXPECT_TRUE(disk.Get(EntryKind::kKernel, "key").ok());
    EXPECT_NEAR(Stat(file).st_mtim.tv_sec, ::time(nullptr), 100);
  }
}

TEST_F(DiskTierTest, StampsFromTheFutureMakeNothingImmortal) {
  DiskTier disk(Options());
  disk.Put(EntryKind::kKernel, "future", "x");
  SetTime(Files()[0], ::time(nullptr) + 400 * 24 * kHour);
  disk.Put(EntryKind::kKernel, "now", "x");
  EXPECT_EQ(*disk.Prune(4096), 1);
  EXPECT_FALSE(disk.Get(EntryKind::kKernel, "future").ok());
  EXPECT_TRUE(disk.Get(EntryKind::kKernel, "now").ok());
}

TEST_F(DiskTierTest, StaleTemporariesAreSwept) {
  DiskTier disk(Options());
  disk.Put(EntryKind::kKernel, "key", "x");
  const std::string base = Files()[0];
  const time_t now = ::time(nullptr);
  for (const auto& [name, stamp] : {std::pair{".tmp.1.0.a", now - 2 * kHour},
                                    {".tmp.1.0.b", now + 2 * kHour},
                                    {".tmp.1.0.c", now}}) {
    ASSERT_TRUE(WriteFile(base + name, "part").ok());
    SetTime(base + name, stamp);
  }
  EXPECT_EQ(*disk.Prune(1 << 20), 0);
  EXPECT_THAT(Files(".tmp."), ::testing::ElementsAre(HasSubstr(".tmp.1.0.c")));
}

TEST_F(DiskTierTest, PruningWhatCannotBeRemovedIsAnError) {
  DiskTier disk(Options());
  disk.Put(EntryKind::kKernel, "a", "x");
  disk.Put(EntryKind::kKernel, "b", "x");
  file_ops::SetHook(
      [](FileStep step, const char*) { return step == FileStep::kRemove ? EROFS : 0; });
  const StatusOr<int64_t> pruned = disk.Prune(0);
  EXPECT_EQ(pruned.status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(
      std::string(pruned.status().message()),
      HasSubstr("cannot remove entries in '" + cache() + "': Read-only file system; removed 0"));
  // Nothing had to go.
  EXPECT_EQ(*disk.Prune(1 << 20), 0);
  file_ops::SetHook(nullptr);
  EXPECT_EQ(*disk.Prune(0), 2);
}

TEST_F(DiskTierTest, StrangeFilesAreLeftAlone) {
  DiskTier disk(Options());
  disk.Put(EntryKind::kKernel, "key", "x");
  const std::string folder = std::filesystem::path(Files()[0]).parent_path().string();
  ASSERT_TRUE(WriteFile(cache() + "/README", "mine").ok());
  ASSERT_TRUE(WriteFile(folder + "/notes.txt", "mine").ok());
  EXPECT_EQ(*disk.Prune(0), 1);
  EXPECT_THAT(Files(), SizeIs(2));
  EXPECT_THAT(Entries(disk), IsEmpty());
}

TEST_F(DiskTierTest, ListTellsWhatIsThere) {
  DiskTier disk(Options());
  disk.Put(EntryKind::kKernel, "key", std::string(5000, 'x'));
  disk.Put(EntryKind::kModule, "other", "y");
  ASSERT_THAT(Entries(disk), SizeIs(2));
  for (const DiskEntry& entry : Entries(disk, /*unpack=*/true)) {
    const bool kernel = entry.kind == EntryKind::kKernel;
    EXPECT_EQ(entry.problem, "");
    EXPECT_EQ(entry.material, kernel ? "key" : "other");
    EXPECT_EQ(entry.hash, HashBytes(entry.material));
    EXPECT_EQ(entry.payload_bytes, kernel ? 5000 : 1);
    EXPECT_NEAR(entry.used, ::time(nullptr), 100);
    EXPECT_EQ(*disk.ReadEntry(entry.hash, entry.kind),
              *EncodeEntry(entry.kind, entry.material, kernel ? std::string(5000, 'x') : "y"));
  }
  EXPECT_EQ(disk.stats().hits, 0);
}

TEST_F(DiskTierTest, VerifyNamesTheProblemOfEachBadEntry) {
  DiskTier disk(Options());
  disk.Put(EntryKind::kKernel, "a", "x");
  ASSERT_TRUE(WriteFile(Files()[0],
                        "\x7f"
                        "ELF")
                  .ok());
  disk.Put(EntryKind::kModule, "b", "x");
  ASSERT_TRUE(WriteFile(Files(".module")[0], *EncodeEntry(EntryKind::kModule, "c", "x")).ok());
  disk.Put(EntryKind::kKernel, "d", "x");
  int good = 0;
  for (const DiskEntry& entry : Entries(disk, true)) {
    if (entry.hash == HashBytes("a")) {
      EXPECT_THAT(entry.problem, HasSubstr("no cache entry"));
    } else if (entry.hash == HashBytes("b")) {
      EXPECT_THAT(entry.problem, HasSubstr("another entry"));
    } else {
      EXPECT_EQ(entry.problem, "");
      ++good;
    }
    EXPECT_EQ(disk.ReadEntry(entry.hash, entry.kind).ok(), entry.problem.empty());
  }
  EXPECT_EQ(good, 1);
}

TEST_F(DiskTierTest, RemoveTakesBothKinds) {
  DiskTier disk(Options());
  disk.Put(EntryKind::kKernel, "key", "x");
  disk.Put(EntryKind::kModule, "key", "x");
  disk.Put(EntryKind::kKernel, "other", "x");
  EXPECT_EQ(*disk.Remove(HashBytes("key")), 2);
  EXPECT_EQ(*disk.Remove(HashBytes("key")), 0);
  EXPECT_THAT(Files(), SizeIs(1));
}

TEST_F(DiskTierTest, ThreadsShareOneTier) {
  DiskOptions options = Options();
  options.disk_bytes = 20 * 4096;
  DiskTier disk(options);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        const std::string key = std::to_string((i * 7 + t) % 40);
        const StatusOr<std::string> got = disk.Get(EntryKind::kKernel, key);
        if (got.ok() && *got != "value of " + key) ++wrong;
        if (!got.ok()) disk.Put(EntryKind::kKernel, key, "value of " + key);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  const DiskStats stats = disk.stats();
  EXPECT_EQ(stats.hits + stats.misses, 800);
  EXPECT_EQ(stats.misses, stats.writes);
  EXPECT_EQ(stats.rejects + stats.write_errors, 0);
  EXPECT_THAT(Files(".tmp."), IsEmpty());
}

TEST_F(DiskTierTest, LockExcludesOtherThreadsOfTheSameKey) {
  DiskTier disk(Options());
  const KeyLock lock = disk.LockFor("key", std::chrono::seconds(0));
  ASSERT_TRUE(lock.held());
  std::thread([&] {
    EXPECT_FALSE(disk.LockFor("key", std::chrono::milliseconds(30)).held());
  }).join();
  // A second lock of one thread could deadlock with the reverse elsewhere.
  EXPECT_FALSE(disk.LockFor("other", std::chrono::seconds(100)).held());
}

TEST_F(DiskTierTest, ReleasedLockIsFree) {
  DiskTier disk(Options());
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(disk.LockFor(std::to_string(i), std::chrono::seconds(0)).held());
  }
}

}  // namespace
}  // namespace swage::cache
