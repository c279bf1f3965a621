#include "base/parallel_for.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/env.h"

#ifndef SWAGE_PLAIN_THREADS
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#endif

namespace swage {
namespace {

constexpr int kMaxThreads = 4096;

struct Pool {
  std::atomic<int> threads{1};
  // Set in a forked child, where the workers do not exist.
  std::atomic<bool> forked{false};
#ifndef SWAGE_PLAIN_THREADS
  std::mutex mutex;
  // TBB's limit is the smallest of all living controls, so there is one at a time.
  std::unique_ptr<tbb::global_control> control;  // guarded by mutex
#endif

  void SetThreads(int count) {
    count = std::clamp(count, 1, kMaxThreads);
#ifndef SWAGE_PLAIN_THREADS
    // In a child the mutex may belong to a thread that was not copied.
    if (!forked.load(std::memory_order_relaxed)) {
      std::lock_guard<std::mutex> lock(mutex);
      control.reset();
      control = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                      static_cast<size_t>(count));
    }
#endif
    threads.store(count, std::memory_order_relaxed);
  }
};

// Never destroyed: loops may still run while static objects are torn down.
Pool& GetPool() {
  static Pool* const pool = [] {
    auto* created = new Pool;
    const StatusOr<int> threads = DefaultNumThreads();
    created->SetThreads(threads.ok() ? *threads : AllowedCpus());
    ::pthread_atfork(nullptr, nullptr, [] { GetPool().forked.store(true); });
    return created;
  }();
  return *pool;
}

}  // namespace

void ParallelFor(int64_t n, int64_t grain, SliceFn fn) {
  if (n <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  if (n <= grain) return fn(0, n);
  const int threads = NumThreads();
  if (threads == 1) return fn(0, n);
#ifdef SWAGE_PLAIN_THREADS
  internal::ParallelForOnThreads(n, grain, threads, fn);
#else
  const int64_t blocks = (n - 1) / grain + 1;
  const auto slice = [&](const tbb::blocked_range<int64_t>& range) {
    // The product may not fit an int64 for the last block.
    const int64_t end = range.end() == blocks ? n : range.end() * grain;
    fn(range.begin() * grain, end);
  };
  // Isolated, or a caller that waits could start a slice of an unrelated loop and meet its own
  // lock.
  tbb::this_task_arena::isolate(
      [&] { tbb::parallel_for(tbb::blocked_range<int64_t>(0, blocks), slice); });
#endif
}

int NumThreads() {
  const Pool& pool = GetPool();
  if (pool.forked.load(std::memory_order_relaxed)) return 1;
  return pool.threads.load(std::memory_order_relaxed);
}

void SetNumThreads(int threads) { GetPool().SetThreads(threads); }

StatusOr<int> DefaultNumThreads() {
  SWAGE_ASSIGN_OR_RETURN(const std::optional<int64_t> wanted,
                         GetEnvInt("SWAGE_NUM_THREADS", 1, kMaxThreads));
  return wanted.has_value() ? static_cast<int>(*wanted) : AllowedCpus();
}

namespace internal {

void ParallelForOnThreads(int64_t n, int64_t grain, int threads, SliceFn fn) {
  const int64_t blocks = (n - 1) / grain + 1;
  const int64_t workers = std::min<int64_t>(threads, blocks);
  // A few slices for each thread, so that a late thread leaves its share to the others.
  const int64_t slices = std::min<int64_t>(blocks, 4 * workers);
  std::atomic<int64_t> next{0};
  const auto work = [&] {
    for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < slices;) {
      const int64_t first = blocks / slices * i + std::min(i, blocks % slices);
      const int64_t count = blocks / slices + (i < blocks % slices ? 1 : 0);
      fn(first * grain, first + count == blocks ? n : (first + count) * grain);
    }
  };
  std::vector<std::thread> others;
  others.reserve(static_cast<size_t>(workers - 1));
  try {
    while (static_cast<int64_t>(others.size()) + 1 < workers) others.emplace_back(work);
  } catch (const std::system_error&) {
    // The system gives no more threads; those that there are do all slices.
  }
  work();
  for (std::thread& thread : others) thread.join();
}

}  // namespace internal

}  // namespace swage
