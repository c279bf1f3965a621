#include "runtime/buffer.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "base/check_mode.h"

namespace swage::runtime {
namespace {

constexpr int64_t kAlignment = 64;

int64_t MachineBytes() {
  static const int64_t bytes =
      static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<int64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// The guard page touches the last byte only when the size is a multiple of the alignment.
int64_t AlignmentDividing(int64_t bytes) {
  int64_t alignment = kAlignment;
  while (bytes % alignment != 0) alignment /= 2;
  return alignment;
}

StatusOr<std::shared_ptr<Buffer>> AllocateGuarded(int64_t bytes) {
  static std::atomic<unsigned> turn{0};
  const GuardSide side = turn.fetch_add(1) % 2 == 0 ? GuardSide::kEnd : GuardSide::kStart;
  SWAGE_ASSIGN_OR_RETURN(GuardedBuffer guard,
                         GuardedBuffer::Create(bytes, AlignmentDividing(bytes), side));
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
  const int64_t rounded = std::max((bytes + kAlignment - 1) / kAlignment, int64_t{1}) * kAlignment;
  void* data = std::aligned_alloc(kAlignment, rounded);
  if (data == nullptr) {
    return ResourceExhausted("[memory] a tensor of ", bytes, " bytes could not be allocated");
  }
  return std::make_shared<Buffer>(data, bytes);
}

Buffer::~Buffer() {
  if (!guard_.has_value()) {
    std::free(data_);
  } else if (const Status intact = guard_->Check(); !intact.ok()) {
    Fatal(__FILE__, __LINE__, ToStd(intact.message()));
  }
}

}  // namespace swage::runtime
