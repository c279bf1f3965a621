// cuGetProcAddress: every function by its name without version.
#include <cstring>

#include "tests/emulated_cuda/driver.h"

// Name, exported function, and the CUDA version that has it in this form.
#define EMULATED_CUDA_FUNCTIONS(X)                                                            \
  X(cuCtxPopCurrent, cuCtxPopCurrent_v2, 2000)                                                \
  X(cuCtxPushCurrent, cuCtxPushCurrent_v2, 2000)                                              \
  X(cuCtxSetCurrent, cuCtxSetCurrent, 2000)                                                   \
  X(cuCtxSynchronize, cuCtxSynchronize, 2000)                                                 \
  X(cuDeviceGet, cuDeviceGet, 2000)                                                           \
  X(cuDeviceGetAttribute, cuDeviceGetAttribute, 2000)                                         \
  X(cuDeviceGetCount, cuDeviceGetCount, 2000)                                                 \
  X(cuDeviceGetName, cuDeviceGetName, 2000)                                                   \
  X(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, 2000)                            \
  X(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, 2000)                                \
  X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, 2000)                                 \
  X(cuDeviceTotalMem, cuDeviceTotalMem_v2, 2000)                                              \
  X(cuDriverGetVersion, cuDriverGetVersion, 2000)                                             \
  X(cuEventCreate, cuEventCreate, 2000)                                                       \
  X(cuEventDestroy, cuEventDestroy_v2, 2000)                                                  \
  X(cuEventElapsedTime, cuEventElapsedTime, 2000)                                             \
  X(cuEventQuery, cuEventQuery, 2000)                                                         \
  X(cuEventRecord, cuEventRecord, 2000)                                                       \
  X(cuEventSynchronize, cuEventSynchronize, 2000)                                             \
  X(cuFuncGetAttribute, cuFuncGetAttribute, 2000)                                             \
  X(cuFuncSetAttribute, cuFuncSetAttribute, 2000)                                             \
  X(cuGetErrorName, cuGetErrorName, 2000)                                                     \
  X(cuGetErrorString, cuGetErrorString, 2000)                                                 \
  X(cuGraphDestroy, cuGraphDestroy, 2000)                                                     \
  X(cuGraphExecDestroy, cuGraphExecDestroy, 2000)                                             \
  X(cuGraphGetNodes, cuGraphGetNodes, 2000)                                                   \
  X(cuGraphInstantiate, cuGraphInstantiateWithFlags, 12000)                                   \
  X(cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags, 11040)                          \
  X(cuGraphLaunch, cuGraphLaunch, 2000)                                                       \
  X(cuInit, cuInit, 2000)                                                                     \
  X(cuLaunchHostFunc, cuLaunchHostFunc, 2000)                                                 \
  X(cuLaunchKernel, cuLaunchKernel, 2000)                                                     \
  X(cuLinkAddData, cuLinkAddData_v2, 2000)                                                    \
  X(cuLinkComplete, cuLinkComplete, 2000)                                                     \
  X(cuLinkCreate, cuLinkCreate_v2, 2000)                                                      \
  X(cuLinkDestroy, cuLinkDestroy, 2000)                                                       \
  X(cuMemAlloc, cuMemAlloc_v2, 2000)                                                          \
  X(cuMemAllocAsync, cuMemAllocAsync, 11020)                                                  \
  X(cuMemFree, cuMemFree_v2, 2000)                                                            \
  X(cuMemFreeAsync, cuMemFreeAsync, 11020)                                                    \
  X(cuMemFreeHost, cuMemFreeHost, 2000)                                                       \
  X(cuMemGetInfo, cuMemGetInfo_v2, 2000)                                                      \
  X(cuMemHostAlloc, cuMemHostAlloc, 2000)                                                     \
  X(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, 2000)                                            \
  X(cuMemcpyDtoH, cuMemcpyDtoH_v2, 2000)                                                      \
  X(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, 2000)                                            \
  X(cuMemcpyHtoD, cuMemcpyHtoD_v2, 2000)                                                      \
  X(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, 2000)                                            \
  X(cuMemsetD32, cuMemsetD32_v2, 2000)                                                        \
  X(cuMemsetD32Async, cuMemsetD32Async, 2000)                                                 \
  X(cuMemsetD8Async, cuMemsetD8Async, 2000)                                                   \
  X(cuModuleGetFunction, cuModuleGetFunction, 2000)                                           \
  X(cuModuleLoadData, cuModuleLoadData, 2000)                                                 \
  X(cuModuleLoadDataEx, cuModuleLoadDataEx, 2000)                                             \
  X(cuModuleUnload, cuModuleUnload, 2000)                                                     \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor, \
    2000)                                                                                     \
  X(cuOccupancyMaxPotentialBlockSize, cuOccupancyMaxPotentialBlockSize, 2000)                 \
  X(cuStreamBeginCapture, cuStreamBeginCapture_v2, 2000)                                      \
  X(cuStreamCreate, cuStreamCreate, 2000)                                                     \
  X(cuStreamDestroy, cuStreamDestroy_v2, 2000)                                                \
  X(cuStreamEndCapture, cuStreamEndCapture, 2000)                                             \
  X(cuStreamIsCapturing, cuStreamIsCapturing, 2000)                                           \
  X(cuStreamQuery, cuStreamQuery, 2000)                                                       \
  X(cuStreamSynchronize, cuStreamSynchronize, 2000)                                           \
  X(cuStreamWaitEvent, cuStreamWaitEvent, 2000)

// Declared without their parameters: only their addresses are taken.
extern "C" {
#define EMULATED_CUDA_FUNCTION(name, function, since) void function();
EMULATED_CUDA_FUNCTIONS(EMULATED_CUDA_FUNCTION)
#undef EMULATED_CUDA_FUNCTION
}

namespace {

struct Row {
  const char* name;
  void (*function)();
  int since;
};

const Row kRows[] = {
#define EMULATED_CUDA_FUNCTION(name, function, since) {#name, &function, since},
    EMULATED_CUDA_FUNCTIONS(EMULATED_CUDA_FUNCTION)
#undef EMULATED_CUDA_FUNCTION
};

// The numbers of CUdriverProcAddressQueryResult.
enum Found : int { kFound = 0, kNotFound = 1, kTooOld = 2 };

Found Find(const char* name, int version, void** function) {
  auto& faults = swage::emulated_cuda::Driver::Get().faults;
  *function = nullptr;
  if (faults.Value("symbol_missing") == name) return kNotFound;
  const bool old_driver = faults.Has("driver_too_old");
  for (const Row& row : kRows) {
    if (std::strcmp(row.name, name) != 0) continue;
    if (row.since > version || (old_driver && row.since > swage::emulated_cuda::kOldDriverVersion))
      return old_driver ? kNotFound : kTooOld;
    *function = reinterpret_cast<void*>(row.function);
    return kFound;
  }
  return kNotFound;
}

}  // namespace

EMULATED_CUDA_API cuGetProcAddress_v2(const char* name, void** function, int version, uint64_t,
                                      int* status) {
  EMULATED_CUDA_ENTER(kNothing);
  if (name == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (std::strcmp(name, "cuGetProcAddress") == 0) {
    *function = reinterpret_cast<void*>(&cuGetProcAddress_v2);
    if (status != nullptr) *status = kFound;
    return CUDA_SUCCESS;
  }
  const Found found = Find(name, version, function);
  if (status != nullptr) *status = found;
  return found == kFound ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
