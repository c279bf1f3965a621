// What the disk tier makes of damage, of errors of the system, and of processes that die: always a
// miss, a counter that says why, and nothing left behind.
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <csignal>
#include <random>

#include "tests/cache/cache_testing.h"

namespace swage::cache {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// Not compressible, so that every region of an entry is large.
std::string Noise(size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

const std::string kKey = "some key material of a kernel";
const std::string kPayload = Noise(5000, 1);

class DiskFaultsTest : public CacheTest {
 protected:
  // The path of kKey's entry, which is there.
  std::string PutEntry() {
    DiskTier(Options()).Put(EntryKind::kKernel, kKey, kPayload);
    return cache() + "/" + EntryPath(HashBytes(kKey), EntryKind::kKernel);
  }
  // That the entry is refused for `cause`, is gone then (`stays`: is not), and can be put again.
  void ExpectRefused(DiskCause cause, bool stays = false) {
    DiskTier disk(Options());
    EXPECT_EQ(disk.Get(EntryKind::kKernel, kKey).status().code(), absl::StatusCode::kNotFound);
    EXPECT_EQ(Count(disk.stats().rejects_by_cause, cause), 1)
        << DiskCauseName(cause) << " of " << disk.stats().rejects;
    const bool there = std::filesystem::exists(std::filesystem::symlink_status(
        cache() + "/" + EntryPath(HashBytes(kKey), EntryKind::kKernel)));
    EXPECT_EQ(there, stays);
    disk.Put(EntryKind::kKernel, kKey, kPayload);
    EXPECT_EQ(disk.Get(EntryKind::kKernel, kKey).value_or("lost"), kPayload);
  }
};

TEST_F(DiskFaultsTest, EveryTruncationIsAMiss) {
  const std::string path = PutEntry();
  const std::string entry = *ReadFile(path);
  const size_t body = kEntryHeaderBytes + kKey.size();
  for (size_t size : {size_t{0}, size_t{1}, size_t{7}, size_t{8}, size_t{12}, size_t{40},
                      size_t{55}, kEntryHeaderBytes, kEntryHeaderBytes + 1, body, body + 1,
                      entry.size() / 2, entry.size() - 1}) {
    ASSERT_TRUE(WriteFile(path, entry.substr(0, size)).ok());
    ExpectRefused(DiskCause::kTruncated);
  }
}

TEST_F(DiskFaultsTest, ABitFlipAnywhereIsAMiss) {
  const std::string path = PutEntry();
  const std::string entry = *ReadFile(path);
  std::mt19937 random(5);
  for (size_t i = 0; i < kEntryHeaderBytes + kKey.size() + 200; ++i) {
    const size_t at = i < kEntryHeaderBytes + kKey.size() ? i : random() % entry.size();
    std::string damaged = entry;
    damaged[at] ^= static_cast<char>(1 << random() % 8);
    ASSERT_TRUE(WriteFile(path, damaged).ok());
    DiskTier disk(Options());
    EXPECT_FALSE(disk.Get(EntryKind::kKernel, kKey).ok()) << at;
    EXPECT_EQ(disk.stats().rejects, 1) << at;
  }
}

TEST_F(DiskFaultsTest, AnotherKeysEntryIsAMiss) {
  const std::string path = PutEntry();
  ASSERT_TRUE(WriteFile(path, *EncodeEntry(EntryKind::kKernel, "another key", "wrong code")).ok());
  ExpectRefused(DiskCause::kMaterial);
  ASSERT_TRUE(WriteFile(path, *EncodeEntry(EntryKind::kModule, kKey, "a module")).ok());
  ExpectRefused(DiskCause::kKind);
}

TEST_F(DiskFaultsTest, AnotherVersionsEntryStaysUntilItIsReplaced) {
  const std::string path = PutEntry();
  std::string entry = *ReadFile(path);
  entry[8] = 9;
  SealEntry(&entry);
  ASSERT_TRUE(WriteFile(path, entry).ok());
  ExpectRefused(DiskCause::kVersion, /*stays=*/true);
}

TEST_F(DiskFaultsTest, WhatIsNoFileIsAMiss) {
  const std::string path = PutEntry();
  const std::string target = root_ + "/target";
  std::filesystem::rename(path, target);
  ASSERT_EQ(::symlink(target.c_str(), path.c_str()), 0);
  ExpectRefused(DiskCause::kNotRegular);
  EXPECT_TRUE(std::filesystem::exists(target));
  std::filesystem::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  ExpectRefused(DiskCause::kNotRegular);
  std::filesystem::remove(path);
  ASSERT_EQ(::mkdir(path.c_str(), 0700), 0);
  DiskTier disk(Options());
  EXPECT_FALSE(disk.Get(EntryKind::kKernel, kKey).ok());
  disk.Put(EntryKind::kKernel, kKey, kPayload);
  EXPECT_EQ(Count(disk.stats().rejects_by_cause, DiskCause::kNotRegular), 1);
  EXPECT_EQ(disk.stats().write_errors, 1);
  EXPECT_THAT(Files(".tmp."), IsEmpty());
}

TEST_F(DiskFaultsTest, AFileThatOthersCanWriteIsAMiss) {
  const std::string path = PutEntry();
  for (mode_t mode : {0620, 0602, 0666}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    ExpectRefused(DiskCause::kWritable, /*stays=*/true);
  }
}

TEST_F(DiskFaultsTest, AnotherUsersFileIsAMissAndStays) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to make one";
  const std::string path = PutEntry();
  ASSERT_EQ(::chown(path.c_str(), kNobody, kNobody), 0);
  DiskTier trusting({.dir = cache(), .trust_shared = true});
  EXPECT_TRUE(trusting.Get(EntryKind::kKernel, kKey).ok());
  EXPECT_EQ(*DiskTier(Options()).Prune(0), 0);
  // Damaged or not, it is not ours to remove.
  ASSERT_TRUE(WriteFile(path, "damaged").ok());
  EXPECT_FALSE(trusting.Get(EntryKind::kKernel, kKey).ok());
  EXPECT_EQ(Count(trusting.stats().rejects_by_cause, DiskCause::kMagic), 1);
  ExpectRefused(DiskCause::kOwner, /*stays=*/true);
}

TEST_F(DiskFaultsTest, AFileThatCannotBeReadIsAMiss) {
  ASSERT_EQ(::chmod(root_.c_str(), 0755), 0);
  MakeCache();
  GiveAway(cache());
  EXPECT_EQ(RunWithoutRights([&] {
              const std::string path = PutEntry();
              if (::chmod(path.c_str(), 0) != 0) return 1;
              ExpectRefused(DiskCause::kPermission, /*stays=*/true);
              return 0;
            }),
            0);
}

TEST_F(DiskFaultsTest, AReadOnlyDirectoryIsReadAndNotWritten) {
  ASSERT_EQ(::chmod(root_.c_str(), 0755), 0);
  MakeCache();
  GiveAway(cache());
  EXPECT_EQ(RunWithoutRights([&] {
              const std::string path = PutEntry();
              SetTime(path, 1);
              const std::string folder = std::filesystem::path(path).parent_path();
              const std::vector<std::string> folders = {folder, cache() + "/locks", cache()};
              for (const std::string& each : folders) {
                if (::chmod(each.c_str(), 0500) != 0) return 1;
              }
              DiskTier disk(Options());
              EXPECT_EQ(*disk.Get(EntryKind::kKernel, kKey), kPayload);
              disk.Put(EntryKind::kKernel, kKey, kPayload);
              disk.Put(EntryKind::kKernel, "needs a new folder", kPayload);
              EXPECT_EQ(Count(disk.stats().write_errors_by_cause, DiskCause::kPermission), 2);
              EXPECT_FALSE(disk.LockFor(kKey, std::chrono::seconds(0)).held());
              EXPECT_EQ(disk.Prune(0).status().code(), absl::StatusCode::kPermissionDenied);
              EXPECT_EQ(*disk.Get(EntryKind::kKernel, kKey), kPayload);
              for (const std::string& each : folders) {
                if (::chmod(each.c_str(), 0700) != 0) return 1;
              }
              return 0;
            }),
            0);
}

FileStep failing_step;
int failing_error;
int FailOneStep(FileStep step, const char*) { return step == failing_step ? failing_error : 0; }

TEST_F(DiskFaultsTest, AnErrorAtEveryStepOfAWriteIsCountedAndLeavesNothing) {
  for (const auto& [error, cause] : {std::pair{ENOSPC, DiskCause::kResources},
                                     {EDQUOT, DiskCause::kResources},
                                     {EROFS, DiskCause::kPermission},
                                     {EACCES, DiskCause::kPermission},
                                     {EIO, DiskCause::kIo},
                                     {ESTALE, DiskCause::kIo}}) {
    for (FileStep step : {FileStep::kMakeDirectory, FileStep::kCreate, FileStep::kWrite,
                          FileStep::kSync, FileStep::kClose, FileStep::kRename}) {
      std::filesystem::remove_all(cache());
      DiskTier disk({.dir = cache()});
      failing_step = step;
      failing_error = error;
      file_ops::SetHook(FailOneStep);
      disk.Put(EntryKind::kKernel, kKey, kPayload);
      EXPECT_FALSE(disk.Get(EntryKind::kKernel, kKey).ok());
      file_ops::SetHook(nullptr);
      const DiskStats stats = disk.stats();
      EXPECT_EQ(stats.writes, 0);
      EXPECT_EQ(stats.write_errors, 1);
      // Without any directory even EIO means that there is none.
      if (step != FileStep::kMakeDirectory) {
        EXPECT_EQ(Count(stats.write_errors_by_cause, cause), 1) << ::strerror(error);
      }
      EXPECT_THAT(Files(), IsEmpty());
      disk.Put(EntryKind::kKernel, kKey, kPayload);
      EXPECT_EQ(disk.Get(EntryKind::kKernel, kKey).value_or("lost"), kPayload);
    }
  }
}

TEST_F(DiskFaultsTest, AnErrorAtEveryStepOfAReadIsAMiss) {
  const std::string path = PutEntry();
  for (FileStep step : {FileStep::kOpen, FileStep::kRead}) {
    for (int error : {EIO, ESTALE, EMFILE, EACCES}) {
      DiskTier disk(Options());
      failing_step = step;
      failing_error = error;
      file_ops::SetHook(FailOneStep);
      EXPECT_FALSE(disk.Get(EntryKind::kKernel, kKey).ok());
      file_ops::SetHook(nullptr);
      EXPECT_EQ(disk.stats().rejects, 1);
      // The entry is not to blame.
      EXPECT_EQ(disk.Get(EntryKind::kKernel, kKey).value_or("lost"), kPayload);
    }
  }
}

std::string vanishing;
int RemoveBeforeOpen(FileStep step, const char* path) {
  if (step == FileStep::kOpen && vanishing.ends_with(path)) ::unlink(vanishing.c_str());
  return 0;
}

TEST_F(DiskFaultsTest, AnEntryThatVanishesBeforeItIsOpenedIsAPlainMiss) {
  vanishing = PutEntry();
  DiskTier disk(Options());
  file_ops::SetHook(RemoveBeforeOpen);
  EXPECT_FALSE(disk.Get(EntryKind::kKernel, kKey).ok());
  file_ops::SetHook(nullptr);
  EXPECT_EQ(disk.stats().misses, 1);
  EXPECT_EQ(disk.stats().rejects, 0);
}

std::string moved;
int TakeTheDirectoryAway(FileStep step, const char* path) {
  if (step == FileStep::kWrite && !moved.empty()) {
    std::filesystem::remove_all(std::exchange(moved, ""));
  }
  return 0;
}

TEST_F(DiskFaultsTest, ADirectoryThatVanishesWhileWritingCostsOneWrite) {
  DiskTier disk(Options());
  moved = cache();
  file_ops::SetHook(TakeTheDirectoryAway);
  disk.Put(EntryKind::kKernel, kKey, kPayload);
  EXPECT_EQ(disk.stats().write_errors, 1);
  disk.Put(EntryKind::kKernel, kKey, kPayload);
  EXPECT_TRUE(disk.Get(EntryKind::kKernel, kKey).ok());
}

TEST_F(DiskFaultsTest, AFileSizeLimitIsSurvived) {
  EXPECT_EQ(RunChild([&] {
              ::signal(SIGXFSZ, SIG_IGN);
              const struct rlimit limit = {2000, 2000};
              if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 98;
              DiskTier disk(Options());
              disk.Put(EntryKind::kKernel, kKey, kPayload);
              EXPECT_EQ(Count(disk.stats().write_errors_by_cause, DiskCause::kResources), 1);
              disk.Put(EntryKind::kKernel, "small", "fits");
              EXPECT_EQ(*disk.Get(EntryKind::kKernel, "small"), "fits");
              return 0;
            }),
            0);
  EXPECT_THAT(Files(), SizeIs(1));
}

TEST_F(DiskFaultsTest, AFullAndAReadOnlyFileSystemAreSurvived) {
  constexpr int kCannotMount = 77;
  MakeCache();
  const int code = RunChild([&] {
    // Seen by this process alone, and gone with it.
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("none", cache().c_str(), "tmpfs", 0, "size=256k,mode=0700") != 0) {
      return kCannotMount;
    }
    DiskTier disk({.dir = cache()});
    for (int i = 0; i < 40; ++i) disk.Put(EntryKind::kKernel, std::to_string(i), Noise(20'000, i));
    const DiskStats full = disk.stats();
    EXPECT_GT(full.writes, 0);
    EXPECT_EQ(Count(full.write_errors_by_cause, DiskCause::kResources), 40 - full.writes);
    EXPECT_THAT(Files(".tmp."), IsEmpty());
    if (::mount("none", cache().c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) != 0) {
      return kCannotMount;
    }
    for (int i = 0; i < 40; ++i) {
      EXPECT_EQ(disk.Get(EntryKind::kKernel, std::to_string(i)).value_or(Noise(20'000, i)),
                Noise(20'000, i));
    }
    EXPECT_EQ(disk.stats().hits, full.writes);
    EXPECT_EQ(disk.stats().rejects, 0);
    disk.Put(EntryKind::kKernel, "0", Noise(20'000, 0));
    EXPECT_EQ(Count(disk.stats().write_errors_by_cause, DiskCause::kPermission), 1);
    return 0;
  });
  if (code == kCannotMount) GTEST_SKIP() << "no right to mount";
  EXPECT_EQ(code, 0);
}

int steps_to_live;
int DieAtStep(FileStep, const char*) {
  if (--steps_to_live == 0) ::raise(SIGKILL);
  return 0;
}

// Runs `work` in processes that are killed at their first, second ... step, until one survives.
// Returns how many died.
int KillAtEveryStep(const std::function<void()>& work, const std::function<void()>& check) {
  for (int step = 1;; ++step) {
    const int code = RunChild([&] {
      steps_to_live = step;
      file_ops::SetHook(DieAtStep);
      work();
      return 0;
    });
    check();
    if (code == 0) return step - 1;
    EXPECT_EQ(code, -SIGKILL);
    if (code != -SIGKILL || step > 1000) return -1;
  }
}

TEST_F(DiskFaultsTest, AProcessThatIsKilledAtAnyStepOfAPutDoesNoHarm) {
  const int died =
      KillAtEveryStep([&] { DiskTier({.dir = cache()}).Put(EntryKind::kKernel, kKey, kPayload); },
                      [&] {
                        DiskTier disk({.dir = cache()});
                        const StatusOr<std::string> got = disk.Get(EntryKind::kKernel, kKey);
                        EXPECT_EQ(got.value_or(kPayload), kPayload);
                        EXPECT_EQ(disk.stats().rejects, 0);
                        disk.Put(EntryKind::kKernel, kKey, kPayload);
                        EXPECT_EQ(disk.Get(EntryKind::kKernel, kKey).value_or("lost"), kPayload);
                        EXPECT_EQ(disk.stats().write_errors, 0);
                        // Half of them start in an empty place.
                        static int round = 0;
                        if (++round % 2 == 0) std::filesystem::remove_all(cache());
                      });
  EXPECT_GT(died, 10);
  // What they left is swept once it is old.
  for (const std::string& file : Files(".tmp.")) SetTime(file, ::time(nullptr) - 7200);
  DiskTier disk(Options());
  disk.Put(EntryKind::kKernel, kKey, kPayload);
  EXPECT_THAT(Files(".tmp."), IsEmpty());
  EXPECT_EQ(disk.Get(EntryKind::kKernel, kKey).value_or("lost"), kPayload);
}

TEST_F(DiskFaultsTest, AProcessThatIsKilledWhileSweepingDoesNoHarm) {
  for (int i = 0; i < 8; ++i) {
    DiskTier(Options()).Put(EntryKind::kKernel, std::to_string(i), std::to_string(i));
  }
  KillAtEveryStep([&] { (void)DiskTier(Options()).Prune(0); },
                  [&] {
                    DiskTier disk(Options());
                    for (int i = 0; i < 8; ++i) {
                      const std::string key = std::to_string(i);
                      EXPECT_EQ(disk.Get(EntryKind::kKernel, key).value_or(key), key);
                    }
                    EXPECT_EQ(disk.stats().rejects, 0);
                  });
  // The lock of the dead is free.
  EXPECT_TRUE(DiskTier(Options()).Prune(0).ok());
  EXPECT_THAT(Files(), IsEmpty());
}

}  // namespace
}  // namespace swage::cache
