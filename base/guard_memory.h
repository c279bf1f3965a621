// File: base/guard_memory.h
//
// A buffer that ends, or begins, at a page that nobody may touch: an access one byte beyond it
// stops the process there and then. Emitted code is invisible to the address sanitizer; with
// SWAGE_CHECK=memory every buffer that a kernel sees is one of these.
//
//   SWAGE_ASSIGN_OR_RETURN(GuardedBuffer buffer, GuardedBuffer::Create(n, 4, GuardSide::kEnd));
//   kernel(buffer.data());
//   SWAGE_RETURN_IF_ERROR(buffer.Check());
//
// Both neighbours of the pages are guarded; the chosen side is exact when `alignment` divides the
// size. What is left of the pages is filled with a pattern, and Check() reports where it changed.
#ifndef SWAGE_BASE_GUARD_MEMORY_H_
#define SWAGE_BASE_GUARD_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "base/status.h"

namespace swage {

enum class GuardSide { kStart, kEnd };

class GuardedBuffer {
 public:
  // `bytes` may be 0: data() then points at a guard page or at the pattern. `alignment` is a power
  // of two, at most 4096. The content is the pattern.
  static StatusOr<GuardedBuffer> Create(size_t bytes, size_t alignment, GuardSide side);

  GuardedBuffer(GuardedBuffer&& other) noexcept;
  GuardedBuffer& operator=(GuardedBuffer&& other) noexcept;
  ~GuardedBuffer();

  void* data() const { return data_; }
  size_t size() const { return size_; }

  // Internal, naming the first offset outside the buffer that was written.
  Status Check() const;

 private:
  GuardedBuffer(uint8_t* mapping, size_t mapped, uint8_t* data, size_t size)
      : mapping_(mapping), mapped_(mapped), data_(data), size_(size) {}

  uint8_t* mapping_;  // a guard page, the pages, a guard page
  size_t mapped_;
  uint8_t* data_;
  size_t size_;
};

}  // namespace swage

#endif  // SWAGE_BASE_GUARD_MEMORY_H_
