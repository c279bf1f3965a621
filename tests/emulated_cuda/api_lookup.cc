// cuGetProcAddress: every function by its name without version.
#include <cstring>

#include "tests/emulated_cuda/driver.h"

// Declared without their parameters: only their addresses are taken.
extern "C" {
void cuCtxGetCurrent();
void cuCtxGetDevice();
void cuCtxGetStreamPriorityRange();
void cuCtxPopCurrent_v2();
void cuCtxPushCurrent_v2();
void cuCtxSetCurrent();
void cuCtxSynchronize();
void cuDeviceGet();
void cuDeviceGetAttribute();
void cuDeviceGetCount();
void cuDeviceGetDefaultMemPool();
void cuDeviceGetName();
void cuDeviceGetUuid_v2();
void cuDevicePrimaryCtxGetState();
void cuDevicePrimaryCtxRelease_v2();
void cuDevicePrimaryCtxReset_v2();
void cuDevicePrimaryCtxRetain();
void cuDeviceTotalMem_v2();
void cuDriverGetVersion();
void cuEventCreate();
void cuEventDestroy_v2();
void cuEventElapsedTime();
void cuEventQuery();
void cuEventRecord();
void cuEventSynchronize();
void cuFuncGetAttribute();
void cuFuncSetAttribute();
void cuFuncSetCacheConfig();
void cuGetErrorName();
void cuGetErrorString();
void cuGraphDestroy();
void cuGraphExecDestroy();
void cuGraphExecUpdate_v2();
void cuGraphGetNodes();
void cuGraphInstantiateWithFlags();
void cuGraphLaunch();
void cuInit();
void cuLaunchHostFunc();
void cuLaunchKernel();
void cuLinkAddData_v2();
void cuLinkComplete();
void cuLinkCreate_v2();
void cuLinkDestroy();
void cuMemAllocAsync();
void cuMemAllocFromPoolAsync();
void cuMemAllocHost_v2();
void cuMemAlloc_v2();
void cuMemFreeAsync();
void cuMemFreeHost();
void cuMemFree_v2();
void cuMemGetInfo_v2();
void cuMemHostAlloc();
void cuMemHostGetDevicePointer_v2();
void cuMemHostRegister_v2();
void cuMemHostUnregister();
void cuMemPoolSetAttribute();
void cuMemPoolTrimTo();
void cuMemcpy();
void cuMemcpyAsync();
void cuMemcpyDtoDAsync_v2();
void cuMemcpyDtoD_v2();
void cuMemcpyDtoHAsync_v2();
void cuMemcpyDtoH_v2();
void cuMemcpyHtoDAsync_v2();
void cuMemcpyHtoD_v2();
void cuMemsetD16Async();
void cuMemsetD32Async();
void cuMemsetD32_v2();
void cuMemsetD8Async();
void cuMemsetD8_v2();
void cuModuleGetFunction();
void cuModuleGetGlobal_v2();
void cuModuleLoadData();
void cuModuleLoadDataEx();
void cuModuleUnload();
void cuOccupancyMaxActiveBlocksPerMultiprocessor();
void cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags();
void cuOccupancyMaxPotentialBlockSize();
void cuStreamBeginCapture_v2();
void cuStreamCreate();
void cuStreamCreateWithPriority();
void cuStreamDestroy_v2();
void cuStreamEndCapture();
void cuStreamIsCapturing();
void cuStreamQuery();
void cuStreamSynchronize();
void cuStreamWaitEvent();
}

namespace {

struct Row {
  const char* name;
  void (*function)();
  int since;  // CUDA version that has it in this form
};

constexpr int kOldDriver = 11020;

const Row kRows[] = {
    {"cuCtxGetCurrent", &cuCtxGetCurrent, 2000},
    {"cuCtxGetDevice", &cuCtxGetDevice, 2000},
    {"cuCtxGetStreamPriorityRange", &cuCtxGetStreamPriorityRange, 2000},
    {"cuCtxPopCurrent", &cuCtxPopCurrent_v2, 2000},
    {"cuCtxPushCurrent", &cuCtxPushCurrent_v2, 2000},
    {"cuCtxSetCurrent", &cuCtxSetCurrent, 2000},
    {"cuCtxSynchronize", &cuCtxSynchronize, 2000},
    {"cuDeviceGet", &cuDeviceGet, 2000},
    {"cuDeviceGetAttribute", &cuDeviceGetAttribute, 2000},
    {"cuDeviceGetCount", &cuDeviceGetCount, 2000},
    {"cuDeviceGetDefaultMemPool", &cuDeviceGetDefaultMemPool, 11020},
    {"cuDeviceGetName", &cuDeviceGetName, 2000},
    {"cuDeviceGetUuid", &cuDeviceGetUuid_v2, 11040},
    {"cuDevicePrimaryCtxGetState", &cuDevicePrimaryCtxGetState, 2000},
    {"cuDevicePrimaryCtxRelease", &cuDevicePrimaryCtxRelease_v2, 2000},
    {"cuDevicePrimaryCtxReset", &cuDevicePrimaryCtxReset_v2, 2000},
    {"cuDevicePrimaryCtxRetain", &cuDevicePrimaryCtxRetain, 2000},
    {"cuDeviceTotalMem", &cuDeviceTotalMem_v2, 2000},
    {"cuDriverGetVersion", &cuDriverGetVersion, 2000},
    {"cuEventCreate", &cuEventCreate, 2000},
    {"cuEventDestroy", &cuEventDestroy_v2, 2000},
    {"cuEventElapsedTime", &cuEventElapsedTime, 2000},
    {"cuEventQuery", &cuEventQuery, 2000},
    {"cuEventRecord", &cuEventRecord, 2000},
    {"cuEventSynchronize", &cuEventSynchronize, 2000},
    {"cuFuncGetAttribute", &cuFuncGetAttribute, 2000},
    {"cuFuncSetAttribute", &cuFuncSetAttribute, 2000},
    {"cuFuncSetCacheConfig", &cuFuncSetCacheConfig, 2000},
    {"cuGetErrorName", &cuGetErrorName, 2000},
    {"cuGetErrorString", &cuGetErrorString, 2000},
    {"cuGraphDestroy", &cuGraphDestroy, 2000},
    {"cuGraphExecDestroy", &cuGraphExecDestroy, 2000},
    {"cuGraphExecUpdate", &cuGraphExecUpdate_v2, 12000},
    {"cuGraphGetNodes", &cuGraphGetNodes, 2000},
    {"cuGraphInstantiate", &cuGraphInstantiateWithFlags, 12000},
    {"cuGraphInstantiateWithFlags", &cuGraphInstantiateWithFlags, 11040},
    {"cuGraphLaunch", &cuGraphLaunch, 2000},
    {"cuInit", &cuInit, 2000},
    {"cuLaunchHostFunc", &cuLaunchHostFunc, 2000},
    {"cuLaunchKernel", &cuLaunchKernel, 2000},
    {"cuLinkAddData", &cuLinkAddData_v2, 2000},
    {"cuLinkComplete", &cuLinkComplete, 2000},
    {"cuLinkCreate", &cuLinkCreate_v2, 2000},
    {"cuLinkDestroy", &cuLinkDestroy, 2000},
    {"cuMemAlloc", &cuMemAlloc_v2, 2000},
    {"cuMemAllocAsync", &cuMemAllocAsync, 11020},
    {"cuMemAllocFromPoolAsync", &cuMemAllocFromPoolAsync, 11020},
    {"cuMemAllocHost", &cuMemAllocHost_v2, 2000},
    {"cuMemFree", &cuMemFree_v2, 2000},
    {"cuMemFreeAsync", &cuMemFreeAsync, 11020},
    {"cuMemFreeHost", &cuMemFreeHost, 2000},
    {"cuMemGetInfo", &cuMemGetInfo_v2, 2000},
    {"cuMemHostAlloc", &cuMemHostAlloc, 2000},
    {"cuMemHostGetDevicePointer", &cuMemHostGetDevicePointer_v2, 2000},
    {"cuMemHostRegister", &cuMemHostRegister_v2, 2000},
    {"cuMemHostUnregister", &cuMemHostUnregister, 2000},
    {"cuMemPoolSetAttribute", &cuMemPoolSetAttribute, 11020},
    {"cuMemPoolTrimTo", &cuMemPoolTrimTo, 11020},
    {"cuMemcpy", &cuMemcpy, 2000},
    {"cuMemcpyAsync", &cuMemcpyAsync, 2000},
    {"cuMemcpyDtoD", &cuMemcpyDtoD_v2, 2000},
    {"cuMemcpyDtoDAsync", &cuMemcpyDtoDAsync_v2, 2000},
    {"cuMemcpyDtoH", &cuMemcpyDtoH_v2, 2000},
    {"cuMemcpyDtoHAsync", &cuMemcpyDtoHAsync_v2, 2000},
    {"cuMemcpyHtoD", &cuMemcpyHtoD_v2, 2000},
    {"cuMemcpyHtoDAsync", &cuMemcpyHtoDAsync_v2, 2000},
    {"cuMemsetD16Async", &cuMemsetD16Async, 2000},
    {"cuMemsetD32", &cuMemsetD32_v2, 2000},
    {"cuMemsetD32Async", &cuMemsetD32Async, 2000},
    {"cuMemsetD8", &cuMemsetD8_v2, 2000},
    {"cuMemsetD8Async", &cuMemsetD8Async, 2000},
    {"cuModuleGetFunction", &cuModuleGetFunction, 2000},
    {"cuModuleGetGlobal", &cuModuleGetGlobal_v2, 2000},
    {"cuModuleLoadData", &cuModuleLoadData, 2000},
    {"cuModuleLoadDataEx", &cuModuleLoadDataEx, 2000},
    {"cuModuleUnload", &cuModuleUnload, 2000},
    {"cuOccupancyMaxActiveBlocksPerMultiprocessor", &cuOccupancyMaxActiveBlocksPerMultiprocessor,
     2000},
    {"cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
     &cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, 2000},
    {"cuOccupancyMaxPotentialBlockSize", &cuOccupancyMaxPotentialBlockSize, 2000},
    {"cuStreamBeginCapture", &cuStreamBeginCapture_v2, 2000},
    {"cuStreamCreate", &cuStreamCreate, 2000},
    {"cuStreamCreateWithPriority", &cuStreamCreateWithPriority, 2000},
    {"cuStreamDestroy", &cuStreamDestroy_v2, 2000},
    {"cuStreamEndCapture", &cuStreamEndCapture, 2000},
    {"cuStreamIsCapturing", &cuStreamIsCapturing, 2000},
    {"cuStreamQuery", &cuStreamQuery, 2000},
    {"cuStreamSynchronize", &cuStreamSynchronize, 2000},
    {"cuStreamWaitEvent", &cuStreamWaitEvent, 2000},
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
    if (row.since > version || (old_driver && row.since > kOldDriver))
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
  const Found found = Find(name, version, function);
  if (std::strcmp(name, "cuGetProcAddress") == 0) {
    *function = reinterpret_cast<void*>(&cuGetProcAddress_v2);
    if (status != nullptr) *status = kFound;
    return CUDA_SUCCESS;
  }
  if (status != nullptr) *status = found;
  return found == kFound ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

EMULATED_CUDA_API cuGetProcAddress(const char* name, void** function, int version, uint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}
