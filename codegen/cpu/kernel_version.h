// File: codegen/cpu/kernel_version.h
//
// The kernel that a step runs, which may be exchanged for another that computes the same bits while
// any number of threads run the step.
//
//   VersionedKernel kernel(first);
//   const KernelVersion& v = kernel.now();          // per run: one load
//   v.fn(&args, 0, v.tasks);
//   kernel.Swap(better);                            // runs that begin later take it
//
// A version never changes, and none goes before the VersionedKernel does: runs under way keep the
// one that they have begun with.
#ifndef SWAGE_CODEGEN_CPU_KERNEL_VERSION_H_
#define SWAGE_CODEGEN_CPU_KERNEL_VERSION_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "codegen/cpu/kernel_abi.h"
#include "codegen/program/kernel_cache.h"

namespace swage::cpu {

struct KernelVersion {
  KernelFn fn = nullptr;
  std::vector<int64_t> dims;
  int64_t tasks = 0;  // extent of the task axis
  int64_t grain = 1;  // tasks that one thread takes at a time
  codegen::KernelCache::KernelPtr kernel;
};

class VersionedKernel {
 public:
  VersionedKernel() = default;
  explicit VersionedKernel(KernelVersion first)
      : first_(std::make_unique<const KernelVersion>(std::move(first))), now_(first_.get()) {}
  // While a program is built, by one thread.
  VersionedKernel(VersionedKernel&& other) noexcept { *this = std::move(other); }
  VersionedKernel& operator=(VersionedKernel&& other) noexcept {
    first_ = std::move(other.first_);
    next_ = std::move(other.next_);
    now_.store(other.now_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    return *this;
  }

  const KernelVersion& now() const { return *now_.load(std::memory_order_acquire); }
  // Null where there is no kernel.
  const KernelVersion* first() const { return first_.get(); }

  // At most once. Any thread, while others run.
  void Swap(std::shared_ptr<const KernelVersion> next) {
    next_ = std::move(next);
    now_.store(next_.get(), std::memory_order_release);
  }

 private:
  std::unique_ptr<const KernelVersion> first_;
  std::shared_ptr<const KernelVersion> next_;
  std::atomic<const KernelVersion*> now_{nullptr};
};

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_KERNEL_VERSION_H_
