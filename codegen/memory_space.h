// File: codegen/memory_space.h
//
// MemorySpace: the memory of a device, where the buffers of its executables lie. The host's memory
// is no MemorySpace: a null pointer stands for it.
//
//   SWAGE_ASSIGN_OR_RETURN(void* x, space.Allocate(bytes));
//   SWAGE_RETURN_IF_ERROR(space.CopyIn(x, host, bytes));
//   ... runs ...
//   SWAGE_RETURN_IF_ERROR(space.CopyOut(host, x, bytes));
//   space.Free(x, bytes);
//
// Any thread may call. What is given here, freed, copied and run happens in the order of the calls.
#ifndef SWAGE_CODEGEN_MEMORY_SPACE_H_
#define SWAGE_CODEGEN_MEMORY_SPACE_H_

#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace swage::codegen {

class MemorySpace {
 public:
  virtual std::string_view name() const = 0;  // of the device: "cuda:0"

  // 64-byte aligned, not zeroed; null for 0 bytes. ResourceExhausted when there is not enough.
  virtual StatusOr<void*> Allocate(int64_t bytes) = 0;
  // With the size that it was allocated with. Work that was begun before may still use it.
  virtual void Free(void* memory, int64_t bytes) = 0;

  // `host` may be changed or freed when this returns.
  virtual Status CopyIn(void* to, const void* host, int64_t bytes) = 0;
  // Waits for everything before it, and gives its errors.
  virtual Status CopyOut(void* host, const void* from, int64_t bytes) = 0;

 protected:
  ~MemorySpace() = default;
};

// Memory of a space while it lives.
class SpaceBlock {
 public:
  static StatusOr<SpaceBlock> Allocate(MemorySpace& space, int64_t bytes) {
    SWAGE_ASSIGN_OR_RETURN(void* data, space.Allocate(bytes));
    return SpaceBlock(space, data, bytes);
  }
  ~SpaceBlock() {
    if (data_ != nullptr) space_->Free(data_, bytes_);
  }
  SpaceBlock(SpaceBlock&& other) noexcept
      : space_(other.space_), data_(other.data_), bytes_(other.bytes_) {
    other.data_ = nullptr;
  }
  SpaceBlock& operator=(SpaceBlock&&) = delete;

  void* data() const { return data_; }
  int64_t bytes() const { return bytes_; }

 private:
  SpaceBlock(MemorySpace& space, void* data, int64_t bytes)
      : space_(&space), data_(data), bytes_(bytes) {}
  MemorySpace* space_;
  void* data_;
  int64_t bytes_;
};

}  // namespace swage::codegen

#endif  // SWAGE_CODEGEN_MEMORY_SPACE_H_
