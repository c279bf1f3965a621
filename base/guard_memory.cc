#include "base/guard_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace swage {
namespace {

constexpr uint8_t kPattern = 0xd5;

size_t PageSize() {
  static const size_t size = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

}  // namespace

StatusOr<GuardedBuffer> GuardedBuffer::Create(size_t bytes, size_t alignment, GuardSide side) {
  const size_t page = PageSize();
  if (!std::has_single_bit(alignment) || alignment > 4096) {
    return InvalidArgument("[memory] an alignment of ", alignment,
                           ", expected a power of two up to 4096");
  }
  if (bytes > SIZE_MAX / 2) {
    return ResourceExhausted("[memory] cannot allocate ", bytes, " guarded bytes");
  }
  const size_t inner = std::max(page, (bytes + page - 1) / page * page);
  const size_t mapped = inner + 2 * page;
  void* mapping = ::mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) {
    return ResourceExhausted("[memory] cannot allocate ", bytes, " guarded bytes");
  }
  uint8_t* start = static_cast<uint8_t*>(mapping) + page;
  if (::mprotect(start, inner, PROT_READ | PROT_WRITE) != 0) {
    ::munmap(mapping, mapped);
    return ResourceExhausted("[memory] cannot allocate ", bytes, " guarded bytes");
  }
  const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  uint8_t* data = side == GuardSide::kStart ? start : start + inner - rounded;
  std::memset(start, kPattern, inner);
  return GuardedBuffer(static_cast<uint8_t*>(mapping), mapped, data, bytes);
}

GuardedBuffer::GuardedBuffer(GuardedBuffer&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      mapped_(std::exchange(other.mapped_, 0)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

GuardedBuffer& GuardedBuffer::operator=(GuardedBuffer&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapped_, other.mapped_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

GuardedBuffer::~GuardedBuffer() {
  if (mapping_ != nullptr) ::munmap(mapping_, mapped_);
}

Status GuardedBuffer::Check() const {
  if (mapping_ == nullptr) return OkStatus();
  const uint8_t* begin = mapping_ + PageSize();
  const uint8_t* end = mapping_ + mapped_ - PageSize();
  const auto changed = [](uint8_t byte) { return byte != kPattern; };
  const uint8_t* hit = std::find_if(begin, static_cast<const uint8_t*>(data_), changed);
  if (hit == data_) {
    hit = std::find_if(static_cast<const uint8_t*>(data_) + size_, end, changed);
    if (hit == end) return OkStatus();
  }
  return Internal("[memory] a write outside a buffer of ", size_, " bytes, at byte offset ",
                  static_cast<int64_t>(hit - data_));
}

}  // namespace swage
