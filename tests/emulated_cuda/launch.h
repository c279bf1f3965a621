// File: tests/emulated_cuda/launch.h
//
// Runs a launch: block after block, each thread of a block as a fiber if threads wait for each
// other, else one after the other. The first fault ends the launch.
#ifndef SWAGE_TESTS_EMULATED_CUDA_LAUNCH_H_
#define SWAGE_TESTS_EMULATED_CUDA_LAUNCH_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/emulated_cuda/device_memory.h"
#include "tests/emulated_cuda/kernel.h"

namespace swage::emulated_cuda {

struct LaunchConfig {
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> block{1, 1, 1};
  uint32_t dynamic_shared_bytes = 0;
  std::vector<uint8_t> params;
  // 0: blocks and threads in their order; else shuffled by it.
  uint64_t seed = 0;
  double seconds = 60;  // after which it is a timeout
};

struct LaunchError {
  int code = 0;  // CUresult
  std::string text;
};

// One launch at a time: stacks are shared.
std::optional<LaunchError> RunLaunch(const Kernel& kernel, const LaunchConfig& config,
                                     DeviceMemory& memory);

}  // namespace swage::emulated_cuda

#endif  // SWAGE_TESTS_EMULATED_CUDA_LAUNCH_H_
