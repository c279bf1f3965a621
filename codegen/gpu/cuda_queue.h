// File: codegen/gpu/cuda_queue.h
//
// CudaQueue: one GPU as a place where buffers lie and programs run: its stream, and memory that
// comes and goes in the order of the stream.
//
//   SWAGE_ASSIGN_OR_RETURN(CudaQueue * queue, CudaQueue::Get(0));
//   const CudaQueue::Turn turn(*queue);
//   SWAGE_RETURN_IF_ERROR(turn.status());
//   ... launches into turn.stream() ...
//
// - All work of a device goes through one stream, so that whatever was begun first is done first.
//   Whoever holds a Turn puts work into it. Nobody waits for the device while holding one, but for
//   memory that has run out and under SWAGE_CHECK=memory.
// - Freed blocks are kept for the next of about the same size (device_blocks.h).
#ifndef SWAGE_CODEGEN_GPU_CUDA_QUEUE_H_
#define SWAGE_CODEGEN_GPU_CUDA_QUEUE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/hash.h"
#include "codegen/cuda/device.h"
#include "codegen/cuda/stream.h"
#include "codegen/gpu/device_blocks.h"
#include "codegen/gpu/staging.h"
#include "codegen/memory_space.h"
#include "compiler/ir/literal.h"

namespace swage::gpu {

class CudaQueue final : public codegen::MemorySpace {
 public:
  // The queue of this device, opened once for the process. Unavailable without a driver or device.
  static StatusOr<CudaQueue*> Get(int ordinal);
  // Trims the queues that were opened.
  static void TrimAll();

  // Of a device that outlives it.
  static StatusOr<std::unique_ptr<CudaQueue>> Create(cuda::Device& device);
  ~CudaQueue();

  cuda::Device& device() const { return device_; }

  // The right to put work into the stream, while it lives.
  class Turn {
   public:
    explicit Turn(CudaQueue& queue);
    // Unavailable with the first cause when the device is lost.
    const Status& status() const { return status_; }
    const cuda::Stream& stream() const { return queue_.stream_; }
    // Memory for intermediate values, `bytes` at least, of all programs in turn. What was recorded
    // with other memory has another generation.
    StatusOr<cuda::CUdeviceptr> Scratch(int64_t bytes) const;
    int64_t scratch_generation() const { return queue_.scratch_generation_; }
    // An event behind all work so far.
    StatusOr<cuda::Event> Mark() const;

   private:
    CudaQueue& queue_;
    Status status_;
    std::unique_lock<std::mutex> lock_;
    std::optional<cuda::ContextScope> context_;
  };

  // Waits for all work so far, without a turn.
  Status WaitForAll();

  // The bytes of a constant on the device, shared by all programs that have the same.
  StatusOr<std::shared_ptr<const codegen::SpaceBlock>> Constant(const ir::Literal& literal);

  std::string_view name() const override { return name_; }
  StatusOr<void*> Allocate(int64_t bytes) override;
  void Free(void* memory, int64_t bytes) override;
  Status CopyIn(void* to, const void* host, int64_t bytes) override;
  Status CopyOut(void* host, const void* from, int64_t bytes) override;

  // Gives back what is kept and not in use.
  void Trim();

  DeviceBlocks::Stats stats() const { return blocks_.stats(); }

 private:
  CudaQueue(cuda::Device& device, cuda::Stream stream);
  cuda::Device& device_;
  const std::string name_;
  std::mutex turn_;
  cuda::Stream stream_;
  std::optional<cuda::DeviceMemory> scratch_;
  int64_t scratch_generation_ = 0;
  DeviceBlocks blocks_;

  // For copies in each direction; mutexes are taken before a turn.
  std::mutex in_mutex_, out_mutex_;
  Staging in_, out_;

  std::mutex constants_mutex_;
  absl::flat_hash_map<Hash128, std::weak_ptr<const codegen::SpaceBlock>> constants_;
};

}  // namespace swage::gpu

#endif  // SWAGE_CODEGEN_GPU_CUDA_QUEUE_H_
