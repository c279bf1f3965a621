// File: runtime/buffer.h
//
// Buffer: the memory of a concrete tensor. 64-byte aligned, not zeroed, freed with the last handle.
// Under SWAGE_CHECK=memory each buffer lies against a guard page, so that an access out of bounds
// faults.
#ifndef SWAGE_RUNTIME_BUFFER_H_
#define SWAGE_RUNTIME_BUFFER_H_

#include <cstdint>
#include <memory>

#include "base/status.h"

namespace swage::runtime {

class Buffer {
 public:
  // Sizes beyond the machine's memory are ResourceExhausted, as is a failed allocation.
  static StatusOr<std::shared_ptr<Buffer>> Allocate(int64_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* data() const { return data_; }
  int64_t size() const { return size_; }

 private:
  Buffer(void* data, int64_t size, void* guard) : data_(data), size_(size), guard_(guard) {}

  void* data_;
  int64_t size_;
  void* guard_;  // GuardMemory handle; null for plain memory
};

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_BUFFER_H_
