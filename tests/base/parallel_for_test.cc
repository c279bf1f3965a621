#include "base/parallel_for.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

namespace swage {
namespace {

// Sets the thread count for the length of a test.
class ScopedThreads {
 public:
  explicit ScopedThreads(int threads) : old_(NumThreads()) { SetNumThreads(threads); }
  ~ScopedThreads() { SetNumThreads(old_); }

 private:
  int old_;
};

// Counts how often each iteration runs and checks the promises about slices.
std::vector<int> Visits(int64_t n, int64_t grain, FunctionRef<void(SliceFn)> loop) {
  std::vector<std::atomic<int>> visits(static_cast<size_t>(n));
  loop([&](int64_t begin, int64_t end) {
    EXPECT_EQ(begin % grain, 0);
    EXPECT_TRUE(end == n || end - begin >= grain);
    for (int64_t i = begin; i < end; ++i) visits[static_cast<size_t>(i)].fetch_add(1);
  });
  return std::vector<int>(visits.begin(), visits.end());
}

TEST(ParallelForTest, EveryIterationRunsOnce) {
  for (int threads : {1, 2, 4}) {
    ScopedThreads scoped(threads);
    for (int64_t n : {1, 2, 7, 64, 1000, 4097}) {
      for (int64_t grain : {1, 3, 64, 5000}) {
        const std::vector<int> ones(static_cast<size_t>(n), 1);
        EXPECT_EQ(Visits(n, grain, [&](SliceFn fn) { ParallelFor(n, grain, fn); }), ones);
        EXPECT_EQ(
            Visits(n, grain,
                   [&](SliceFn fn) { internal::ParallelForOnThreads(n, grain, threads, fn); }),
            ones);
      }
    }
  }
}

TEST(ParallelForTest, EmptyLoopCallsNothing) {
  ParallelFor(0, 1, [](int64_t, int64_t) { FAIL(); });
  ParallelFor(-5, 1, [](int64_t, int64_t) { FAIL(); });
}

TEST(ParallelForTest, SmallLoopsAndOneThreadStayOnTheCaller) {
  const std::thread::id self = std::this_thread::get_id();
  int calls = 0;
  const auto check = [&](int64_t n) {
    return [&calls, n, self](int64_t begin, int64_t end) {
      EXPECT_EQ(std::this_thread::get_id(), self);
      EXPECT_EQ(begin, 0);
      EXPECT_EQ(end, n);
      ++calls;
    };
  };
  ScopedThreads many(4);
  ParallelFor(100, 100, check(100));
  ScopedThreads one(1);
  ParallelFor(1000, 1, check(1000));
  EXPECT_EQ(calls, 2);
}

TEST(ParallelForTest, HugeCountsDoNotOverflow) {
  ScopedThreads scoped(2);
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  for (int64_t grain : {int64_t{1} << 40, kMax / 2 + 2, kMax - 1}) {
    std::atomic<int64_t> total{0};
    ParallelFor(kMax, grain, [&](int64_t begin, int64_t end) { total += end - begin; });
    EXPECT_EQ(total.load(), kMax);
    total = 0;
    internal::ParallelForOnThreads(kMax, grain, 3, [&](int64_t begin, int64_t end) {
      EXPECT_LT(begin, end);
      total += end - begin;
    });
    EXPECT_EQ(total.load(), kMax);
  }
}

TEST(ParallelForTest, SeveralThreadsTakePart) {
  if (AllowedCpus() < 2) GTEST_SKIP() << "one CPU";
  ScopedThreads scoped(2);
  std::mutex mutex;
  std::set<std::thread::id> ids;
  // A worker may be slow to wake, so the loop is long.
  for (int round = 0; round < 50 && ids.size() < 2; ++round) {
    ParallelFor(16, 1, [&](int64_t, int64_t) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::lock_guard<std::mutex> lock(mutex);
      ids.insert(std::this_thread::get_id());
    });
  }
  EXPECT_GE(ids.size(), 2u);
}

TEST(ParallelForTest, NestedLoopsFinish) {
  ScopedThreads scoped(4);
  std::atomic<int64_t> total{0};
  ParallelFor(20, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      ParallelFor(30, 1, [&](int64_t from, int64_t to) { total += to - from; });
    }
  });
  EXPECT_EQ(total.load(), 600);
}

TEST(ParallelForTest, ConcurrentCallersCompose) {
  ScopedThreads scoped(4);
  std::vector<std::thread> callers;
  std::atomic<int> good{0};
  for (int t = 0; t < 8; ++t) {
    callers.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        std::vector<int64_t> data(1000, 1);
        ParallelFor(1000, 10, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) data[static_cast<size_t>(i)] += i;
        });
        if (std::accumulate(data.begin(), data.end(), int64_t{0}) == 1000 + 999 * 500) ++good;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(good.load(), 160);
}

TEST(ParallelForTest, CallerMayHoldALock) {
  // Without isolation the waiting caller could pick up another outer slice and lock twice.
  ScopedThreads scoped(4);
  std::mutex mutex;
  int64_t total = 0;
  ParallelFor(64, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      std::lock_guard<std::mutex> lock(mutex);
      std::atomic<int64_t> inner{0};
      ParallelFor(64, 1, [&](int64_t from, int64_t to) { inner += to - from; });
      total += inner.load();
    }
  });
  EXPECT_EQ(total, 64 * 64);
}

#ifndef __SANITIZE_THREAD__
TEST(ParallelForTest, ForkedChildDoesNotHang) {
  ScopedThreads scoped(4);
  std::atomic<int64_t> warm{0};
  ParallelFor(1000, 1, [&](int64_t begin, int64_t end) { warm += end - begin; });
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(20);
    std::atomic<int64_t> total{0};
    ParallelFor(1000, 1, [&](int64_t begin, int64_t end) { total += end - begin; });
    SetNumThreads(3);
    ::_exit(total.load() == 1000 && NumThreads() == 1 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
#endif

TEST(ParallelForTest, ThreadCountIsAtLeastOne) {
  ScopedThreads scoped(-3);
  EXPECT_EQ(NumThreads(), 1);
}

TEST(ParallelForTest, EnvironmentSetsTheDefault) {
  ASSERT_EQ(::setenv("SWAGE_NUM_THREADS", "7", 1), 0);
  EXPECT_EQ(*DefaultNumThreads(), 7);
  ASSERT_EQ(::setenv("SWAGE_NUM_THREADS", "0", 1), 0);
  EXPECT_EQ(DefaultNumThreads().status().code(), absl::StatusCode::kInvalidArgument);
  ASSERT_EQ(::unsetenv("SWAGE_NUM_THREADS"), 0);
  EXPECT_EQ(*DefaultNumThreads(), AllowedCpus());
}

TEST(ParallelForTest, AffinityCutsTheCpus) {
  cpu_set_t all;
  ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  }
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(AllowedCpus(), 1);
  ASSERT_EQ(::sched_setaffinity(0, sizeof all, &all), 0);
  EXPECT_GE(AllowedCpus(), 1);
  EXPECT_LE(AllowedCpus(), CPU_COUNT(&all));
}

TEST(ParallelForTest, CgroupQuotasRoundUp) {
  EXPECT_EQ(internal::CpusOfCgroupV2("max 100000\n"), 0);
  EXPECT_EQ(internal::CpusOfCgroupV2("150000 100000\n"), 2);
  EXPECT_EQ(internal::CpusOfCgroupV2("200000 100000"), 2);
  EXPECT_EQ(internal::CpusOfCgroupV2("1000 100000"), 1);
  EXPECT_EQ(internal::CpusOfCgroupV2(""), 0);
  EXPECT_EQ(internal::CpusOfCgroupV1("-1\n", "100000\n"), 0);
  EXPECT_EQ(internal::CpusOfCgroupV1("350000\n", "100000\n"), 4);
  EXPECT_EQ(internal::CpusOfCgroupV1("", ""), 0);
}

}  // namespace
}  // namespace swage
