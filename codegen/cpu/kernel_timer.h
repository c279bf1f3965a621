// File: codegen/cpu/kernel_timer.h
//
// Two versions of one kernel against each other, on buffers of their own and on one thread.
#ifndef SWAGE_CODEGEN_CPU_KERNEL_TIMER_H_
#define SWAGE_CODEGEN_CPU_KERNEL_TIMER_H_

#include <atomic>

#include "codegen/cpu/kernel_version.h"
#include "compiler/ir/computation.h"

namespace swage::cpu {

struct KernelTimes {
  double first_ns = 0;  // of one run
  double second_ns = 0;
  bool same_bits = false;  // both wrote the same
};

// Buffers of a kernel that are larger in all are not made: ResourceExhausted.
inline constexpr int64_t kMaxTimedBytes = int64_t{64} << 20;

// Medians of short repetitions, taken in turns so that what else the machine does meets both. Takes
// some milliseconds, or five runs of each where a run is longer. `fusion` has the extents of the
// call; its arguments are made up. Cancelled when `stop` is set meanwhile.
StatusOr<KernelTimes> TimeInTurns(const KernelVersion& first, const KernelVersion& second,
                                  const ir::Computation& fusion, const std::atomic<bool>& stop);

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_KERNEL_TIMER_H_
