// File: codegen/gpu/staging.h
//
// Pinned memory that copies between host and device go through: two halves in turn. Small copies
// share a half; one is used again when the device is done with all copies of it.
//
//   SWAGE_ASSIGN_OR_RETURN(void* pinned, staging.Take(device, bytes));   // waits if it must
//   ... begins the copy ...
//   SWAGE_RETURN_IF_ERROR(staging.Used(stream));
//
// For one thread at a time, with the context of the device.
#ifndef SWAGE_CODEGEN_GPU_STAGING_H_
#define SWAGE_CODEGEN_GPU_STAGING_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/cuda/stream.h"

namespace swage::gpu {

class Staging {
 public:
  // The most that Take gives.
  static constexpr int64_t kBytes = int64_t{4} << 20;

  StatusOr<void*> Take(cuda::Device& device, int64_t bytes);
  // A copy from or to what Take gave last is in the stream, with the right to use it.
  Status Used(const cuda::Stream& stream) { return stream.Record(done_[half_]); }
  // Waits for that copy.
  Status Wait() const { return done_[half_].Synchronize(); }
  void Reset();

 private:
  std::optional<cuda::HostMemory> memory_;
  std::vector<cuda::Event> done_;  // of each half
  int half_ = 0;
  int64_t taken_ = 0;  // of it
};

}  // namespace swage::gpu

#endif  // SWAGE_CODEGEN_GPU_STAGING_H_
