#include "codegen/cuda/stream.h"

#include "absl/strings/str_cat.h"

namespace swage::cuda {

StatusOr<Event> Event::Create(Device& device, bool timing) {
  CUevent event = nullptr;
  SWAGE_RETURN_IF_ERROR(device.Check(
      device.driver().cuEventCreate(&event, timing ? 0 : kEventDisableTiming), "cuEventCreate"));
  return Event(device, event);
}

Event::Event(Event&& other) noexcept
    : device_(other.device_), event_(std::exchange(other.event_, nullptr)) {}

Event::~Event() {
  if (event_ != nullptr && !InForkedChild()) device_->driver().cuEventDestroy(event_);
}

Status Event::Synchronize() const {
  return device_->Check(device_->driver().cuEventSynchronize(event_), "cuEventSynchronize");
}

StatusOr<float> Event::ElapsedMs(const Event& since) const {
  float ms = 0;
  SWAGE_RETURN_IF_ERROR(device_->Check(
      device_->driver().cuEventElapsedTime(&ms, since.event_, event_), "cuEventElapsedTime"));
  return ms;
}

StatusOr<Stream> Stream::Create(Device& device) {
  CUstream stream = nullptr;
  SWAGE_RETURN_IF_ERROR(
      device.Check(device.driver().cuStreamCreate(&stream, kStreamNonBlocking), "cuStreamCreate"));
  return Stream(device, stream);
}

Stream::Stream(Stream&& other) noexcept
    : device_(other.device_), stream_(std::exchange(other.stream_, nullptr)) {}

Stream::~Stream() {
  if (stream_ != nullptr && !InForkedChild()) device_->driver().cuStreamDestroy(stream_);
}

Status Stream::Synchronize() const {
  return device_->Check(device_->driver().cuStreamSynchronize(stream_), "cuStreamSynchronize");
}

Status Stream::Record(const Event& event) const {
  return device_->Check(device_->driver().cuEventRecord(event.get(), stream_), "cuEventRecord");
}

Status Stream::Wait(const Event& event) const {
  return device_->Check(device_->driver().cuStreamWaitEvent(stream_, event.get(), 0),
                        "cuStreamWaitEvent");
}

Status Stream::CopyIn(CUdeviceptr to, const void* host, int64_t bytes) const {
  if (bytes == 0) return OkStatus();
  return device_->Check(
      device_->driver().cuMemcpyHtoDAsync(to, host, static_cast<size_t>(bytes), stream_),
      "cuMemcpyHtoDAsync");
}

Status Stream::CopyOut(void* host, CUdeviceptr from, int64_t bytes) const {
  if (bytes == 0) return OkStatus();
  return device_->Check(
      device_->driver().cuMemcpyDtoHAsync(host, from, static_cast<size_t>(bytes), stream_),
      "cuMemcpyDtoHAsync");
}

Status Stream::Copy(CUdeviceptr to, CUdeviceptr from, int64_t bytes) const {
  if (bytes == 0) return OkStatus();
  return device_->Check(
      device_->driver().cuMemcpyDtoDAsync(to, from, static_cast<size_t>(bytes), stream_),
      "cuMemcpyDtoDAsync");
}

Status Stream::Fill(CUdeviceptr to, uint8_t value, int64_t bytes) const {
  if (bytes == 0) return OkStatus();
  return device_->Check(
      device_->driver().cuMemsetD8Async(to, value, static_cast<size_t>(bytes), stream_),
      "cuMemsetD8Async");
}

StatusOr<DeviceMemory> DeviceMemory::Allocate(const Stream& stream, int64_t bytes) {
  Device& device = stream.device();
  const Driver& driver = device.driver();
  CUdeviceptr pointer = 0;
  if (bytes == 0) return DeviceMemory(device, stream.get(), 0, 0);
  const auto allocate = [&] {
    return device.properties().memory_pools
               ? driver.cuMemAllocAsync(&pointer, static_cast<size_t>(bytes), stream.get())
               : driver.cuMemAlloc(&pointer, static_cast<size_t>(bytes));
  };
  CUresult result = allocate();
  if (result == kOutOfMemory) {
    // What streams have given back may only be free once they are done.
    SWAGE_RETURN_IF_ERROR(stream.Synchronize());
    result = allocate();
  }
  if (result == kOutOfMemory) {
    size_t free = 0, total = 0;
    driver.cuMemGetInfo(&free, &total);
    return Annotate(device.Check(result, "cuMemAlloc"),
                    absl::StrCat("; asked for ", bytes, " bytes, ", free, " of ", total,
                                 " are free on ", device.name()));
  }
  SWAGE_RETURN_IF_ERROR(device.Check(result, "cuMemAlloc"));
  return DeviceMemory(device, stream.get(), pointer, bytes);
}

DeviceMemory DeviceMemory::Adopt(const Stream& stream, CUdeviceptr pointer, int64_t bytes) {
  return DeviceMemory(stream.device(), stream.get(), pointer, bytes);
}

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : device_(other.device_),
      stream_(other.stream_),
      pointer_(std::exchange(other.pointer_, 0)),
      bytes_(other.bytes_) {}

DeviceMemory::~DeviceMemory() {
  if (pointer_ == 0 || InForkedChild()) return;
  const Driver& driver = device_->driver();
  // On a lost device this fails too, and its memory is gone in any case.
  if (device_->properties().memory_pools) {
    driver.cuMemFreeAsync(pointer_, stream_);
  } else {
    driver.cuMemFree(pointer_);
  }
}

StatusOr<HostMemory> HostMemory::Allocate(Device& device, int64_t bytes) {
  void* data = nullptr;
  if (bytes > 0) {
    SWAGE_RETURN_IF_ERROR(device.Check(
        device.driver().cuMemHostAlloc(&data, static_cast<size_t>(bytes), 0), "cuMemHostAlloc"));
  }
  return HostMemory(device, data, bytes);
}

HostMemory::HostMemory(HostMemory&& other) noexcept
    : device_(other.device_), data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

HostMemory::~HostMemory() {
  if (data_ != nullptr && !InForkedChild()) device_->driver().cuMemFreeHost(data_);
}

}  // namespace swage::cuda
