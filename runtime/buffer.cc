#include "runtime/buffer.h"

#include <unistd.h>

#include "base/block_pool.h"
#include "base/check_mode.h"

namespace swage::runtime {
namespace {

constexpr int64_t kAlignment = kBlockAlignment;
// Behind a Buffer and its counters: the way to the next multiple of the alignment.
constexpr int64_t kSlack = kAlignment;

int64_t MachineBytes() {
  static const int64_t bytes =
      static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<int64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

StatusOr<std::shared_ptr<Buffer>> AllocateGuarded(int64_t bytes) {
  SWAGE_ASSIGN_OR_RETURN(GuardedBuffer guard, CheckMode::Get().Guarded(bytes));
  return std::make_shared<Buffer>(std::move(guard));
}

}  // namespace

StatusOr<std::shared_ptr<Buffer>> Buffer::Allocate(int64_t bytes) {
  SWAGE_RET_CHECK(bytes >= 0, bytes);
  if (bytes > MachineBytes()) {
    return ResourceExhausted("[memory] a tensor of ", bytes,
                             " bytes cannot be allocated, this machine has ", MachineBytes());
  }
  if (CheckMode::Get().memory) return AllocateGuarded(bytes);
  if (bytes + kSlack <= static_cast<int64_t>(kSmallBlock / 2)) {
    return std::allocate_shared<Buffer>(BlockAllocator<Buffer>(bytes + kSlack), Place::kBehind,
                                        nullptr, bytes);
  }
  void* data = TakeBlock(bytes);
  if (data == nullptr) {
    return ResourceExhausted("[memory] a tensor of ", bytes, " bytes could not be allocated");
  }
  return std::allocate_shared<Buffer>(BlockAllocator<Buffer>(), Place::kApart, data, bytes);
}

StatusOr<std::shared_ptr<Buffer>> Buffer::AllocateIn(codegen::MemorySpace& space, int64_t bytes) {
  SWAGE_ASSIGN_OR_RETURN(void* data, space.Allocate(bytes));
  return std::allocate_shared<Buffer>(BlockAllocator<Buffer>(), space, data, bytes);
}

Buffer::Buffer(Place place, void* data, int64_t size) : place_(place), data_(data), size_(size) {
  if (place != Place::kBehind) return;
  const auto end = reinterpret_cast<uintptr_t>(this + 1);
  data_ = reinterpret_cast<void*>((end + kAlignment - 1) / kAlignment * kAlignment);
}

DerivedForms& Buffer::forms() {
  DerivedForms* forms = forms_.load(std::memory_order_acquire);
  if (forms != nullptr) return *forms;
  auto made = std::make_unique<DerivedForms>();
  if (forms_.compare_exchange_strong(forms, made.get(), std::memory_order_acq_rel)) {
    return *made.release();
  }
  return *forms;
}

Buffer::~Buffer() {
  delete forms_.load(std::memory_order_relaxed);
  if (place_ == Place::kApart) GiveBlock(data_, size_);
  if (place_ == Place::kDevice && data_ != nullptr) space_->Free(data_, size_);
  if (place_ != Place::kGuarded) return;
  if (const Status intact = guard_->Check(); !intact.ok()) {
    Fatal(__FILE__, __LINE__, ToStd(intact.message()));
  }
}

}  // namespace swage::runtime
