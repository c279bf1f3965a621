#include "tests/emulated_cuda/runtime_calls.h"

#include "tests/emulated_cuda/block_runner.h"
#include "tests/emulated_cuda/cuda_types.h"
#include "tests/emulated_cuda/soft_float.h"

namespace swage::emulated_cuda {

extern "C" {

uint8_t* emu_resolve(ThreadState* thread, int32_t site, uint64_t address) {
  return thread->block->Resolve(thread, site, address);
}
uint8_t* emu_shared(ThreadState* thread, int32_t site, uint64_t address) {
  return thread->block->Shared(thread, site, address);
}
void emu_bad_access(ThreadState* thread, int32_t site, uint64_t address) {
  thread->block->Fault(
      thread, site, CUDA_ERROR_ILLEGAL_ADDRESS,
      "out-of-bounds or misaligned access to local memory or parameters, at offset " +
          std::to_string(static_cast<int64_t>(address)));
}
void emu_trap(ThreadState* thread, int32_t site) {
  thread->block->Fault(thread, site, CUDA_ERROR_LAUNCH_FAILED, "the kernel trapped");
}
int32_t emu_budget(ThreadState* thread) { return thread->block->Budget(thread); }
int32_t emu_barrier(ThreadState* thread, int32_t site, uint32_t id, uint32_t count) {
  return thread->block->Barrier(thread, site, id, count);
}
int32_t emu_warp(ThreadState* thread, int32_t site, uint32_t mask, const uint32_t* in,
                 uint32_t* out) {
  return thread->block->Warp(thread, site, mask, in, out);
}
int32_t emu_copy_async(ThreadState* thread, int32_t site, uint64_t shared, uint64_t global,
                       uint32_t bytes) {
  return thread->block->CopyAsync(thread, site, shared, global, bytes);
}
void emu_copy_commit(ThreadState* thread) { thread->block->CopyCommit(thread); }
int32_t emu_copy_wait(ThreadState* thread, uint32_t pending_groups) {
  return thread->block->CopyWait(thread, pending_groups);
}
}

const std::vector<RuntimeCall>& RuntimeCalls() {
  const auto address = [](auto* function) { return reinterpret_cast<void*>(function); };
  static const auto* const calls = [&] {
    auto* all = new std::vector<RuntimeCall>{
        {"emu_resolve", address(&emu_resolve)},
        {"emu_shared", address(&emu_shared)},
        {"emu_bad_access", address(&emu_bad_access)},
        {"emu_trap", address(&emu_trap)},
        {"emu_budget", address(&emu_budget)},
        {"emu_barrier", address(&emu_barrier)},
        {"emu_warp", address(&emu_warp)},
        {"emu_copy_async", address(&emu_copy_async)},
        {"emu_copy_commit", address(&emu_copy_commit)},
        {"emu_copy_wait", address(&emu_copy_wait)},
    };
    all->insert(all->end(), MathCalls().begin(), MathCalls().end());
    return all;
  }();
  return *calls;
}

}  // namespace swage::emulated_cuda
