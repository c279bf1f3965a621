// File: tests/emulated_cuda/warp_ops.h
//
// What operations of a whole warp compute, once all lanes of the mask have arrived. Layouts of
// matrix fragments are those of the PTX manual; sums of mma are exact in double and rounded to f32
// once (a card's order and width are its own).
#ifndef SWAGE_TESTS_EMULATED_CUDA_WARP_OPS_H_
#define SWAGE_TESTS_EMULATED_CUDA_WARP_OPS_H_

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "tests/emulated_cuda/kernel.h"

namespace swage::emulated_cuda {

// What one lane brings and where it wants the result.
struct WarpLane {
  const Site* site = nullptr;
  uint32_t mask = 0;
  const uint32_t* in = nullptr;
  uint32_t* out = nullptr;
};

using WarpLanes = std::array<WarpLane, kWarpSize>;

// The address on the host of 16 bytes of shared memory that `lane` names, or null.
using SharedRow = std::function<const uint8_t*(int lane, uint32_t address)>;

// Writes the results of all lanes in `mask`. The fault, or "".
std::string ComputeWarpOp(const WarpLanes& lanes, uint32_t mask, const SharedRow& row);

}  // namespace swage::emulated_cuda

#endif  // SWAGE_TESTS_EMULATED_CUDA_WARP_OPS_H_
