#include "tests/emulated_cuda/device_memory.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace swage::emulated_cuda {
namespace {

constexpr uint64_t kAlign = 256;
constexpr size_t kFreedKept = 4096;

std::string Hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string Text(const DeviceMemory::Range& range) {
  return "the allocation of " + std::to_string(range.size) + " bytes at " + Hex(range.first);
}

}  // namespace

DeviceMemory::~DeviceMemory() {
  for (const auto& [first, range] : ranges_) std::free(range.host);
}

uint64_t DeviceMemory::Allocate(uint64_t bytes, bool read_only) {
  const uint64_t rounded = (bytes + kAlign - 1) / kAlign * kAlign;
  if (bytes == 0 || rounded < bytes || rounded > total_ - used_) return 0;
  void* const host = std::aligned_alloc(kAlign, rounded);
  if (host == nullptr) return 0;
  std::memset(host, 0xCD, rounded);
  const uint64_t first = next_;
  next_ += rounded + kAlign;  // a gap: the end of one is never the start of the next
  used_ += rounded;
  ranges_[first] = Range{first, bytes, static_cast<uint8_t*>(host), read_only};
  return first;
}

bool DeviceMemory::Free(uint64_t address) {
  const auto found = ranges_.find(address);
  if (found == ranges_.end() || found->second.pinned) return false;
  const Range range = found->second;
  ranges_.erase(found);
  used_ -= (range.size + kAlign - 1) / kAlign * kAlign;
  std::free(range.host);
  freed_.push_back(range);
  if (freed_.size() > kFreedKept) freed_.pop_front();
  return true;
}

void DeviceMemory::RegisterHost(void* host, uint64_t bytes) {
  const uint64_t first = reinterpret_cast<uint64_t>(host);
  ranges_[first] = Range{first, bytes, static_cast<uint8_t*>(host), false, true};
}

bool DeviceMemory::UnregisterHost(void* host) {
  const auto found = ranges_.find(reinterpret_cast<uint64_t>(host));
  if (found == ranges_.end() || !found->second.pinned) return false;
  ranges_.erase(found);
  return true;
}

const DeviceMemory::Range* DeviceMemory::Find(uint64_t address) const {
  auto next = ranges_.upper_bound(address);
  if (next == ranges_.begin()) return nullptr;
  const Range& range = std::prev(next)->second;
  return address - range.first < range.size ? &range : nullptr;
}

uint8_t* DeviceMemory::Host(uint64_t address, uint64_t bytes) const {
  const Range* const range = Find(address);
  if (range == nullptr || bytes > range->size - (address - range->first)) return nullptr;
  return range->host + (address - range->first);
}

std::string DeviceMemory::Describe(uint64_t address) const {
  if (const Range* range = Find(address)) {
    return Hex(address) + " is " + std::to_string(range->size - (address - range->first)) +
           " bytes before the end of " + Text(*range);
  }
  for (auto freed = freed_.rbegin(); freed != freed_.rend(); ++freed) {
    if (address - freed->first < freed->size)
      return Hex(address) + " is in " + Text(*freed) + ", which was freed";
  }
  const auto next = ranges_.upper_bound(address);
  std::string text = Hex(address) + " is in no allocation";
  if (next != ranges_.begin()) {
    const Range& before = std::prev(next)->second;
    text += "; it is " + std::to_string(address - before.first - before.size) + " bytes behind " +
            Text(before);
  }
  if (next != ranges_.end() && next->first - address < 4096) {
    text +=
        "; it is " + std::to_string(next->first - address) + " bytes before " + Text(next->second);
  }
  return text;
}

}  // namespace swage::emulated_cuda
