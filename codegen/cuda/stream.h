// File: codegen/cuda/stream.h
//
// Work on a device in order: streams, the events between them, and memory that comes and goes with
// them. A ContextScope of the device must be open in the thread.
//
//   SWAGE_ASSIGN_OR_RETURN(Stream stream, Stream::Create(device));
//   SWAGE_ASSIGN_OR_RETURN(DeviceMemory x, DeviceMemory::Allocate(stream, bytes));
//   SWAGE_RETURN_IF_ERROR(stream.CopyIn(x.pointer(), host, bytes));
//   ... launch ...
//   SWAGE_RETURN_IF_ERROR(stream.CopyOut(host, x.pointer(), bytes));
//   SWAGE_RETURN_IF_ERROR(stream.Synchronize());
//
// A Stream is for one thread at a time.
#ifndef SWAGE_CODEGEN_CUDA_STREAM_H_
#define SWAGE_CODEGEN_CUDA_STREAM_H_

#include <cstdint>
#include <utility>

#include "base/status.h"
#include "codegen/cuda/device.h"

namespace swage::cuda {

class Event {
 public:
  // `timing`: for ElapsedMs; without it an event costs less.
  static StatusOr<Event> Create(Device& device, bool timing = false);
  ~Event();
  Event(Event&& other) noexcept;
  Event& operator=(Event&&) = delete;

  CUevent get() const { return event_; }
  Status Synchronize() const;
  // Between two events with timing that have happened, in ms.
  StatusOr<float> ElapsedMs(const Event& since) const;

 private:
  Event(Device& device, CUevent event) : device_(&device), event_(event) {}
  Device* device_;
  CUevent event_;
};

class Stream {
 public:
  static StatusOr<Stream> Create(Device& device);
  // Waits for nothing; the driver finishes what was begun.
  ~Stream();
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&&) = delete;

  Device& device() const { return *device_; }
  CUstream get() const { return stream_; }

  // Errors of what runs in the stream come up here, or in any later call.
  Status Synchronize() const;
  Status Record(const Event& event) const;
  // What follows waits for the event.
  Status Wait(const Event& event) const;

  // `host` of the copies should be pinned (HostMemory), or they are not asynchronous; it must stay
  // until the copy is done.
  Status CopyIn(CUdeviceptr to, const void* host, int64_t bytes) const;
  Status CopyOut(void* host, CUdeviceptr from, int64_t bytes) const;
  Status Copy(CUdeviceptr to, CUdeviceptr from, int64_t bytes) const;
  Status Fill(CUdeviceptr to, uint8_t value, int64_t bytes) const;

 private:
  Stream(Device& device, CUstream stream) : device_(&device), stream_(stream) {}
  Device* device_;
  CUstream stream_;
};

// Memory of the device, from its pool where it has one. It is given back in the order of the
// stream: work that was begun before may still use it. Without a pool that waits for all work of
// the device.
class DeviceMemory {
 public:
  // ResourceExhausted also after what is free in the pool was given up; 0 bytes are no allocation.
  static StatusOr<DeviceMemory> Allocate(const Stream& stream, int64_t bytes);
  // What Release gave, of this size.
  static DeviceMemory Adopt(const Stream& stream, CUdeviceptr pointer, int64_t bytes);
  ~DeviceMemory();
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&&) = delete;

  CUdeviceptr pointer() const { return pointer_; }
  // It belongs to the caller now.
  CUdeviceptr Release() { return std::exchange(pointer_, 0); }
  int64_t bytes() const { return bytes_; }

 private:
  DeviceMemory(Device& device, CUstream stream, CUdeviceptr pointer, int64_t bytes)
      : device_(&device), stream_(stream), pointer_(pointer), bytes_(bytes) {}
  Device* device_;
  CUstream stream_;
  CUdeviceptr pointer_;
  int64_t bytes_;
};

// Pinned memory of the host.
class HostMemory {
 public:
  static StatusOr<HostMemory> Allocate(Device& device, int64_t bytes);
  ~HostMemory();
  HostMemory(HostMemory&& other) noexcept;
  HostMemory& operator=(HostMemory&&) = delete;

  void* data() const { return data_; }
  int64_t bytes() const { return bytes_; }

 private:
  HostMemory(Device& device, void* data, int64_t bytes)
      : device_(&device), data_(data), bytes_(bytes) {}
  Device* device_;
  void* data_;
  int64_t bytes_;
};

}  // namespace swage::cuda

#endif  // SWAGE_CODEGEN_CUDA_STREAM_H_
