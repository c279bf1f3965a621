#include "codegen/cuda/device.h"

#include <map>

#include "absl/strings/str_cat.h"

namespace swage::cuda {

StatusOr<Device*> Device::Get(int ordinal) {
  static auto* const mutex = new std::mutex;
  static auto* const devices = new std::map<int, std::unique_ptr<Device>>;
  SWAGE_ASSIGN_OR_RETURN(const Driver* driver, Driver::Get());
  const std::lock_guard<std::mutex> lock(*mutex);
  std::unique_ptr<Device>& device = (*devices)[ordinal];
  if (device == nullptr) {
    SWAGE_ASSIGN_OR_RETURN(device, Open(*driver, ordinal));
  }
  return device.get();
}

StatusOr<std::unique_ptr<Device>> Device::Open(const Driver& driver, int ordinal) {
  int count = 0;
  SWAGE_RETURN_IF_ERROR(driver.Check(driver.cuDeviceGetCount(&count), "cuDeviceGetCount"));
  if (ordinal < 0 || ordinal >= count) {
    return absl::UnavailableError(absl::StrCat("[cuda] got the device cuda:", ordinal,
                                               ", expected a number below ", count,
                                               ": so many devices are there"));
  }
  auto device = std::unique_ptr<Device>(new Device(driver, ordinal));
  SWAGE_RETURN_IF_ERROR(driver.Check(driver.cuDeviceGet(&device->device_, ordinal), "cuDeviceGet"));
  SWAGE_RETURN_IF_ERROR(device->ReadProperties());
  SWAGE_RETURN_IF_ERROR(
      driver.Check(driver.cuDevicePrimaryCtxRetain(&device->context_, device->device_),
                   "cuDevicePrimaryCtxRetain"));
  return device;
}

Device::~Device() {
  blas_ = nullptr;  // while there is a context
  // What it says of a lost device is of no use to anybody.
  if (context_ != nullptr && !InForkedChild()) driver_.cuDevicePrimaryCtxRelease(device_);
}

Status Device::ReadProperties() {
  char name[256] = {};
  SWAGE_RETURN_IF_ERROR(
      driver_.Check(driver_.cuDeviceGetName(name, sizeof(name) - 1, device_), "cuDeviceGetName"));
  properties_.name = name;
  size_t bytes = 0;
  SWAGE_RETURN_IF_ERROR(
      driver_.Check(driver_.cuDeviceTotalMem(&bytes, device_), "cuDeviceTotalMem"));
  properties_.memory_bytes = static_cast<int64_t>(bytes);
  Status status;
  const auto read = [&](DeviceAttribute attribute) {
    int value = 0;
    status.Update(driver_.Check(driver_.cuDeviceGetAttribute(&value, attribute, device_),
                                "cuDeviceGetAttribute"));
    return value;
  };
  using A = DeviceAttribute;
  properties_.major = read(A::kComputeMajor);
  properties_.minor = read(A::kComputeMinor);
  properties_.multiprocessors = read(A::kMultiprocessors);
  properties_.threads_per_block = read(A::kMaxThreadsPerBlock);
  properties_.threads_per_multiprocessor = read(A::kThreadsPerMultiprocessor);
  properties_.registers_per_multiprocessor = read(A::kRegistersPerMultiprocessor);
  properties_.shared_bytes_per_block = read(A::kSharedBytesPerBlockOptIn);
  properties_.shared_bytes_per_multiprocessor = read(A::kSharedBytesPerMultiprocessor);
  properties_.l2_bytes = read(A::kL2Bytes);
  properties_.clock_ghz = read(A::kClockKilohertz) * 1e-6;
  properties_.memory_pools = driver_.cuMemAllocAsync != nullptr &&
                             driver_.cuMemFreeAsync != nullptr &&
                             read(A::kMemoryPoolsSupported) != 0;
  // Two transfers in a clock.
  properties_.memory_gb_per_s =
      2e3 * read(A::kMemoryClockKilohertz) * (read(A::kMemoryBusBits) / 8.0) * 1e-9;
  return status;
}

std::string Device::name() const { return absl::StrCat("cuda:", ordinal_); }

Status Device::Check(CUresult result, std::string_view what) {
  if (result == kSuccess) return OkStatus();
  const Status status = driver_.Check(result, what);
  if (IsSticky(result)) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (cause_.ok()) cause_ = status;
    lost_.store(true, std::memory_order_release);
  }
  return status;
}

Status Device::Usable() const {
  if (InForkedChild()) {
    return absl::UnavailableError(
        absl::StrCat(name(),
                     " was opened before fork(), expected a process that opens it itself; "
                     "fork before the first use of a GPU"));
  }
  if (!lost_.load(std::memory_order_acquire)) return OkStatus();
  const std::lock_guard<std::mutex> lock(mutex_);
  return absl::UnavailableError(
      absl::StrCat(name(), " is of no use since an earlier error: ", cause_.message(),
                   "; restart the process, under SWAGE_CHECK=memory if a kernel is at fault: it "
                   "names the step"));
}

ContextScope::ContextScope(Device& device) : device_(device) {
  status_ = device.Usable();
  if (!status_.ok()) return;
  status_ = device.Check(device.driver().cuCtxPushCurrent(device.context()), "cuCtxPushCurrent");
}

ContextScope::~ContextScope() {
  CUcontext context = nullptr;
  if (status_.ok() && !InForkedChild()) device_.driver().cuCtxPopCurrent(&context);
}

}  // namespace swage::cuda
