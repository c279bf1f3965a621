// File: tests/emulated_cuda/block_runner.h
//
// The runtime behind translated code during one launch: the threads of the current block, who waits
// for whom, shared memory, and the first fault.
#ifndef SWAGE_TESTS_EMULATED_CUDA_BLOCK_RUNNER_H_
#define SWAGE_TESTS_EMULATED_CUDA_BLOCK_RUNNER_H_

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/emulated_cuda/fibers.h"
#include "tests/emulated_cuda/launch.h"
#include "tests/emulated_cuda/shared_memory.h"
#include "tests/emulated_cuda/warp_ops.h"

namespace swage::emulated_cuda {

class BlockRunner {
 public:
  BlockRunner(const Kernel& kernel, const LaunchConfig& config, DeviceMemory& memory,
              FiberPool& fibers);

  // False once there is an error.
  bool RunBlock(uint32_t x, uint32_t y, uint32_t z);
  const std::optional<LaunchError>& error() const { return error_; }

  // What emu_* of runtime_calls.h do.
  uint8_t* Resolve(ThreadState* thread, int site, uint64_t address);
  uint8_t* Shared(ThreadState* thread, int site, uint64_t offset);
  bool Barrier(ThreadState* thread, int site, uint32_t id, uint32_t count);
  bool Warp(ThreadState* thread, int site, uint32_t mask, const uint32_t* in, uint32_t* out);
  bool Budget(ThreadState* thread);
  bool CopyAsync(ThreadState* thread, int site, uint64_t shared, uint64_t global, uint32_t bytes);
  void CopyCommit(ThreadState* thread) { ++Of(thread).copy_group; }
  bool CopyWait(ThreadState* thread, uint32_t pending_groups);
  void Fault(const ThreadState* thread, int site, int code, const std::string& text);

 private:
  enum Waiting { kNot, kBarrier, kWarp };
  struct AsyncCopy {
    int site;
    uint64_t shared;
    const uint8_t* from;
    uint32_t bytes;
    uint32_t group;
  };
  struct Thread {
    ThreadState state;
    bool begun = false, done = false;
    Waiting waiting = kNot;
    int site = 0;  // where it waits
    uint32_t barrier = 0;
    uint32_t copy_group = 0;
    std::vector<AsyncCopy> copies;
  };
  struct WarpState {
    uint32_t present = 0, exited = 0;
    std::array<WarpLane, kWarpSize> lanes;
    std::array<bool, kWarpSize> arrived{};
  };

  Thread& Of(const ThreadState* thread) { return threads_[static_cast<size_t>(thread->index)]; }
  void InitThreads(uint32_t x, uint32_t y, uint32_t z);
  void RunInOrder();
  void RunFibers();
  static void FiberBody(void* context, int index);
  void Suspend(Thread& thread);
  void Wake(Thread& thread);
  bool CompleteBarrier(Thread& own);
  bool CompleteWarp(Thread& thread, uint32_t mask);
  void Deadlock();
  void Misplaced(const ThreadState* thread, int site, uint64_t address);
  // Kernel, block and thread, for messages.
  std::string Name(const ThreadState* thread) const;

  const Kernel& kernel_;
  const LaunchConfig& config_;
  DeviceMemory& memory_;
  FiberPool& fibers_;
  SharedMemory shared_;
  std::vector<Thread> threads_;
  std::vector<WarpState> warps_;
  std::vector<SiteCache> sites_;
  std::vector<uint8_t> local_;
  std::vector<int> ready_;
  std::array<uint32_t, 16> arrived_{};  // threads at each barrier
  std::array<uint32_t, 16> expected_{};
  std::mt19937_64 random_;
  std::chrono::steady_clock::time_point deadline_;
  std::optional<LaunchError> error_;
};

}  // namespace swage::emulated_cuda

#endif  // SWAGE_TESTS_EMULATED_CUDA_BLOCK_RUNNER_H_
