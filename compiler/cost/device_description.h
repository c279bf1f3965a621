// File: compiler/cost/device_description.h
//
// What the cost model knows of a device. Fixed numbers only: nothing is measured at run time, so
// equal machines decide alike, and a module can be compiled for a device that is not there.
#ifndef SWAGE_COMPILER_COST_DEVICE_DESCRIPTION_H_
#define SWAGE_COMPILER_COST_DEVICE_DESCRIPTION_H_

#include <cstdint>
#include <string>

#include "base/hash.h"
#include "base/status.h"

namespace swage::cost {

struct CacheLevel {
  int64_t bytes = 0;            // capacity seen by one core
  double bytes_per_cycle = 0;   // sustained by one core
};

struct DeviceDescription {
  std::string name;             // "zen4"
  int cores = 1;
  int vector_bytes = 32;
  double clock_ghz = 3.0;
  // Element operations that one core starts per cycle and vector lane, by cost class.
  double cheap_per_cycle = 2.0;
  double division_cycles = 4.0;          // cycles per vector
  double transcendental_cycles = 14.0;   // cycles per vector
  double fma_per_cycle = 2.0;            // vectors per cycle, in a dot
  CacheLevel l1, l2, l3;
  double dram_gb_per_s = 20;             // by all cores together
  double dram_gb_per_s_core = 12;        // by one core
  int64_t launch_ns = 60;                // a kernel that stays on one thread
  int64_t fork_join_ns = 1500;           // added when it is spread over threads

  Hash128 Fingerprint() const;           // part of the key of what is compiled for it
};

// This machine: cores as base/parallel_for sees them, caches from /sys, the rest from a table by
// microarchitecture with a line for unknown ones.
const DeviceDescription& HostCpu();

// A fixed two-core machine for tests and for dumps that must not depend on where they are made.
DeviceDescription TestCpu();

}  // namespace swage::cost

#endif  // SWAGE_COMPILER_COST_DEVICE_DESCRIPTION_H_
