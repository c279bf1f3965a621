#include "cache/file_lock.h"

#include <csignal>
#include <thread>

#include "tests/cache/cache_testing.h"

namespace swage::cache {
namespace {

class FileLockTest : public CacheTest {
 protected:
  FileLock Take(int milliseconds = 0) const {
    return FileLock::Acquire(AT_FDCWD, root_ + "/lock", 0600,
                             std::chrono::milliseconds(milliseconds));
  }
  // Whether another process could take it.
  bool Free() const {
    return RunChild([&] { return Take().held() ? 0 : 1; }) == 0;
  }
};

TEST_F(FileLockTest, ExcludesOtherProcessesUntilReleased) {
  FileLock lock = Take();
  EXPECT_TRUE(lock.held());
  EXPECT_FALSE(Free());
  lock.Release();
  EXPECT_FALSE(lock.held());
  EXPECT_TRUE(Free());
}

TEST_F(FileLockTest, MovesWithItsOwner) {
  FileLock lock = Take();
  FileLock moved = std::move(lock);
  EXPECT_FALSE(Free());
  moved = FileLock();
  EXPECT_TRUE(Free());
}

TEST_F(FileLockTest, WaitsUntilTheOtherOneReleases) {
  FileLock lock = Take();
  const pid_t waiter = Start([&] { return Take(60'000).held() ? 0 : 1; });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  lock.Release();
  EXPECT_EQ(Wait(waiter), 0);
}

TEST_F(FileLockTest, AKilledHolderStrandsNothing) {
  EXPECT_EQ(RunChild([&] {
              const FileLock lock = Take();
              ::raise(SIGKILL);
              return 0;
            }),
            -SIGKILL);
  EXPECT_TRUE(Free());
}

TEST_F(FileLockTest, AChildThatOutlivesTheHolderStrandsNothing) {
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  // The holder forks a child that stays, and is killed while it holds the lock.
  EXPECT_EQ(RunChild([&] {
              const FileLock lock = Take();
              if (!lock.held()) return 1;
              if (::fork() == 0) {
                char byte;
                ::close(pipe_ends[1]);
                ::_exit(static_cast<int>(::read(pipe_ends[0], &byte, 1)));
              }
              ::raise(SIGKILL);
              return 0;
            }),
            -SIGKILL);
  // The child may still be on its way through fork().
  EXPECT_TRUE(Take(60'000).held());
  ::close(pipe_ends[1]);
  ::close(pipe_ends[0]);
}

TEST_F(FileLockTest, AChildNeitherHoldsNorReleasesItsParentsLock) {
  FileLock lock = Take();
  ASSERT_EQ(RunChild([&] {
              lock.Release();
              FileLock own =
                  FileLock::Acquire(AT_FDCWD, root_ + "/own", 0600, std::chrono::milliseconds(0));
              return own.held() && !Take().held() ? 0 : 1;
            }),
            0);
  EXPECT_FALSE(Free());
}

TEST_F(FileLockTest, AFolderThatCannotBeWrittenGivesNone) {
  EXPECT_FALSE(
      FileLock::Acquire(AT_FDCWD, root_ + "/no/lock", 0600, std::chrono::milliseconds(0)).held());
}

}  // namespace
}  // namespace swage::cache
