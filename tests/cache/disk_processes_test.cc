// Many processes on one directory.
#include <gmock/gmock.h>

#include <csignal>
#include <random>
#include <thread>

#include "tests/cache/cache_testing.h"

namespace swage::cache {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string ValueOf(const std::string& key) {
  std::string value;
  for (int i = 0; i < 300; ++i) value += key + std::to_string(i * 7919 % 101);
  return value;
}

class DiskProcessesTest : public CacheTest {
 protected:
  // Gets each of `keys` keys in a random order and puts what is missing; the number of wrong
  // values.
  int OneRound(DiskTier& disk, int keys, std::mt19937& random) {
    int wrong = 0;
    for (int i = 0; i < keys; ++i) {
      const std::string key = std::to_string(random() % keys);
      const EntryKind kind = random() % 2 == 0 ? EntryKind::kKernel : EntryKind::kModule;
      const std::string value = ValueOf(key + std::string(EntryKindName(kind)));
      const StatusOr<std::string> got = disk.Get(kind, key);
      if (got.ok() && *got != value) ++wrong;
      if (!got.ok()) disk.Put(kind, key, value);
    }
    return wrong;
  }
};

TEST_F(DiskProcessesTest, EightProcessesShareOneDirectory) {
  std::vector<pid_t> children;
  for (unsigned child = 0; child < 8; ++child) {
    children.push_back(Start([&] {
      std::mt19937 random(child);
      int wrong = 0;
      DiskTier disk(Options());
      for (int round = 0; round < 50; ++round) wrong += OneRound(disk, 8, random);
      const DiskStats stats = disk.stats();
      EXPECT_EQ(stats.rejects + stats.write_errors, 0);
      return wrong;
    }));
  }
  for (pid_t child : children) EXPECT_EQ(Wait(child), 0);
  EXPECT_THAT(Files(".tmp."), IsEmpty());
  EXPECT_THAT(Files(), SizeIs(16));
  DiskTier disk(Options());
  for (const DiskEntry& entry : Entries(disk, true)) EXPECT_EQ(entry.problem, "");
}

TEST_F(DiskProcessesTest, SweepsRaceWithReadersAndWriters) {
  std::vector<pid_t> children;
  for (unsigned child = 0; child < 8; ++child) {
    children.push_back(Start([&] {
      std::mt19937 random(child);
      int wrong = 0;
      for (int round = 0; round < 50; ++round) {
        DiskTier disk({.dir = cache(), .disk_bytes = 12 * 4096, .sync = false});
        wrong += OneRound(disk, 20, random);
        if (child == 0) (void)disk.Prune(4096 * (random() % 8));
        const DiskStats stats = disk.stats();
        EXPECT_EQ(stats.rejects + stats.write_errors, 0);
      }
      return wrong;
    }));
  }
  for (pid_t child : children) EXPECT_EQ(Wait(child), 0);
  EXPECT_THAT(Files(".tmp."), IsEmpty());
  // One more write sees a directory that is too full, if it is.
  DiskTier disk({.dir = cache(), .disk_bytes = 12 * 4096, .sync = false});
  disk.Put(EntryKind::kKernel, "last", "x");
  EXPECT_LE(Files().size(), 12u);
}

TEST_F(DiskProcessesTest, DamageAndDeathAmongManyProcessesGiveNoWrongValue) {
  std::vector<pid_t> children;
  for (unsigned child = 0; child < 6; ++child) {
    children.push_back(Start([&] {
      std::mt19937 random(child);
      int wrong = 0;
      DiskTier disk(Options());
      for (int round = 0; round < 50; ++round) wrong += OneRound(disk, 8, random);
      return wrong;
    }));
  }
  // A seventh spoils files, an eighth is killed at random times.
  children.push_back(Start([&] {
    std::mt19937 random(77);
    for (int round = 0; round < 100; ++round) {
      const std::vector<std::string> files = Files();
      if (files.empty()) continue;
      const std::string& file = files[random() % files.size()];
      StatusOr<std::string> bytes = ReadFile(file);
      if (!bytes.ok() || bytes->empty() || file.find(".tmp.") != std::string::npos) continue;
      if (random() % 2 == 0) {
        (*bytes)[random() % bytes->size()] ^= 1;
      } else {
        bytes->resize(random() % bytes->size());
      }
      (void)WriteFileAtomic(file, *bytes, {.mode = 0600});
    }
    return 0;
  }));
  for (int round = 0; round < 20; ++round) {
    const pid_t victim = Start([&] {
      std::mt19937 random(round);
      DiskTier disk(Options());
      while (true) OneRound(disk, 8, random);
      return 0;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(3 + round % 5));
    ::kill(victim, SIGKILL);
    EXPECT_EQ(Wait(victim), -SIGKILL);
  }
  for (pid_t child : children) EXPECT_EQ(Wait(child), 0);
}

TEST_F(DiskProcessesTest, TheLockMakesOneProcessWorkAndTheOthersWait) {
  std::vector<pid_t> children;
  for (int child = 0; child < 8; ++child) {
    children.push_back(Start([&] {
      int made = 0;
      DiskTier disk(Options());
      for (int i = 0; i < 10; ++i) {
        const std::string key = std::to_string(i);
        const KeyLock lock = disk.LockFor(key, std::chrono::seconds(100));
        if (!lock.held()) return 99;
        if (disk.Get(EntryKind::kKernel, key).ok()) continue;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        disk.Put(EntryKind::kKernel, key, ValueOf(key));
        ++made;
      }
      return made;
    }));
  }
  int made = 0;
  for (pid_t child : children) made += Wait(child);
  EXPECT_EQ(made, 10);
}

TEST_F(DiskProcessesTest, AForkedChildGoesOn) {
  DiskTier disk(Options());
  disk.Put(EntryKind::kKernel, "before", "x");
  const KeyLock lock = disk.LockFor("key", std::chrono::seconds(0));
  ASSERT_TRUE(lock.held());
  EXPECT_EQ(RunChild([&] {
              EXPECT_EQ(*disk.Get(EntryKind::kKernel, "before"), "x");
              disk.Put(EntryKind::kKernel, "after", "y");
              return 0;
            }),
            0);
  EXPECT_EQ(*disk.Get(EntryKind::kKernel, "after"), "y");
}

}  // namespace
}  // namespace swage::cache
