#include "tests/emulated_cuda/launch.h"

#include <xmmintrin.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/emulated_cuda/block_runner.h"

namespace swage::emulated_cuda {
namespace {

// Rounds to nearest and keeps denormals, whatever the caller's library has set.
class DefaultFloatControl {
 public:
  DefaultFloatControl() : saved_(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~DefaultFloatControl() { _mm_setcsr(saved_); }

 private:
  unsigned saved_;
};

}  // namespace

std::optional<LaunchError> RunLaunch(const Kernel& kernel, const LaunchConfig& config,
                                     DeviceMemory& memory) {
  static auto* const fibers = new FiberPool();
  const DefaultFloatControl float_control;
  BlockRunner runner(kernel, config, memory, *fibers);
  const auto [nx, ny, nz] = config.grid;
  const uint64_t blocks = uint64_t{nx} * ny * nz;
  std::vector<uint64_t> order;  // empty: as they are numbered
  if (config.seed != 0) {
    order.resize(blocks);
    std::iota(order.begin(), order.end(), uint64_t{0});
    std::mt19937_64 random(config.seed ^ 0x9e3779b97f4a7c15);
    std::shuffle(order.begin(), order.end(), random);
  }
  for (uint64_t i = 0; i < blocks; ++i) {
    const uint64_t block = order.empty() ? i : order[i];
    const uint32_t x = static_cast<uint32_t>(block % nx);
    const uint32_t y = static_cast<uint32_t>(block / nx % ny);
    const uint32_t z = static_cast<uint32_t>(block / nx / ny);
    if (!runner.RunBlock(x, y, z)) return runner.error();
  }
  return std::nullopt;
}

}  // namespace swage::emulated_cuda
