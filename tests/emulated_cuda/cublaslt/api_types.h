// File: tests/emulated_cuda/cublaslt/api_types.h
//
// The part of cuBLASLt's types and numbers that the emulated library needs, declared by hand after
// NVIDIA's "cuBLAS Library". codegen/cuda/cublaslt_types.h declares Swage's side; that neither
// includes the other is on purpose: they check each other.
#ifndef SWAGE_TESTS_EMULATED_CUDA_CUBLASLT_API_TYPES_H_
#define SWAGE_TESTS_EMULATED_CUDA_CUBLASLT_API_TYPES_H_

#include <cstddef>
#include <cstdint>

#define EMULATED_CUBLAS_RESULTS(X)                                       \
  X(CUBLAS_STATUS_SUCCESS, 0, "success")                                 \
  X(CUBLAS_STATUS_NOT_INITIALIZED, 1, "the library was not initialized") \
  X(CUBLAS_STATUS_INVALID_VALUE, 7, "an unsupported value was passed")   \
  X(CUBLAS_STATUS_EXECUTION_FAILED, 13, "the function failed to launch") \
  X(CUBLAS_STATUS_NOT_SUPPORTED, 15, "the requested functionality is not supported")

enum cublasStatus_t : int {
#define EMULATED_CUBLAS_RESULT(name, number, text) name = number,
  EMULATED_CUBLAS_RESULTS(EMULATED_CUBLAS_RESULT)
#undef EMULATED_CUBLAS_RESULT
};

enum cudaDataType_t : int {
  CUDA_R_32F = 0,
  CUDA_R_64F = 1,
  CUDA_R_16F = 2,
  CUDA_R_8I = 3,
  CUDA_R_16BF = 14,
};

// Others are known to the library, but not to this one.
enum cublasComputeType_t : int { CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_64F = 70 };

enum cublasOperation_t : int { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1 };

enum cublasLtMatmulDescAttributes_t : int {
  CUBLASLT_MATMUL_DESC_TRANSA = 3,
  CUBLASLT_MATMUL_DESC_TRANSB = 4,
};

enum cublasLtMatrixLayoutAttribute_t : int {
  CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 5,
  CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 6,
};

enum cublasLtMatmulPreferenceAttributes_t : int {
  CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,
  CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK = 3,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES = 6,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES = 7,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES = 8,
  CUBLASLT_MATMUL_PREF_IMPL_MASK = 12,
};

enum cublasLtReductionScheme_t : unsigned {
  CUBLASLT_REDUCTION_SCHEME_NONE = 0,
  CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE = 2,
  CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE = 4,
  CUBLASLT_REDUCTION_SCHEME_MASK = 7,
};

enum cublasLtNumericalImplFlags_t : uint64_t {
  CUBLASLT_NUMERICAL_IMPL_FLAGS_FMA = 0x1,
  CUBLASLT_NUMERICAL_IMPL_FLAGS_HMMA = 0x2,
  CUBLASLT_NUMERICAL_IMPL_FLAGS_DMMA = 0x8,
  CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_32F = 0x200,
  CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_64F = 0x400,
  CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_16F = 0x10000,
  CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_16BF = 0x20000,
  CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_TF32 = 0x40000,
  CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_32F = 0x80000,
  CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_64F = 0x100000,
};

using cublasLtHandle_t = struct EmulatedBlas*;
using cublasLtMatmulDesc_t = struct EmulatedMatmulDesc*;
using cublasLtMatrixLayout_t = struct EmulatedMatrixLayout*;
using cublasLtMatmulPreference_t = struct EmulatedMatmulPreference*;

struct cublasLtMatmulAlgo_t {
  uint64_t data[8];
};

struct cublasLtMatmulHeuristicResult_t {
  cublasLtMatmulAlgo_t algo;
  size_t workspaceSize;
  cublasStatus_t state;
  float wavesCount;
  int reserved[4];
};

#endif  // SWAGE_TESTS_EMULATED_CUDA_CUBLASLT_API_TYPES_H_
