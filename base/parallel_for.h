// File: base/parallel_for.h
//
// The one way that Swage uses several threads: a loop over [0, n) cut into slices.
//
//   ParallelFor(rows, 16, [&](int64_t begin, int64_t end) { Work(begin, end); });
//
// - Every slice begins at a multiple of `grain` and holds at least `grain` iterations, but for the
//   last. Which slices there are, and on which threads they run, is not fixed: results must not
//   depend on it.
// - It returns when every slice is done; the caller's thread takes part. With n <= grain, or with
//   one thread, fn(0, n) runs on the caller alone.
// - Calls from many threads at once, and calls inside a slice, share the same workers and never
//   wait for each other's slices. A caller may hold a lock: only slices of its own call run
//   meanwhile.
// - `fn` must not throw.
// - After fork() the child has no workers; there every loop runs on the calling thread.
//
// Built on oneTBB, or on std::thread where SWAGE_PLAIN_THREADS is defined (builds with the thread
// sanitizer, which does not know TBB's synchronisation).
#ifndef SWAGE_BASE_PARALLEL_FOR_H_
#define SWAGE_BASE_PARALLEL_FOR_H_

#include <cstdint>

#include "base/function_ref.h"
#include "base/status.h"

namespace swage {

using SliceFn = FunctionRef<void(int64_t begin, int64_t end)>;

void ParallelFor(int64_t n, int64_t grain, SliceFn fn);

// The most threads that one loop uses. At first DefaultNumThreads(), or AllowedCpus() where that is
// an error.
int NumThreads();

// Changes it for loops that begin later; at least 1. TBB runs no more threads at once than the
// process has CPUs, however many are asked for.
void SetNumThreads(int threads);

// SWAGE_NUM_THREADS, else AllowedCpus(). InvalidArgument for a value that is not 1 .. 4096.
StatusOr<int> DefaultNumThreads();

// The CPUs that this process may use: its affinity mask, cut by the CPU quota of its control group.
int AllowedCpus();

namespace internal {

// ParallelFor on threads made for this call alone; `threads` counts the caller.
void ParallelForOnThreads(int64_t n, int64_t grain, int threads, SliceFn fn);

// The CPUs that a control group's files allow, rounded up; 0 when there is no limit.
//   v2: cpu.max, "max 100000" or "150000 100000"
//   v1: cpu.cfs_quota_us ("-1" or "150000") and cpu.cfs_period_us
int CpusOfCgroupV2(std::string_view cpu_max);
int CpusOfCgroupV1(std::string_view quota, std::string_view period);

}  // namespace internal

}  // namespace swage

#endif  // SWAGE_BASE_PARALLEL_FOR_H_
