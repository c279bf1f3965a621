// cuInit, devices, contexts, error texts.
#include <cstdio>
#include <map>

#include "tests/emulated_cuda/driver.h"

using swage::emulated_cuda::CurrentContext;
using swage::emulated_cuda::Driver;
using swage::emulated_cuda::kOldDriverVersion;

namespace {

constexpr int kDriverVersion = 12080;

struct ResultRow {
  CUresult result;
  const char *name, *text;
};

const ResultRow kResults[] = {
#define EMULATED_CUDA_RESULT(name, number, text) {name, #name, text},
    EMULATED_CUDA_RESULTS(EMULATED_CUDA_RESULT)
#undef EMULATED_CUDA_RESULT
};

CUresult Look(CUresult error, const char* ResultRow::*column, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *text = nullptr;
  for (const ResultRow& row : kResults) {
    if (row.result == error) *text = row.*column;
  }
  return *text != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

EMULATED_CUDA_API cuInit(unsigned flags) {
  EMULATED_CUDA_ENTER(kNothing);
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (driver.faults.Has("no_device")) return CUDA_ERROR_NO_DEVICE;
  driver.initialised = true;
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuDriverGetVersion(int* version) {
  EMULATED_CUDA_ENTER(kNothing);
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = driver.faults.Has("driver_too_old") ? kOldDriverVersion : kDriverVersion;
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuGetErrorName(CUresult error, const char** text) {
  return Look(error, &ResultRow::name, text);
}

EMULATED_CUDA_API cuGetErrorString(CUresult error, const char** text) {
  return Look(error, &ResultRow::text, text);
}

EMULATED_CUDA_API cuDeviceGetCount(int* count) {
  EMULATED_CUDA_ENTER(kInitialised);
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *count = 1;
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuDeviceGet(CUdevice* device, int ordinal) {
  EMULATED_CUDA_ENTER(kInitialised);
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (ordinal != 0) return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuDeviceGetName(char* name, int length, CUdevice device) {
  EMULATED_CUDA_ENTER(kInitialised);
  if (name == nullptr || length <= 0) return CUDA_ERROR_INVALID_VALUE;
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  std::snprintf(name, static_cast<size_t>(length), "emulator");
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
  EMULATED_CUDA_ENTER(kInitialised);
  if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  *bytes = driver.memory->total();
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  EMULATED_CUDA_ENTER(kInitialised);
  if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  using swage::emulated_cuda::kMaxThreads;
  static const auto* const values = new std::map<int, int>{
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kMaxThreads},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, swage::emulated_cuda::kSharedPerBlock},
      {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536},
      {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
      {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1000000},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, swage::emulated_cuda::kNumMultiprocessors},
      {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 1000000},
      {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 512},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 4 << 20},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
      {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 1},
      {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 164 << 10},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
      {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
  };
  if (attribute == CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) {
    *value = driver.faults.Has("no_pools") ? 0 : 1;
  } else if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) {
    *value = driver.Capability() / 10;
  } else if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR) {
    *value = driver.Capability() % 10;
  } else if (attribute == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) {
    *value = driver.SharedPerBlockOptin();
  } else {
    // What a program asks for and the emulator has no number for is 0, as on a card without it.
    const auto found = values->find(attribute);
    *value = found == values->end() ? 0 : found->second;
  }
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  EMULATED_CUDA_ENTER(kInitialised);
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  if (driver.faults.Has("device_lost") && driver.sticky != CUDA_SUCCESS)
    return CUDA_ERROR_DEVICE_UNAVAILABLE;
  ++driver.context.retained;
  *context = &driver.context;
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  EMULATED_CUDA_ENTER(kInitialised);
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  if (driver.context.retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (--driver.context.retained == 0) driver.Reset();
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuDevicePrimaryCtxReset_v2(CUdevice device) {
  EMULATED_CUDA_ENTER(kInitialised);
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  if (driver.faults.Has("device_lost") && driver.sticky != CUDA_SUCCESS)
    return CUDA_ERROR_DEVICE_UNAVAILABLE;
  driver.Reset();
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuCtxSetCurrent(CUcontext context) {
  EMULATED_CUDA_ENTER(kInitialised);
  if (context != nullptr && context != &driver.context) return CUDA_ERROR_INVALID_CONTEXT;
  CurrentContext() = context;
  return CUDA_SUCCESS;
}

namespace {

// Without a destructor: other thread-local objects call the driver while a thread ends.
struct ContextStack {
  static constexpr int kMost = 256;
  CUcontext below[kMost];
  int depth;
};

ContextStack& StackOfThread() {
  thread_local ContextStack stack;
  return stack;
}

}  // namespace

EMULATED_CUDA_API cuCtxPushCurrent_v2(CUcontext context) {
  EMULATED_CUDA_ENTER(kInitialised);
  if (context != &driver.context) return CUDA_ERROR_INVALID_CONTEXT;
  ContextStack& stack = StackOfThread();
  if (stack.depth == ContextStack::kMost) return CUDA_ERROR_INVALID_CONTEXT;
  stack.below[stack.depth++] = CurrentContext();
  CurrentContext() = context;
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuCtxPopCurrent_v2(CUcontext* context) {
  EMULATED_CUDA_ENTER(kInitialised);
  if (CurrentContext() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (context != nullptr) *context = CurrentContext();
  ContextStack& stack = StackOfThread();
  CurrentContext() = stack.depth == 0 ? nullptr : stack.below[--stack.depth];
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuCtxSynchronize() {
  EMULATED_CUDA_ENTER(kContext);
  if (driver.AnyCapture()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  return driver.DrainAll();
}

// Beyond CUDA, for tests: the detail of the last error, and how many objects and allocations live.
extern "C" __attribute__((visibility("default"))) const char* emulatedCudaLastDetail() {
  Driver& driver = Driver::Get();
  const std::lock_guard lock(driver.mutex);
  thread_local std::string text;
  text = driver.detail;
  return text.c_str();
}

extern "C" __attribute__((visibility("default"))) size_t emulatedCudaLiveObjects() {
  Driver& driver = Driver::Get();
  const std::lock_guard lock(driver.mutex);
  return driver.streams.size() + driver.events.size() + driver.modules.size() +
         driver.graphs.size() + driver.graph_execs.size() + driver.memory->live();
}
