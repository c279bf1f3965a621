// File: tests/emulated_cuda/kernel.h
//
// A translated kernel, and what its code shares with the runtime that calls it. The code of a
// kernel is `int32_t entry(ThreadState*)`, called once for each GPU thread; it returns 0 when the
// thread is done and 1 when a check failed (the runtime has the error by then).
//
// Addresses that a kernel sees are never host addresses: the top byte says which window an address
// is in, so a device pointer that the host follows faults, as it does with a card.
#ifndef SWAGE_TESTS_EMULATED_CUDA_KERNEL_H_
#define SWAGE_TESTS_EMULATED_CUDA_KERNEL_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/emulated_cuda/ptx_module.h"

namespace swage::emulated_cuda {

inline constexpr uint64_t kGlobalWindow = uint64_t{0x01} << 56;
inline constexpr uint64_t kSharedWindow = uint64_t{0x02} << 56;
inline constexpr uint64_t kLocalWindow = uint64_t{0x03} << 56;
inline constexpr uint64_t kParamWindow = uint64_t{0x04} << 56;
inline constexpr uint64_t kWindowMask = uint64_t{0xff} << 56;
// Where shared and local variables begin in their spaces, so that 0 is no address.
inline constexpr uint64_t kSharedBase = 0x400;
inline constexpr uint64_t kLocalBase = 0x100;

inline constexpr int kWarpSize = 32;

// Special registers, in the order in which ThreadState holds them.
enum Special : int {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneId,
  kWarpId,
  kNumWarps,
  kLaneMaskEq,
  kLaneMaskLe,
  kLaneMaskLt,
  kLaneMaskGe,
  kLaneMaskGt,
  kSmId,
  kNumSms,
  kDynamicSharedSize,
  kTotalSharedSize,
  kNumSpecials,
};

// The last allocation that an access site touched: the fast path of its bounds check.
struct SiteCache {
  uint64_t first = ~uint64_t{0} >> 1;  // device address
  uint64_t limit = 0;                  // the highest offset that is allowed
  uint8_t* host = nullptr;
};

class BlockRunner;

struct ThreadState {
  uint32_t special[kNumSpecials];
  const uint8_t* params;
  uint8_t* local;
  SiteCache* sites;
  int64_t budget;  // backward branches until the runtime is asked
  BlockRunner* block;
  int index;  // in the block
};

// Operations of a whole warp.
enum class WarpOp { kShuffle, kVote, kMatch, kReduce, kSyncWarp, kMma, kLoadMatrix };

// A place in the PTX that the runtime must know: an access, a barrier, a warp operation.
struct Site {
  int line = 0;
  std::string text;
  Space space = Space::kGeneric;
  int bytes = 0;
  bool store = false;
  bool atomic = false;
  WarpOp op = WarpOp::kShuffle;
  std::string mode;  // of a warp operation: "bfly", "ballot", "add.u32", "bf16" ...
  int count = 0;     // matrices of ldmatrix
};

struct Kernel {
  std::string name;
  int32_t (*entry)(ThreadState*) = nullptr;
  std::vector<Site> sites;
  std::vector<Variable> params;
  int64_t param_bytes = 0;
  int64_t static_shared_bytes = 0;
  int64_t local_bytes = 0;
  bool needs_fibers = false;  // its threads wait for each other
  std::array<int, 3> max_threads{};
  std::array<int, 3> required_threads{};
  int registers = 0;  // declared, capped: a rough stand-in for what ptxas would say
};

}  // namespace swage::emulated_cuda

#endif  // SWAGE_TESTS_EMULATED_CUDA_KERNEL_H_
