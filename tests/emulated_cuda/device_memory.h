// File: tests/emulated_cuda/device_memory.h
//
// Device memory: allocations at addresses that are never used twice, so that an access outside of
// every live allocation is always found, use after free included. New memory is full of 0xCD.
// Pinned host memory is known under its own address.
#ifndef SWAGE_TESTS_EMULATED_CUDA_DEVICE_MEMORY_H_
#define SWAGE_TESTS_EMULATED_CUDA_DEVICE_MEMORY_H_

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "tests/emulated_cuda/kernel.h"

namespace swage::emulated_cuda {

class DeviceMemory {
 public:
  struct Range {
    uint64_t first = 0;  // device address
    uint64_t size = 0;
    uint8_t* host = nullptr;
    bool read_only = false;  // .const
    bool pinned = false;     // host memory
  };

  explicit DeviceMemory(uint64_t total_bytes) : total_(total_bytes) {}
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // The address, or 0 if there is not enough left.
  uint64_t Allocate(uint64_t bytes, bool read_only = false);
  // False if no allocation begins there.
  bool Free(uint64_t address);

  // Host memory that the device can reach: it came from aligned_alloc and is freed with this object
  // if nobody unregistered it.
  void RegisterHost(void* host, uint64_t bytes);
  bool UnregisterHost(void* host);

  // The live range that contains `address`, or null.
  const Range* Find(uint64_t address) const;
  // Where [address, address + bytes) lies on the host, or null if it is not inside one range.
  uint8_t* Host(uint64_t address, uint64_t bytes) const;
  // What is at or near an address, for messages.
  std::string Describe(uint64_t address) const;

  uint64_t total() const { return total_; }
  uint64_t used() const { return used_; }
  size_t live() const { return ranges_.size(); }

 private:
  std::map<uint64_t, Range> ranges_;  // by first address
  std::deque<Range> freed_;           // the latest, for messages
  uint64_t total_;
  uint64_t used_ = 0;
  uint64_t next_ = kGlobalWindow + 0x10000;
};

}  // namespace swage::emulated_cuda

#endif  // SWAGE_TESTS_EMULATED_CUDA_DEVICE_MEMORY_H_
