#include "tests/emulated_cuda/fibers.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

#ifndef __x86_64__
#error "the stack switch is written for x86-64"
#endif

extern "C" {
// Saves the callee-saved registers on this stack, its pointer in *save, and goes on at `load`.
void emulated_cuda_switch(void** save, void* load);
void emulated_cuda_enter();
}

asm(R"(
.text
.p2align 4
.hidden emulated_cuda_switch
.globl emulated_cuda_switch
.type emulated_cuda_switch, @function
emulated_cuda_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size emulated_cuda_switch, .-emulated_cuda_switch

.p2align 4
.hidden emulated_cuda_enter
.globl emulated_cuda_enter
.type emulated_cuda_enter, @function
emulated_cuda_enter:
  movq %r12, %rdi
  movq %r13, %rsi
  callq *%r14
  ud2
.size emulated_cuda_enter, .-emulated_cuda_enter
)");

// The thread sanitizer keeps a stack of calls for each fiber and must know which one runs.
#ifdef __SANITIZE_THREAD__
extern "C" {
void* __tsan_get_current_fiber();
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
}
#endif

namespace swage::emulated_cuda {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kStackBytes = (64 << 10) + kPage;  // guard page included

#ifdef __SANITIZE_THREAD__
void* CurrentShadow() { return __tsan_get_current_fiber(); }
void* NewShadow(void* old) {
  if (old != nullptr) __tsan_destroy_fiber(old);
  return __tsan_create_fiber(0);
}
void SwitchShadow(void* shadow) { __tsan_switch_to_fiber(shadow, 0); }
#else
void* CurrentShadow() { return nullptr; }
void* NewShadow(void*) { return nullptr; }
void SwitchShadow(void*) {}
#endif

}  // namespace

FiberPool::~FiberPool() { Release(); }

void FiberPool::Release() {
  if (memory_ != nullptr) munmap(memory_, kStackBytes * static_cast<size_t>(count_));
  memory_ = nullptr;
}

void FiberPool::Reserve(int count) {
  if (count <= count_) return;
  Release();
  count_ = count;
  void* const memory =
      mmap(nullptr, kStackBytes * static_cast<size_t>(count_), PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::fprintf(stderr, "emulated driver: no memory for %d stacks\n", count_);
    std::abort();
  }
  memory_ = static_cast<uint8_t*>(memory);
  for (int i = 0; i < count_; ++i)
    mprotect(memory_ + kStackBytes * static_cast<size_t>(i), kPage, PROT_NONE);
  stack_pointers_.assign(static_cast<size_t>(count_), nullptr);
  shadows_.resize(static_cast<size_t>(count_));
}

void FiberPool::Start(int index, Body body, void* context) {
  uint8_t* const top = memory_ + kStackBytes * static_cast<size_t>(index + 1);
  // What the switch pops: r15, r14, r13, r12, rbx, rbp and where it returns to; two words more keep
  // the stack aligned at the call.
  void** const frame = reinterpret_cast<void**>(top) - 9;
  frame[0] = nullptr;
  frame[1] = reinterpret_cast<void*>(body);
  frame[2] = reinterpret_cast<void*>(static_cast<intptr_t>(index));
  frame[3] = context;
  frame[4] = frame[5] = nullptr;
  frame[6] = reinterpret_cast<void*>(&emulated_cuda_enter);
  frame[7] = frame[8] = nullptr;
  stack_pointers_[static_cast<size_t>(index)] = frame;
  shadows_[static_cast<size_t>(index)] = NewShadow(shadows_[static_cast<size_t>(index)]);
}

void FiberPool::Resume(int index) {
  scheduler_shadow_ = CurrentShadow();
  SwitchShadow(shadows_[static_cast<size_t>(index)]);
  emulated_cuda_switch(&scheduler_, stack_pointers_[static_cast<size_t>(index)]);
}

void FiberPool::Suspend(int index) {
  SwitchShadow(scheduler_shadow_);
  emulated_cuda_switch(&stack_pointers_[static_cast<size_t>(index)], scheduler_);
}

}  // namespace swage::emulated_cuda
