// File: runtime/placement.h
//
// Tensors on the device that a program runs on.
//
//   PlacedInputs inputs;
//   SWAGE_RETURN_IF_ERROR(inputs.Add(tensor, executable.memory()));   // copied if it must be
//   executable.Run(inputs.addresses(), outputs);
#ifndef SWAGE_RUNTIME_PLACEMENT_H_
#define SWAGE_RUNTIME_PLACEMENT_H_

#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "base/status.h"
#include "codegen/memory_space.h"
#include "runtime/tensor_impl.h"

namespace swage::runtime {

// Whether what lies on a device may be copied for a program that runs on the host.
enum class CopyOut : uint8_t { kNo, kYes };

class PlacedInputs {
 public:
  // Of a concrete tensor. A tensor of the host is copied for a device; one of a device for another
  // place only with `copy_out`, else it is InvalidArgument.
  Status Add(const Tensor& tensor, codegen::MemorySpace* memory, CopyOut copy_out = CopyOut::kNo) {
    const Buffer& buffer = *tensor.impl()->buffer();
    if (buffer.space() != memory) return AddCopy(tensor, memory, copy_out);
    addresses_.push_back(buffer.data());
    return OkStatus();
  }
  absl::Span<const void* const> addresses() const { return addresses_; }

 private:
  Status AddCopy(const Tensor& tensor, codegen::MemorySpace* memory, CopyOut copy_out);

  absl::InlinedVector<const void*, 16> addresses_;
  absl::InlinedVector<Tensor, 1> copies_;
};

// "cpu", or the name of the space.
std::string_view NameOf(const codegen::MemorySpace* memory);

// This very tensor if it is there.
StatusOr<Tensor> CopyTo(const Tensor& tensor, codegen::MemorySpace* memory);
StatusOr<Tensor> CopyToDevice(const Tensor& tensor, std::string_view device);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_PLACEMENT_H_
