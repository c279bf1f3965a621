// File: tests/emulated_cuda/cuda_types.h
//
// The part of the CUDA Driver API's types and numbers that the emulated driver and its tests need,
// declared by hand: nothing of CUDA is needed to build them. codegen/cuda/driver_types.h declares
// Swage's side; that neither includes the other is on purpose: they check each other.
#ifndef SWAGE_TESTS_EMULATED_CUDA_CUDA_TYPES_H_
#define SWAGE_TESTS_EMULATED_CUDA_CUDA_TYPES_H_

#include <cstddef>
#include <cstdint>

// Name, number and text of every result that the emulator gives.
#define EMULATED_CUDA_RESULTS(X)                                                              \
  X(CUDA_SUCCESS, 0, "no error")                                                              \
  X(CUDA_ERROR_INVALID_VALUE, 1, "invalid argument")                                          \
  X(CUDA_ERROR_OUT_OF_MEMORY, 2, "out of memory")                                             \
  X(CUDA_ERROR_NOT_INITIALIZED, 3, "initialization error")                                    \
  X(CUDA_ERROR_DEVICE_UNAVAILABLE, 46, "the device is busy or unavailable")                   \
  X(CUDA_ERROR_NO_DEVICE, 100, "no CUDA-capable device is detected")                          \
  X(CUDA_ERROR_INVALID_DEVICE, 101, "invalid device ordinal")                                 \
  X(CUDA_ERROR_INVALID_CONTEXT, 201, "invalid device context")                                \
  X(CUDA_ERROR_NO_BINARY_FOR_GPU, 209, "no kernel image is available for the device")         \
  X(CUDA_ERROR_INVALID_PTX, 218, "a PTX JIT compilation failed")                              \
  X(CUDA_ERROR_INVALID_HANDLE, 400, "invalid resource handle")                                \
  X(CUDA_ERROR_ILLEGAL_STATE, 401, "the operation cannot be performed in this state")         \
  X(CUDA_ERROR_NOT_FOUND, 500, "named symbol not found")                                      \
  X(CUDA_ERROR_NOT_READY, 600, "device not ready")                                            \
  X(CUDA_ERROR_ILLEGAL_ADDRESS, 700, "an illegal memory access was encountered")              \
  X(CUDA_ERROR_LAUNCH_TIMEOUT, 702, "the launch timed out and was terminated")                \
  X(CUDA_ERROR_MISALIGNED_ADDRESS, 716, "misaligned address")                                 \
  X(CUDA_ERROR_LAUNCH_FAILED, 719, "unspecified launch failure")                              \
  X(CUDA_ERROR_NOT_SUPPORTED, 801, "operation not supported")                                 \
  X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900,                                               \
    "operation not permitted when stream is capturing")                                       \
  X(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, 903, "the capture was not initiated in this stream") \
  X(CUDA_ERROR_CAPTURED_EVENT, 907,                                                           \
    "operation not permitted on an event last recorded in a capturing stream")                \
  X(CUDA_ERROR_UNKNOWN, 999, "unknown error")

enum CUresult : int {
#define EMULATED_CUDA_RESULT(name, number, text) name = number,
  EMULATED_CUDA_RESULTS(EMULATED_CUDA_RESULT)
#undef EMULATED_CUDA_RESULT
};

using CUdevice = int;
using CUdeviceptr = uint64_t;
using CUcontext = struct EmulatedContext*;
using CUmodule = struct EmulatedModule*;
using CUfunction = struct EmulatedFunction*;
using CUstream = struct EmulatedStream*;
using CUevent = struct EmulatedEvent*;
using CUgraph = struct EmulatedGraph*;
using CUgraphExec = struct EmulatedGraphExec*;
using CUlinkState = struct EmulatedLink*;
using CUhostFn = void (*)(void*);

enum CUdevice_attribute : int {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
  CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
  CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
  CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
  CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40,
  CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
  CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK = 111,
  CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
};

enum CUfunction_attribute : int {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
  CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
  CU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
};

// Options between these change nothing here.
enum CUjit_option : int {
  CU_JIT_INFO_LOG_BUFFER = 3,
  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  CU_JIT_CACHE_MODE = 14,  // the last that is taken
};

enum CUjitInputType : int { CU_JIT_INPUT_PTX = 1 };

// All modes are the same here.
enum CUstreamCaptureMode : int { CU_STREAM_CAPTURE_MODE_RELAXED = 2 };

enum CUstreamCaptureStatus : int {
  CU_STREAM_CAPTURE_STATUS_NONE = 0,
  CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
};

inline constexpr unsigned CU_STREAM_NON_BLOCKING = 1;
inline constexpr unsigned CU_EVENT_DISABLE_TIMING = 2;

#endif  // SWAGE_TESTS_EMULATED_CUDA_CUDA_TYPES_H_
