// File: tests/emulated_cuda/cublaslt/descriptors.h
//
// The objects behind the handles of the emulated cuBLASLt. What is not a live one is refused.
#ifndef SWAGE_TESTS_EMULATED_CUDA_CUBLASLT_DESCRIPTORS_H_
#define SWAGE_TESTS_EMULATED_CUDA_CUBLASLT_DESCRIPTORS_H_

#include <cstdint>
#include <mutex>
#include <unordered_set>

#include "tests/emulated_cuda/cublaslt/api_types.h"
#include "tests/emulated_cuda/faults.h"

struct EmulatedBlas {};

struct EmulatedMatmulDesc {
  cublasComputeType_t compute;
  cudaDataType_t scale;
  int32_t transpose_a = CUBLAS_OP_N, transpose_b = CUBLAS_OP_N;
};

// A matrix in columns.
struct EmulatedMatrixLayout {
  cudaDataType_t type;
  uint64_t rows, columns;
  int64_t leading_dimension;
  int32_t batch_count = 1;
  int64_t batch_stride = 0;
};

struct EmulatedMatmulPreference {
  uint64_t max_workspace = 0;
  uint32_t reduction_schemes = CUBLASLT_REDUCTION_SCHEME_MASK;
  uint32_t alignment[4] = {256, 256, 256, 256};  // of a, b, c, d
  uint64_t implementations = ~uint64_t{0};
};

namespace swage::emulated_cuda {

// All state of the library; `mutex` guards it.
struct BlasState {
  static BlasState& Get();

  std::mutex mutex;
  Faults faults{"EMULATED_CUBLASLT_FAULT"};
  std::unordered_set<cublasLtHandle_t> handles;
  std::unordered_set<cublasLtMatmulDesc_t> descs;
  std::unordered_set<cublasLtMatrixLayout_t> layouts;
  std::unordered_set<cublasLtMatmulPreference_t> preferences;
};

}  // namespace swage::emulated_cuda

#define EMULATED_CUBLASLT_API extern "C" __attribute__((visibility("default")))

#endif  // SWAGE_TESTS_EMULATED_CUDA_CUBLASLT_DESCRIPTORS_H_
