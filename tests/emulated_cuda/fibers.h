// File: tests/emulated_cuda/fibers.h
//
// Fibers: functions with stacks of their own that one host thread runs in turns. Stacks are kept
// from launch to launch and have a guard page below.
#ifndef SWAGE_TESTS_EMULATED_CUDA_FIBERS_H_
#define SWAGE_TESTS_EMULATED_CUDA_FIBERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace swage::emulated_cuda {

class FiberPool {
 public:
  using Body = void (*)(void* context, int index);

  FiberPool() = default;
  ~FiberPool();
  FiberPool(const FiberPool&) = delete;
  FiberPool& operator=(const FiberPool&) = delete;

  // At least `count` fibers.
  void Reserve(int count);
  // Fiber `index` will run body(context, index) when it is resumed. The body never returns: its
  // last act is a Suspend. A fiber that is suspended may be started anew at any time.
  void Start(int index, Body body, void* context);
  // Runs fiber `index` until it suspends itself.
  void Resume(int index);
  // Called on fiber `index`.
  void Suspend(int index);

 private:
  void Release();

  uint8_t* memory_ = nullptr;
  int count_ = 0;
  std::vector<void*> stack_pointers_;
  void* scheduler_ = nullptr;
  std::vector<void*> shadows_;  // the thread sanitizer's view of each fiber
  void* scheduler_shadow_ = nullptr;
};

}  // namespace swage::emulated_cuda

#endif  // SWAGE_TESTS_EMULATED_CUDA_FIBERS_H_
