// Allocations, copies, memset.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "tests/emulated_cuda/driver.h"

using swage::emulated_cuda::DeviceMemory;
using swage::emulated_cuda::Driver;

namespace {

bool IsPinned(Driver& driver, const void* host) {
  const DeviceMemory::Range* const range = driver.memory->Find(reinterpret_cast<uint64_t>(host));
  return range != nullptr && range->pinned;
}

CUresult BadRange(Driver& driver, uint64_t address, size_t bytes) {
  return driver.Report(CUDA_ERROR_INVALID_VALUE, "a copy or memset of " + std::to_string(bytes) +
                                                     " bytes: " + driver.memory->Describe(address));
}

CUresult Allocate(Driver& driver, CUdeviceptr* pointer, size_t bytes) {
  if (pointer == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  *pointer = 0;
  if (driver.faults.Hit("oom"))
    return driver.Report(CUDA_ERROR_OUT_OF_MEMORY,
                         "allocation of " + std::to_string(bytes) + " bytes (injected)");
  *pointer = driver.memory->Allocate(bytes);
  // Memory that is freed in stream order may still be waiting.
  if (*pointer == 0 && !driver.AnyCapture() && driver.DrainAll() == CUDA_SUCCESS)
    *pointer = driver.memory->Allocate(bytes);
  if (*pointer != 0) return CUDA_SUCCESS;
  return driver.Report(CUDA_ERROR_OUT_OF_MEMORY,
                       std::to_string(bytes) + " bytes are asked for, " +
                           std::to_string(driver.memory->total() - driver.memory->used()) +
                           " are left");
}

// A device or pinned address as work sees it when it runs.
uint8_t* Resolve(uint64_t address, size_t bytes) {
  Driver& driver = Driver::Get();
  if (uint8_t* const host = driver.memory->Host(address, bytes)) return host;
  driver.Break(CUDA_ERROR_ILLEGAL_ADDRESS, "a copy or memset of " + std::to_string(bytes) +
                                               " bytes: " + driver.memory->Describe(address));
  return nullptr;
}

CUresult ToDevice(Driver& driver, CUdeviceptr to, const void* from, size_t bytes,
                  EmulatedStream* stream) {
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (bytes == 0) return CUDA_SUCCESS;
  if (from == nullptr || driver.memory->Host(to, bytes) == nullptr)
    return BadRange(driver, to, bytes);
  // Pageable memory is read at once, pinned memory when the copy runs.
  std::shared_ptr<std::vector<uint8_t>> staged;
  if (!IsPinned(driver, from)) {
    const auto* const begin = static_cast<const uint8_t*>(from);
    staged = std::make_shared<std::vector<uint8_t>>(begin, begin + bytes);
  }
  return driver.Enqueue(stream, [=] {
    uint8_t* const host = Resolve(to, bytes);
    if (host != nullptr) std::memcpy(host, staged ? staged->data() : from, bytes);
    return CUDA_SUCCESS;
  });
}

CUresult ToHost(Driver& driver, void* to, CUdeviceptr from, size_t bytes, EmulatedStream* stream) {
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (bytes == 0) return CUDA_SUCCESS;
  if (to == nullptr || driver.memory->Host(from, bytes) == nullptr)
    return BadRange(driver, from, bytes);
  const bool pinned = IsPinned(driver, to);
  if (!pinned && stream->capture != nullptr) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  const CUresult result = driver.Enqueue(stream, [=] {
    const uint8_t* const host = Resolve(from, bytes);
    if (host != nullptr) std::memcpy(to, host, bytes);
    return CUDA_SUCCESS;
  });
  return pinned ? result : driver.Drain(stream);
}

CUresult WithinDevice(Driver& driver, CUdeviceptr to, CUdeviceptr from, size_t bytes,
                      EmulatedStream* stream) {
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (bytes == 0) return CUDA_SUCCESS;
  if (driver.memory->Host(to, bytes) == nullptr) return BadRange(driver, to, bytes);
  if (driver.memory->Host(from, bytes) == nullptr) return BadRange(driver, from, bytes);
  return driver.Enqueue(stream, [=] {
    uint8_t* const target = Resolve(to, bytes);
    const uint8_t* const source = Resolve(from, bytes);
    if (target != nullptr && source != nullptr) std::memmove(target, source, bytes);
    return CUDA_SUCCESS;
  });
}

template <typename T>
CUresult Fill(Driver& driver, CUdeviceptr to, T value, size_t count, EmulatedStream* stream) {
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (count == 0) return CUDA_SUCCESS;
  const size_t bytes = count * sizeof(T);
  if (to % sizeof(T) != 0 || driver.memory->Host(to, bytes) == nullptr)
    return BadRange(driver, to, bytes);
  return driver.Enqueue(stream, [=] {
    uint8_t* const host = Resolve(to, bytes);
    for (size_t i = 0; host != nullptr && i < count; ++i)
      std::memcpy(host + i * sizeof(T), &value, sizeof(T));
    return CUDA_SUCCESS;
  });
}

CUresult Finished(Driver& driver, CUresult result) {
  return result != CUDA_SUCCESS ? result : driver.Drain(&driver.default_stream);
}

}  // namespace

EMULATED_CUDA_API cuMemAlloc_v2(CUdeviceptr* pointer, size_t bytes) {
  EMULATED_CUDA_ENTER(kContext);
  return Allocate(driver, pointer, bytes);
}

EMULATED_CUDA_API cuMemFree_v2(CUdeviceptr pointer) {
  EMULATED_CUDA_ENTER(kContext);
  if (pointer == 0) return CUDA_SUCCESS;
  if (const CUresult result = driver.DrainAll(); result != CUDA_SUCCESS) return result;
  if (!driver.memory->Free(pointer))
    return driver.Report(CUDA_ERROR_INVALID_VALUE, "free: " + driver.memory->Describe(pointer));
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuMemAllocAsync(CUdeviceptr* pointer, size_t bytes, CUstream handle) {
  EMULATED_CUDA_ENTER(kContext);
  if (driver.faults.Has("no_pools")) return CUDA_ERROR_NOT_SUPPORTED;
  EmulatedStream* const stream = driver.Find(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture != nullptr) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  return Allocate(driver, pointer, bytes);
}

EMULATED_CUDA_API cuMemFreeAsync(CUdeviceptr pointer, CUstream handle) {
  EMULATED_CUDA_ENTER(kContext);
  if (driver.faults.Has("no_pools")) return CUDA_ERROR_NOT_SUPPORTED;
  EmulatedStream* const stream = driver.Find(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture != nullptr) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  const DeviceMemory::Range* const range = driver.memory->Find(pointer);
  if (range == nullptr || range->first != pointer || range->pinned ||
      !driver.freeing.insert(pointer).second) {
    return driver.Report(CUDA_ERROR_INVALID_VALUE, "free: " + driver.memory->Describe(pointer));
  }
  return driver.Enqueue(stream, [pointer] {
    Driver::Get().freeing.erase(pointer);
    Driver::Get().memory->Free(pointer);
    return CUDA_SUCCESS;
  });
}

EMULATED_CUDA_API cuMemGetInfo_v2(size_t* free_bytes, size_t* total) {
  EMULATED_CUDA_ENTER(kContext);
  if (free_bytes == nullptr || total == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *total = driver.memory->total();
  *free_bytes = driver.memory->total() - driver.memory->used();
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuMemHostAlloc(void** pointer, size_t bytes, unsigned) {
  EMULATED_CUDA_ENTER(kContext);
  if (pointer == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  *pointer = nullptr;
  if (driver.faults.Hit("oom"))
    return driver.Report(CUDA_ERROR_OUT_OF_MEMORY,
                         "pinned allocation of " + std::to_string(bytes) + " bytes (injected)");
  *pointer = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (*pointer == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  driver.memory->RegisterHost(*pointer, bytes);
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuMemFreeHost(void* pointer) {
  EMULATED_CUDA_ENTER(kInitialised);
  driver.DrainAll();
  if (!driver.memory->UnregisterHost(pointer)) return CUDA_ERROR_INVALID_VALUE;
  std::free(pointer);
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes,
                                       CUstream stream) {
  EMULATED_CUDA_ENTER(kContext);
  return ToDevice(driver, to, from, bytes, driver.Find(stream));
}

EMULATED_CUDA_API cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  EMULATED_CUDA_ENTER(kContext);
  return ToHost(driver, to, from, bytes, driver.Find(stream));
}

EMULATED_CUDA_API cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                       CUstream stream) {
  EMULATED_CUDA_ENTER(kContext);
  return WithinDevice(driver, to, from, bytes, driver.Find(stream));
}

EMULATED_CUDA_API cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
  EMULATED_CUDA_ENTER(kContext);
  return Finished(driver, ToDevice(driver, to, from, bytes, &driver.default_stream));
}

EMULATED_CUDA_API cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
  EMULATED_CUDA_ENTER(kContext);
  return Finished(driver, ToHost(driver, to, from, bytes, &driver.default_stream));
}

EMULATED_CUDA_API cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count,
                                  CUstream stream) {
  EMULATED_CUDA_ENTER(kContext);
  return Fill(driver, to, value, count, driver.Find(stream));
}

EMULATED_CUDA_API cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  EMULATED_CUDA_ENTER(kContext);
  return Fill(driver, to, value, count, driver.Find(stream));
}

EMULATED_CUDA_API cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count) {
  EMULATED_CUDA_ENTER(kContext);
  return Finished(driver, Fill(driver, to, value, count, &driver.default_stream));
}
