// File: codegen/gpu/device_blocks.h
//
// DeviceBlocks: memory of a device whose blocks are kept, when they are freed, for the next of
// about the same size, so that a warm call asks the driver for nothing. All of it is used in the
// order of one stream: a block may be lent again while earlier work still uses it.
//
// - Sizes are rounded up to classes, at most an eighth more, or to 256 bytes. At most a quarter of
// the device's
//   memory is kept, and given up before an allocation fails.
// - Under SWAGE_CHECK=memory blocks have their exact size and are not kept, so that the device's
// own
//   checks see every access beyond one.
#ifndef SWAGE_CODEGEN_GPU_DEVICE_BLOCKS_H_
#define SWAGE_CODEGEN_GPU_DEVICE_BLOCKS_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "codegen/cuda/stream.h"

namespace swage::gpu {

class DeviceBlocks {
 public:
  explicit DeviceBlocks(int64_t device_bytes) : most_kept_(device_bytes / 4) {}

  // What the driver is asked for, for a block of `bytes`.
  static int64_t ClassOf(int64_t bytes);

  // A kept block of the class; 0: there is none.
  cuda::CUdeviceptr Take(int64_t bytes);
  // A new one, with the right to use the stream. What is kept is given up for it if need be.
  StatusOr<cuda::CUdeviceptr> Make(const cuda::Stream& stream, int64_t bytes);
  // False: it is not kept, and is to be dropped with the right to use the stream.
  bool Keep(cuda::CUdeviceptr block, int64_t bytes);
  static void Drop(const cuda::Stream& stream, cuda::CUdeviceptr block, int64_t bytes);
  // Drops all that is kept.
  void Trim(const cuda::Stream& stream);

  struct Stats {
    int64_t from_driver = 0;  // blocks that the driver gave
    int64_t kept_bytes = 0;
  };
  Stats stats() const;

 private:
  const int64_t most_kept_;
  mutable std::mutex mutex_;
  std::map<int64_t, std::vector<cuda::CUdeviceptr>> kept_;  // by class
  Stats stats_;
};

}  // namespace swage::gpu

#endif  // SWAGE_CODEGEN_GPU_DEVICE_BLOCKS_H_
