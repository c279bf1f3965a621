// File: codegen/cuda/driver_types.h
//
// The part of the CUDA Driver API that Swage uses, declared by itself: nothing of CUDA is needed to
// build. Names, numbers and layouts are those of NVIDIA's "CUDA Driver API" reference manual,
// version 12.0. The emulated driver of the tests declares its side by itself
// (tests/emulated_cuda/cuda_types.h): a number that is copied wrongly here shows there.
#ifndef SWAGE_CODEGEN_CUDA_DRIVER_TYPES_H_
#define SWAGE_CODEGEN_CUDA_DRIVER_TYPES_H_

#include <cstddef>
#include <cstdint>

namespace swage::cuda {

// The version whose functions are asked for, as cuGetProcAddress writes it: 12.0.
inline constexpr int kApiVersion = 12000;

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = uint64_t;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphExec = struct CUgraphExec_st*;
using CUlinkState = struct CUlinkState_st*;

// CUresult.
inline constexpr CUresult kSuccess = 0, kOutOfMemory = 2, kDeviceUnavailable = 46, kNoDevice = 100,
                          kInvalidDevice = 101, kInvalidImage = 200, kNoBinaryForGpu = 209,
                          kEccUncorrectable = 214, kInvalidPtx = 218, kUnsupportedPtxVersion = 222,
                          kNotFound = 500, kIllegalAddress = 700, kLaunchTimeout = 702,
                          kContextIsDestroyed = 709, kAssert = 710, kHardwareStackError = 714,
                          kIllegalInstruction = 715, kMisalignedAddress = 716,
                          kInvalidAddressSpace = 717, kInvalidPc = 718, kLaunchFailed = 719,
                          kSystemDriverMismatch = 803, kUnknown = 999;

// CUdevice_attribute.
enum class DeviceAttribute : int {
  kMaxThreadsPerBlock = 1,
  kClockKilohertz = 13,
  kMultiprocessors = 16,
  kMemoryClockKilohertz = 36,
  kMemoryBusBits = 37,
  kL2Bytes = 38,
  kThreadsPerMultiprocessor = 39,
  kComputeMajor = 75,
  kComputeMinor = 76,
  kSharedBytesPerMultiprocessor = 81,
  kRegistersPerMultiprocessor = 82,
  kSharedBytesPerBlockOptIn = 97,
  kMemoryPoolsSupported = 115,
};

// CUfunction_attribute.
enum class FunctionAttribute : int {
  kMaxThreadsPerBlock = 0,
  kSharedBytes = 1,
  kLocalBytes = 3,  // of a thread: its arrays, and what was spilled
  kRegisters = 4,
  kMaxDynamicSharedBytes = 8,
};

// CUjit_option; values are passed as void*.
enum class JitOption : int {
  kInfoLog = 3,
  kInfoLogBytes = 4,
  kErrorLog = 5,
  kErrorLogBytes = 6,
};
// CUjitInputType.
enum class LinkInput : int { kPtx = 1 };

// Flags of cuStreamCreate and cuEventCreate, and the mode of cuStreamBeginCapture.
inline constexpr unsigned kStreamNonBlocking = 1, kEventDisableTiming = 2;
enum class CaptureMode : int { kThreadLocal = 1 };

// CUdriverProcAddressQueryResult.
enum class ProcAddressResult : int { kFound = 0, kSymbolNotFound = 1 };

}  // namespace swage::cuda

#endif  // SWAGE_CODEGEN_CUDA_DRIVER_TYPES_H_
