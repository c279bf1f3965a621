// File: codegen/cuda/device.h
//
// A GPU: its properties, its context, and whether it still works.
//
//   SWAGE_ASSIGN_OR_RETURN(Device* gpu, Device::Get(0));
//   const ContextScope scope(*gpu);              // calls of this thread mean this device
//   SWAGE_RETURN_IF_ERROR(gpu->Check(gpu->driver().cuStreamSynchronize(stream), "..."));
//
// An error after which a context is of no use (an illegal address, a lost device) marks the Device:
// what follows is an error that names the first cause, and the process goes on. All methods may be
// called from any thread.
#ifndef SWAGE_CODEGEN_CUDA_DEVICE_H_
#define SWAGE_CODEGEN_CUDA_DEVICE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/status.h"
#include "codegen/cuda/driver.h"

namespace swage::cuda {

class Blas;

struct DeviceProperties {
  std::string name;
  int major = 0, minor = 0;  // compute capability
  int multiprocessors = 0;
  int threads_per_block = 0;
  int threads_per_multiprocessor = 0;
  int registers_per_multiprocessor = 0;
  int64_t shared_bytes_per_block = 0;  // of a kernel that asks for more than the default
  int64_t shared_bytes_per_multiprocessor = 0;
  int64_t l2_bytes = 0;
  int64_t memory_bytes = 0;
  double clock_ghz = 0;
  double memory_gb_per_s = 0;  // by clock and width of the bus; 0: the driver does not say
  bool memory_pools = false;   // memory comes and goes in the order of a stream
};

class Device {
 public:
  // The one with this number, opened once for the process. Unavailable without a driver or device.
  static StatusOr<Device*> Get(int ordinal);
  // Of another driver, for tests; `driver` must outlive it.
  static StatusOr<std::unique_ptr<Device>> Open(const Driver& driver, int ordinal);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const Driver& driver() const { return driver_; }
  const DeviceProperties& properties() const { return properties_; }
  CUcontext context() const { return context_; }
  std::string name() const;  // "cuda:0"

  // Driver::Check; remembers an error that the context does not survive.
  Status Check(CUresult result, std::string_view what);
  // Unavailable with the first such error, and in a child that was forked since.
  Status Usable() const;

 private:
  friend class Blas;
  Device(const Driver& driver, int ordinal) : driver_(driver), ordinal_(ordinal) {}
  Status ReadProperties();

  const Driver& driver_;
  const int ordinal_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  DeviceProperties properties_;
  std::atomic<bool> lost_{false};
  mutable std::mutex mutex_;  // guards cause_
  Status cause_;
  std::mutex blas_mutex_;                           // guards blas_
  StatusOr<std::shared_ptr<Blas>> blas_ = nullptr;  // null: nobody asked
};

// Makes the device's context that of this thread, while it lives.
class ContextScope {
 public:
  explicit ContextScope(Device& device);
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;
  const Status& status() const { return status_; }

 private:
  Device& device_;
  Status status_;
};

}  // namespace swage::cuda

#endif  // SWAGE_CODEGEN_CUDA_DEVICE_H_
