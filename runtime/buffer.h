// File: runtime/buffer.h
//
// Buffer: the memory of a concrete tensor. 64-byte aligned, not zeroed, freed with the last handle
// to the pool of blocks (base/block_pool.h); a small one lies behind its Buffer in one block. Under
// SWAGE_CHECK=memory each buffer ends at a guard page, and begins at one under memory-start, so that
// an access out of bounds stops the process there (base/check_mode.h says how it is aligned). A
// buffer on a device is one of its MemorySpace. One over memory that somebody else owns is never
// written, and aligned to its elements (runtime/foreign_memory.h).
#ifndef SWAGE_RUNTIME_BUFFER_H_
#define SWAGE_RUNTIME_BUFFER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/derived_forms.h"
#include "base/guard_memory.h"
#include "base/status.h"
#include "codegen/memory_space.h"

namespace swage::runtime {

class Buffer {
 public:
  // Sizes beyond the machine's memory are ResourceExhausted, as is a failed allocation.
  static StatusOr<std::shared_ptr<Buffer>> Allocate(int64_t bytes);

  // In the memory of a device.
  static StatusOr<std::shared_ptr<Buffer>> AllocateIn(codegen::MemorySpace& space, int64_t bytes);

  // Where the memory is: in the same block, in a block of its own, between guard pages, on a
  // device, or with somebody else.
  enum class Place : uint8_t { kBehind, kApart, kGuarded, kDevice, kForeign };
  // For Allocate and ForeignBuffer: of kBehind, `data` is null: the memory is behind the Buffer.
  Buffer(Place place, void* data, int64_t size);
  explicit Buffer(GuardedBuffer guard)
      : place_(Place::kGuarded),
        data_(guard.data()),
        size_(static_cast<int64_t>(guard.size())),
        guard_(std::move(guard)) {}
  Buffer(codegen::MemorySpace& space, void* data, int64_t size)
      : place_(Place::kDevice), data_(data), size_(size), space_(&space) {}
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  // An address of space().
  void* data() const { return data_; }
  int64_t size() const { return size_; }
  codegen::MemorySpace* space() const { return space_; }  // null: the host's memory
  // Whether nobody else owns the memory.
  bool is_ours() const { return place_ != Place::kForeign; }
  // What was made of the elements, which must never change; goes with them. Thread-safe.
  DerivedForms& forms();

 private:
  Place place_;
  void* data_;
  int64_t size_;
  codegen::MemorySpace* space_ = nullptr;
  std::atomic<DerivedForms*> forms_{nullptr};
  std::optional<GuardedBuffer> guard_;  // owns the memory under SWAGE_CHECK=memory
};

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_BUFFER_H_
