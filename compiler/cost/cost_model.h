// File: compiler/cost/cost_model.h
//
// How long a kernel takes, estimated. Times are integer picoseconds, so that sums do not drift and
// equal machines decide alike.
//
//   execution = C + M - 0.95 * min(C, M)
//
// C is the arithmetic, M the traffic; the constant is XLA's kMemoryComputeParallelism (openxla/xla,
// gpu_performance_model_base.h): the two overlap but for one part in twenty. M charges each operand
// once at the bandwidth of the level that holds it, and repeated reads at the level that its size
// fits; it is capped by what the cores that take part can draw. On a GPU that depends on how many
// results there are for threads to compute: few threads neither fill the lanes nor keep enough
// loads in flight for the memory, no kernel is shorter than a load and a store take, and of
// arithmetic the last wave of threads takes as long as a full one. Extents are rounded to a size
// class (the nearest power of two), so that neighbouring lengths get equal decisions.
#ifndef SWAGE_COMPILER_COST_COST_MODEL_H_
#define SWAGE_COMPILER_COST_COST_MODEL_H_

#include <cstdint>

#include "compiler/cost/device_description.h"
#include "compiler/ir/instruction.h"

namespace swage::cost {

using Picoseconds = int64_t;

// The size class of an extent or count: the nearest power of two in ratio (31, 32 and 33 are 32); 0
// and 1 are their own.
int64_t SizeClass(int64_t n);
// The class of an extent; of a symbolic one, of the extent that decisions are made for.
int64_t ExtentClass(const ir::Dim& dim);

// Elements and bytes of an array shape at its dims' size classes; a symbolic dim counts as its
// upper bound, an unbounded one as 1024.
int64_t ElementsClass(const ir::Shape& shape);
int64_t BytesClass(const ir::Shape& shape);

// Whether arrays of these sizes are more than the caches of the device hold, so that what is
// written is not there when it is read. False for a GPU, and where sizes are symbols.
bool IsBeyondCaches(const ir::Shape& shape, const DeviceDescription& device);

// Work of one instruction when each of its elements is computed once.
struct Work {
  double cycles = 0;  // of one core, vectorised
};
Work WorkOf(const ir::Instruction& instruction, const DeviceDescription& device);

// A dot of fewer floating-point operations is not worth a call of the library: our guess of where
// its time is that of its launch.
inline constexpr double kLibraryFlops = 1 << 23;
// Whether a GPU has a library that computes this dot, and it is large enough, by size classes.
bool IsLibraryDot(const ir::Instruction& dot, const DeviceDescription& device);

// How often a user reads each element of operand `index`: 1 for elementwise ops and reductions, the
// repetition for a broadcast, the kept part for a slice.
double Utilisation(const ir::Instruction& user, int operand_index, const DeviceDescription& device);

// Traffic of one operand or result of a kernel.
struct Traffic {
  double distinct_bytes = 0;  // each byte once
  double total_bytes = 0;     // with repeats
};

// What a kernel whose result is `root` and whose reduce or dot is `hero` (null: none) gives GPU
// threads to do side by side: elements of the result, or shares of what is reduced.
double ParallelElements(const ir::Instruction& root, const ir::Instruction* hero);

// Time of a kernel with this much arithmetic and traffic, without the launch. On a GPU, `parallel`
// elements are computed side by side; a CPU spreads whatever is large enough.
Picoseconds ExecutionTime(double cycles, const Traffic& reads, double written_bytes,
                          const DeviceDescription& device, double parallel = 1e18);
// Cost of starting a kernel.
Picoseconds LaunchTime(const DeviceDescription& device);

}  // namespace swage::cost

#endif  // SWAGE_COMPILER_COST_COST_MODEL_H_
