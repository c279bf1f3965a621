// File: tests/cache/cache_testing.h
//
// What the tests of the disk cache share: a directory of their own, and processes.
#ifndef SWAGE_TESTS_CACHE_CACHE_TESTING_H_
#define SWAGE_TESTS_CACHE_CACHE_TESTING_H_

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/file_ops.h"
#include "base/files.h"
#include "base/log.h"
#include "cache/disk_tier.h"
#include "tests/temp_folder.h"

namespace swage::cache {

inline constexpr unsigned kNobody = 65534;

// A folder that is gone after the test; `cache()` in it is where the cache is, and does not exist
// yet.
class CacheTest : public ::testing::Test {
 protected:
  CacheTest() { SetLogLevel(LogLevel::kOff); }
  ~CacheTest() override { file_ops::SetHook(nullptr); }

  std::string cache() const { return root_ + "/cache"; }
  // The directory made and ready, as the first Put would.
  void MakeCache(mode_t mode = 0700) {
    ASSERT_EQ(::mkdir(cache().c_str(), 0700), 0);
    ASSERT_EQ(::chmod(cache().c_str(), mode), 0);
  }
  // To the user without rights, if we have a choice.
  static void GiveAway(const std::string& path) {
    if (::geteuid() != 0) return;
    ASSERT_EQ(::chown(path.c_str(), kNobody, kNobody), 0);
  }
  DiskOptions Options() const { return {.dir = cache(), .sync = false}; }

  // Paths of all regular files below the cache whose name has `part`, lock files left out, sorted.
  std::vector<std::string> Files(const std::string& part = "") const {
    std::vector<std::string> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(cache(), error)) {
      const std::string path = entry.path().string();
      if (entry.is_directory() || path.find("/locks/") != std::string::npos) continue;
      if (path.find(part) != std::string::npos) files.push_back(path);
    }
    std::sort(files.begin(), files.end());
    return files;
  }
  static void SetTime(const std::string& path, time_t seconds) {
    const struct timespec times[2] = {{seconds, 0}, {seconds, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }
  static struct stat Stat(const std::string& path) {
    struct stat info = {};
    EXPECT_EQ(::lstat(path.c_str(), &info), 0) << path;
    return info;
  }

  const TempFolder folder_;
  const std::string root_ = folder_.path();
};

inline int64_t Count(const std::array<int64_t, kDiskCauses>& by_cause, DiskCause cause) {
  return by_cause[static_cast<int>(cause)];
}

inline std::vector<DiskEntry> Entries(DiskTier& disk, bool unpack = false) {
  StatusOr<std::vector<DiskEntry>> entries = disk.List(unpack);
  EXPECT_TRUE(entries.ok()) << entries.status();
  return entries.ok() ? *std::move(entries) : std::vector<DiskEntry>();
}

// Starts `work` in a process of its own, which ends with its result as exit code (failures of
// EXPECT in it count as 99).
inline pid_t Start(const std::function<int()>& work) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  const int code = work();
  ::_exit(::testing::Test::HasFailure() ? 99 : code);
}

// Exit code, or minus the signal.
inline int Wait(pid_t pid) {
  int status = 0;
  if (::waitpid(pid, &status, 0) != pid) return -1000;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

inline int RunChild(const std::function<int()>& work) { return Wait(Start(work)); }

// In a process that has no more rights than nobody; whoever is not root keeps what he has.
inline int RunWithoutRights(const std::function<int()>& work) {
  return RunChild([&] {
    if (::geteuid() == 0 &&
        (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) {
      return 98;
    }
    return work();
  });
}

}  // namespace swage::cache

#endif  // SWAGE_TESTS_CACHE_CACHE_TESTING_H_
