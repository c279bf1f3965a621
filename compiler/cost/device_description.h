// File: compiler/cost/device_description.h
//
// What the cost model knows of a device. Fixed numbers only: nothing is measured at run time, so
// equal machines decide alike, and a module can be compiled for a device that is not there.
#ifndef SWAGE_COMPILER_COST_DEVICE_DESCRIPTION_H_
#define SWAGE_COMPILER_COST_DEVICE_DESCRIPTION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/status.h"

namespace swage::cost {

struct CacheLevel {
  int64_t bytes = 0;           // capacity seen by one core
  double bytes_per_cycle = 0;  // sustained by one core
};

// What only a GPU has. A core of its description is a streaming multiprocessor (SM).
struct GpuTraits {
  int compute_capability = 0;        // 90 for 9.0; 0: not a GPU
  int f32_lanes = 0, f64_lanes = 0;  // operations that an SM starts per cycle
  int threads = 0;                   // that an SM holds at once
  int64_t registers = 0;             // of an SM, 32 bits each
  int64_t shared_bytes = 0;          // of an SM, and the most that one block may ask for
  int64_t shared_bytes_block = 0;
  int64_t memory_bytes = 0;
  double memory_latency_ns = 0;  // of a load that misses all caches
  bool matmul_library = false;   // large products are computed by a library of the vendor
};

struct DeviceDescription {
  std::string name;  // "zen4", "h200"
  GpuTraits gpu;
  int cores = 1;
  int vector_bytes = 32;
  double clock_ghz = 3.0;
  // Element operations that one core starts per cycle and vector lane, by cost class.
  double cheap_per_cycle = 2.0;
  double division_cycles = 4.0;         // cycles per vector
  double transcendental_cycles = 14.0;  // cycles per vector
  double fma_per_cycle = 2.0;           // vectors per cycle, in a dot
  bool dot_library = false;             // a CPU: large dots may be computed by a library
  bool bf16_products = false;           // a CPU: it multiplies bf16 in pairs
  CacheLevel l1, l2, l3;
  double dram_gb_per_s = 20;       // by all cores together
  double dram_gb_per_s_core = 12;  // by one core
  int64_t launch_ns = 60;          // a kernel that stays on one thread
  int64_t fork_join_ns = 1500;     // added when it is spread over threads

  bool is_gpu() const { return gpu.compute_capability > 0; }
  Hash128 Fingerprint() const;  // part of the key of what is compiled for it
};

// This machine: cores as base/parallel_for sees them, caches from /sys, the rest from a table by
// microarchitecture with a line for unknown ones.
const DeviceDescription& HostCpu();

// Known cards: a100, b200, h100, h200, l4. None need be there.
const std::vector<DeviceDescription>& KnownGpus();
// NotFound, with the nearest names, for a card that is not known.
StatusOr<DeviceDescription> GpuNamed(std::string_view name);

// A fixed two-core machine for tests and for dumps that must not depend on where they are made.
DeviceDescription TestCpu();

}  // namespace swage::cost

#endif  // SWAGE_COMPILER_COST_DEVICE_DESCRIPTION_H_
