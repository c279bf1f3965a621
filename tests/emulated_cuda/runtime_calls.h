// File: tests/emulated_cuda/runtime_calls.h
//
// The functions that translated code calls, by name. Pointers are host addresses; a null pointer or
// a zero is a failed check, after which the thread returns.
#ifndef SWAGE_TESTS_EMULATED_CUDA_RUNTIME_CALLS_H_
#define SWAGE_TESTS_EMULATED_CUDA_RUNTIME_CALLS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/emulated_cuda/kernel.h"

namespace swage::emulated_cuda {

struct RuntimeCall {
  const char* name;
  void* address;
};

// All of them, the math helpers of soft_float.h included.
const std::vector<RuntimeCall>& RuntimeCalls();

extern "C" {
// The host address behind a global, const or generic address; fills the site's cache.
uint8_t* emu_resolve(ThreadState* thread, int32_t site, uint64_t address);
// The same for a shared address, with the checks of shared_memory.h.
uint8_t* emu_shared(ThreadState* thread, int32_t site, uint64_t address);
// Reports an access to local or parameter space outside of it.
void emu_bad_access(ThreadState* thread, int32_t site, uint64_t address);
// Reports `trap`.
void emu_trap(ThreadState* thread, int32_t site);
// Called when thread->budget is used up: yields, looks at the time limit.
int32_t emu_budget(ThreadState* thread);
// `id` < 16; `count` 0 is every thread of the block.
int32_t emu_barrier(ThreadState* thread, int32_t site, uint32_t id, uint32_t count);
// A warp operation over the words that each lane brings (kernel.h, WarpOp).
int32_t emu_warp(ThreadState* thread, int32_t site, uint32_t mask, const uint32_t* in,
                 uint32_t* out);
// cp.async: queued, copied by the wait.
int32_t emu_copy_async(ThreadState* thread, int32_t site, uint64_t shared, uint64_t global,
                       uint32_t bytes);
void emu_copy_commit(ThreadState* thread);
int32_t emu_copy_wait(ThreadState* thread, uint32_t pending_groups);
}

}  // namespace swage::emulated_cuda

#endif  // SWAGE_TESTS_EMULATED_CUDA_RUNTIME_CALLS_H_
