// File: runtime/foreign_memory.h
//
// Tensors over memory that somebody else owns, and dense copies of what is not row-major.
//
//   ForeignMemory memory(data, [](void*) { ... });   // from here on the deleter is called once
//   return WrapForeign(shape, std::move(memory));    // by the last handle, or here on an error
#ifndef SWAGE_RUNTIME_FOREIGN_MEMORY_H_
#define SWAGE_RUNTIME_FOREIGN_MEMORY_H_

#include <cstdint>
#include <functional>
#include <utility>

#include "absl/types/span.h"
#include "base/status.h"
#include "compiler/ir/shape.h"
#include "runtime/tensor.h"

namespace swage::runtime {

// Calls its deleter, if there is one, exactly once: when it goes.
class ForeignMemory {
 public:
  ForeignMemory(const void* data, std::function<void(void*)> deleter) noexcept
      : data_(const_cast<void*>(data)), deleter_(std::move(deleter)) {}
  ForeignMemory(ForeignMemory&& other) noexcept
      : data_(other.data_), deleter_(std::exchange(other.deleter_, nullptr)) {}
  ForeignMemory& operator=(ForeignMemory&&) = delete;
  ~ForeignMemory() {
    if (deleter_ != nullptr) deleter_(data_);
  }

  void* data() const { return data_; }

 private:
  void* data_;
  std::function<void(void*)> deleter_;
};

// A tensor whose elements are those at `first`, in `memory`. `shape` is static.
StatusOr<Tensor> WrapForeign(ir::Shape shape, const void* first, ForeignMemory memory);

// Whether an address is a multiple of what kernels expect of elements of `dtype`: their size.
bool IsAligned(const void* first, ir::DType dtype);

// Whether elements with these strides, counted in elements, lie as in a dense row-major array.
bool IsRowMajor(const ir::Shape& shape, absl::Span<const int64_t> strides);

// A tensor of its own with the elements at `first`, `first + strides[i]` elements and so on; of any
// alignment. Strides whose bytes do not fit in an address are InvalidArgument.
StatusOr<Tensor> CopyStrided(const ir::Shape& shape, const void* first,
                             absl::Span<const int64_t> strides);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_FOREIGN_MEMORY_H_
