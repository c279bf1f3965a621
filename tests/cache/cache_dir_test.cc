#include "cache/cache_dir.h"

#include <gmock/gmock.h>

#include <sstream>

#include "tests/cache/cache_testing.h"
#include "tests/run_command.h"

namespace swage::cache {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

void Set(const char* name, const char* value) {
  if (value == nullptr) {
    ::unsetenv(name);
  } else {
    ::setenv(name, value, 1);
  }
}

std::string DefaultWith(const char* swage, const char* xdg, const char* home) {
  Set("SWAGE_CACHE_DIR", swage);
  Set("XDG_CACHE_HOME", xdg);
  Set("HOME", home);
  return DefaultCacheDir();
}

class CacheDirTest : public CacheTest {
 protected:
  // What a Put and a Get through a tier on `dir` do, in a process of their own without rights of
  // root: 0 worked; 1 a miss and a write error of `cause`; else something else.
  int Try(const std::string& dir, DiskCause cause, bool trust_shared = false) {
    return RunWithoutRights([&] {
      DiskTier disk({.dir = dir, .trust_shared = trust_shared, .sync = false});
      disk.Put(EntryKind::kKernel, "key", "42");
      const StatusOr<std::string> got = disk.Get(EntryKind::kKernel, "key");
      const DiskStats stats = disk.stats();
      if (got.ok()) return *got == "42" && stats.write_errors == 0 ? 0 : 2;
      return Count(stats.write_errors_by_cause, cause) == 1 ? 1 : 3;
    });
  }
  void MakeForeignCache(mode_t mode) {
    ASSERT_EQ(::chmod(root_.c_str(), 0755), 0);
    MakeCache(mode);
    GiveAway(cache());
  }
};

TEST_F(CacheDirTest, DefaultFollowsTheEnvironment) {
  EXPECT_EQ(DefaultWith("/c", "/xdg", "/home"), "/c");
  EXPECT_EQ(DefaultWith("/c//d/../e/", "/xdg", "/home"), "/c/e");
  EXPECT_EQ(DefaultWith("off", "/xdg", "/home"), "");
  EXPECT_EQ(DefaultWith("", "/xdg", "/home"), "/xdg/swage");
  EXPECT_EQ(DefaultWith(nullptr, nullptr, "/home"), "/home/.cache/swage");
  EXPECT_EQ(DefaultWith(nullptr, "", "/home"), "/home/.cache/swage");
  EXPECT_EQ(DefaultWith(nullptr, "relative", "/home"), "/home/.cache/swage");
  // From the user database, or nowhere for a user that is not in it.
  const std::string from_database = DefaultWith(nullptr, nullptr, nullptr);
  EXPECT_EQ(DefaultWith(nullptr, "", ""), from_database);
  EXPECT_EQ(DefaultWith(nullptr, nullptr, "relative"), from_database);
}

TEST_F(CacheDirTest, AUserOutsideTheDatabaseHasNoDefault) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  EXPECT_EQ(RunChild([] {
              if (::setuid(1'234'567) != 0) return 98;
              return DefaultWith(nullptr, nullptr, nullptr).empty() ? 0 : 1;
            }),
            0);
}

TEST_F(CacheDirTest, OnesOwnDirectoryIsUsed) {
  MakeForeignCache(0700);
  EXPECT_EQ(Try(cache(), DiskCause::kNone), 0);
  // Others may look, since they cannot write.
  ASSERT_EQ(::chmod(cache().c_str(), 0755), 0);
  EXPECT_EQ(Try(cache(), DiskCause::kNone), 0);
}

TEST_F(CacheDirTest, WritableByOthersIsRefused) {
  MakeForeignCache(0770);
  EXPECT_EQ(Try(cache(), DiskCause::kDirectory), 1);
  EXPECT_EQ(Try(cache(), DiskCause::kNone, /*trust_shared=*/true), 0);
  ASSERT_EQ(::chmod(cache().c_str(), 0707), 0);
  EXPECT_EQ(Try(cache(), DiskCause::kDirectory), 1);
  EXPECT_EQ(Try(cache(), DiskCause::kDirectory, /*trust_shared=*/true), 1);
}

TEST_F(CacheDirTest, SymlinkIsRefused) {
  MakeForeignCache(0700);
  const std::string link = root_ + "/link";
  ASSERT_EQ(::symlink(cache().c_str(), link.c_str()), 0);
  EXPECT_EQ(Try(link, DiskCause::kDirectory), 1);
  EXPECT_EQ(Try(link + "/", DiskCause::kDirectory), 1);
  EXPECT_EQ(Try(link + "/.", DiskCause::kDirectory), 1);
  EXPECT_EQ(Try(link, DiskCause::kNone, /*trust_shared=*/true), 0);
  EXPECT_THAT(std::string(OpenCacheDir(link, {}).status().message()), HasSubstr("symbolic link"));
}

TEST_F(CacheDirTest, AnotherUsersDirectoryIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to make one";
  ASSERT_EQ(::chmod(root_.c_str(), 0755), 0);
  MakeCache(0755);
  EXPECT_EQ(Try(cache(), DiskCause::kDirectory), 1);
  // Trusted, it is read; to write there is another question.
  DiskTier(Options()).Put(EntryKind::kKernel, "key", "42");
  ASSERT_EQ(::chmod(std::filesystem::path(Files()[0]).parent_path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod(Files()[0].c_str(), 0644), 0);
  EXPECT_EQ(RunWithoutRights([&] {
              DiskTier disk({.dir = cache(), .trust_shared = true, .sync = false});
              disk.Put(EntryKind::kKernel, "key", "43");
              const bool read = *disk.Get(EntryKind::kKernel, "key") == "42";
              return read && Count(disk.stats().write_errors_by_cause, DiskCause::kPermission) == 1
                         ? 0
                         : 1;
            }),
            0);
}

TEST_F(CacheDirTest, SharedDirectoryServesItsGroup) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to be two users";
  ASSERT_EQ(::chmod(root_.c_str(), 0755), 0);
  ASSERT_EQ(::mkdir(cache().c_str(), 0700), 0);
  ASSERT_EQ(::chown(cache().c_str(), 0, kNobody), 0);
  ASSERT_EQ(::chmod(cache().c_str(), 02775), 0);
  const DiskOptions options{.dir = cache(), .trust_shared = true, .sync = false};
  DiskTier disk(options);
  disk.Put(EntryKind::kKernel, "mine", "from root");
  EXPECT_EQ(RunWithoutRights([&] {
              DiskTier theirs(options);
              // Into the folder that root made, too.
              for (int i = 0; i < 600; ++i) {
                theirs.Put(EntryKind::kKernel, std::to_string(i), "from nobody");
              }
              const bool read = *theirs.Get(EntryKind::kKernel, "mine") == "from root";
              if (!read || theirs.stats().write_errors != 0) return 1;
              // Eviction and damage concern one's own files only.
              return *theirs.Prune(0) == 600 ? 0 : 2;
            }),
            0);
  EXPECT_THAT(Files(), SizeIs(1));
  EXPECT_EQ(*disk.Get(EntryKind::kKernel, "mine"), "from root");
  // Without the option the group's rights are a reason to stay away.
  DiskTier careful(Options());
  EXPECT_FALSE(careful.Get(EntryKind::kKernel, "mine").ok());
  EXPECT_EQ(Count(careful.stats().rejects_by_cause, DiskCause::kDirectory), 1);
}

TEST_F(CacheDirTest, UnusablePlacesCostWritesAndNothingElse) {
  ASSERT_EQ(::chmod(root_.c_str(), 0755), 0);
  ASSERT_TRUE(WriteFile(root_ + "/file", "").ok());
  EXPECT_EQ(Try(root_ + "/file", DiskCause::kDirectory), 1);
  EXPECT_EQ(Try(root_ + "/file/cache", DiskCause::kDirectory), 1);
  EXPECT_EQ(Try(root_ + "/" + std::string(300, 'n'), DiskCause::kDirectory), 1);
  std::string deep = root_;
  while (deep.size() < 5000) deep += "/deep";
  EXPECT_EQ(Try(deep, DiskCause::kDirectory), 1);
  EXPECT_EQ(Try(std::string("/a\0b", 4), DiskCause::kDirectory), 1);
  // A parent that cannot be made.
  ASSERT_EQ(::chmod(root_.c_str(), 0555), 0);
  EXPECT_EQ(Try(root_ + "/new/cache", DiskCause::kPermission), 1);
  ASSERT_EQ(::chmod(root_.c_str(), 0755), 0);
}

TEST_F(CacheDirTest, APlaceThatIsRepairedWorksAgain) {
  ASSERT_TRUE(WriteFile(cache(), "in the way").ok());
  DiskTier disk(Options());
  disk.Put(EntryKind::kKernel, "key", "42");
  EXPECT_FALSE(disk.Get(EntryKind::kKernel, "key").ok());
  std::filesystem::remove(cache());
  disk.Put(EntryKind::kKernel, "key", "42");
  EXPECT_EQ(*disk.Get(EntryKind::kKernel, "key"), "42");
}

// Run by the test below in a process that has told nothing yet.
TEST(CacheDirWarningTest, DISABLED_FailsFiveTimes) {
  for (int i = 0; i < 5; ++i) {
    DiskTier disk({.dir = "/dev/null"});
    disk.Put(EntryKind::kKernel, "key", "42");
    (void)disk.Get(EntryKind::kKernel, "key");
  }
}

TEST(CacheDirWarningTest, EachCauseWarnsOncePerProcess) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const CommandResult ran =
      RunCommand("'" + self + "' --gtest_also_run_disabled_tests --gtest_filter=*FailsFiveTimes");
  EXPECT_EQ(ran.exit_code, 0);
  int warnings = 0;
  std::istringstream lines(ran.output);
  for (std::string line; std::getline(lines, line);) {
    warnings += line.find("disk cache '/dev/null'") != std::string::npos;
  }
  EXPECT_EQ(warnings, 1);
}

}  // namespace
}  // namespace swage::cache
