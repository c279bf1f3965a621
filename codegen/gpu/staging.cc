#include "codegen/gpu/staging.h"

#include <utility>

namespace swage::gpu {

StatusOr<void*> Staging::Take(cuda::Device& device, int64_t bytes) {
  constexpr int64_t kAlignment = 256;
  SWAGE_RET_CHECK(bytes > 0 && bytes <= kBytes, bytes);
  if (!memory_.has_value()) {
    while (done_.size() < 2) {
      SWAGE_ASSIGN_OR_RETURN(cuda::Event event, cuda::Event::Create(device));
      done_.push_back(std::move(event));
    }
    SWAGE_ASSIGN_OR_RETURN(cuda::HostMemory memory, cuda::HostMemory::Allocate(device, 2 * kBytes));
    memory_.emplace(std::move(memory));
  }
  if (taken_ + bytes > kBytes) {
    half_ = 1 - half_;
    taken_ = 0;
    SWAGE_RETURN_IF_ERROR(done_[half_].Synchronize());
  }
  char* const pinned = static_cast<char*>(memory_->data()) + half_ * kBytes + taken_;
  taken_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  return static_cast<void*>(pinned);
}

void Staging::Reset() {
  memory_.reset();
  done_.clear();
}

}  // namespace swage::gpu
