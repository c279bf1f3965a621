#include "codegen/gpu/device_blocks.h"

#include <algorithm>
#include <bit>

#include "base/check_mode.h"

namespace swage::gpu {

int64_t DeviceBlocks::ClassOf(int64_t bytes) {
  if (CheckMode::Get().memory) return bytes;
  constexpr int64_t kLeast = 256;
  const auto power = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(bytes)));
  const int64_t step = std::max(kLeast, power / 8);
  return (bytes + step - 1) / step * step;
}

cuda::CUdeviceptr DeviceBlocks::Take(int64_t bytes) {
  const int64_t size = ClassOf(bytes);
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto it = kept_.find(size);
  if (it == kept_.end() || it->second.empty()) return 0;
  const cuda::CUdeviceptr block = it->second.back();
  it->second.pop_back();
  stats_.kept_bytes -= size;
  return block;
}

StatusOr<cuda::CUdeviceptr> DeviceBlocks::Make(const cuda::Stream& stream, int64_t bytes) {
  const int64_t size = ClassOf(bytes);
  const auto make = [&]() -> StatusOr<cuda::CUdeviceptr> {
    SWAGE_ASSIGN_OR_RETURN(cuda::DeviceMemory memory, cuda::DeviceMemory::Allocate(stream, size));
    return memory.Release();
  };
  StatusOr<cuda::CUdeviceptr> block = make();
  if (absl::IsResourceExhausted(block.status()) && stats().kept_bytes > 0) {
    Trim(stream);
    block = make();
  }
  if (!block.ok()) return block;
  const std::lock_guard<std::mutex> lock(mutex_);
  ++stats_.from_driver;
  return block;
}

bool DeviceBlocks::Keep(cuda::CUdeviceptr block, int64_t bytes) {
  if (CheckMode::Get().memory) return false;
  const int64_t size = ClassOf(bytes);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stats_.kept_bytes + size > most_kept_) return false;
  kept_[size].push_back(block);
  stats_.kept_bytes += size;
  return true;
}

void DeviceBlocks::Drop(const cuda::Stream& stream, cuda::CUdeviceptr block, int64_t bytes) {
  cuda::DeviceMemory::Adopt(stream, block, ClassOf(bytes));
}

void DeviceBlocks::Trim(const cuda::Stream& stream) {
  std::map<int64_t, std::vector<cuda::CUdeviceptr>> gone;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    gone.swap(kept_);
    stats_.kept_bytes = 0;
  }
  for (const auto& [size, blocks] : gone) {
    for (const cuda::CUdeviceptr block : blocks) cuda::DeviceMemory::Adopt(stream, block, size);
  }
}

DeviceBlocks::Stats DeviceBlocks::stats() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stats_;
}

}  // namespace swage::gpu
