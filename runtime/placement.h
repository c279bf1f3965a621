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

// Whether the caller of a program needs an argument no more, so that a result may take its memory.
enum class Donate : uint8_t { kNo, kYes };

// Whether what lies on a device may be copied for a program that runs on the host.
enum class CopyOut : uint8_t { kNo, kYes };

// One run of an executable on tensors.
class ExecutableRun {
 public:
  explicit ExecutableRun(codegen::Executable& executable, CopyOut copy_out = CopyOut::kNo)
      : executable_(executable), memory_(executable.memory()), copy_out_(copy_out) {}
  // Arguments whose memory a result has are undefined from then on.
  ~ExecutableRun();
  ExecutableRun(const ExecutableRun&) = delete;
  ExecutableRun& operator=(const ExecutableRun&) = delete;

  // The next argument, a concrete tensor. One of the host is copied for a device; one of a device
  // for another place only with CopyOut::kYes, else it is InvalidArgument.
  // Of Donate::kYes: a result gets its memory where nobody else holds the tensor or its memory, and
  // the program has a result for which it may be used.
  Status Add(const Tensor& tensor, Donate donate = Donate::kNo) {
    const Buffer& buffer = *tensor.impl()->buffer();
    if (buffer.space() != memory_) return AddCopy(tensor);
    if (donate == Donate::kYes) Offer(tensor);
    inputs_.push_back(buffer.data());
    return OkStatus();
  }
  // Makes the results where the executable runs.
  Status Run();
  absl::Span<Tensor> results() { return absl::MakeSpan(results_); }
  // Arguments whose memory is that of a result.
  int donated() const { return static_cast<int>(donated_.size()); }

 private:
  // An argument whose memory may become that of a result.
  struct Offered {
    size_t input;
    int32_t output;
    const Tensor* tensor;
  };

  Status AddCopy(const Tensor& tensor);
  void Offer(const Tensor& tensor);
  // The argument whose memory this result gets; null: none.
  const Tensor* OfferFor(int32_t output, int64_t bytes) const;

  codegen::Executable& executable_;
  codegen::MemorySpace* const memory_;
  const CopyOut copy_out_;
  absl::InlinedVector<const void*, 16> inputs_;
  absl::InlinedVector<Tensor, 1> copies_;
  absl::InlinedVector<Tensor, 4> results_;
  absl::InlinedVector<Offered, 2> offered_;
  absl::InlinedVector<const Tensor*, 2> donated_;
};

// This very tensor if it is there.
StatusOr<Tensor> CopyTo(const Tensor& tensor, codegen::MemorySpace* memory);
StatusOr<Tensor> CopyToDevice(const Tensor& tensor, std::string_view device);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_PLACEMENT_H_
