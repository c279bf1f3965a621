// File: runtime/placement.h
//
// Tensors on the device that a program runs on.
//
//   ExecutableRun run(executable);
//   SWAGE_RETURN_IF_ERROR(run.Add(tensor));   // copied if it must be
//   SWAGE_RETURN_IF_ERROR(run.Run());
//   ... run.results() ...
#ifndef SWAGE_RUNTIME_PLACEMENT_H_
#define SWAGE_RUNTIME_PLACEMENT_H_

#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "base/status.h"
#include "codegen/executable.h"
#include "codegen/memory_space.h"
#include "runtime/tensor_impl.h"

namespace swage::runtime {

// Whether what lies on a device may be copied for a program that runs on the host.
enum class CopyOut : uint8_t { kNo, kYes };

// One run of an executable on tensors.
class ExecutableRun {
 public:
  explicit ExecutableRun(codegen::Executable& executable, CopyOut copy_out = CopyOut::kNo)
      : executable_(executable), memory_(executable.memory()), copy_out_(copy_out) {}

  // The next argument, a concrete tensor. One of the host is copied for a device; one of a device
  // for another place only with CopyOut::kYes, else it is InvalidArgument.
  Status Add(const Tensor& tensor) {
    const Buffer& buffer = *tensor.impl()->buffer();
    if (buffer.space() != memory_) return AddCopy(tensor);
    inputs_.push_back(buffer.data());
    return OkStatus();
  }
  // Makes the results where the executable runs.
  Status Run();
  absl::Span<Tensor> results() { return absl::MakeSpan(results_); }

 private:
  Status AddCopy(const Tensor& tensor);

  codegen::Executable& executable_;
  codegen::MemorySpace* const memory_;
  const CopyOut copy_out_;
  absl::InlinedVector<const void*, 16> inputs_;
  absl::InlinedVector<Tensor, 1> copies_;
  absl::InlinedVector<Tensor, 4> results_;
};

// This very tensor if it is there.
StatusOr<Tensor> CopyTo(const Tensor& tensor, codegen::MemorySpace* memory);
StatusOr<Tensor> CopyToDevice(const Tensor& tensor, std::string_view device);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_PLACEMENT_H_
