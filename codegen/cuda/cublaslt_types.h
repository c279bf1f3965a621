// File: codegen/cuda/cublaslt_types.h
//
// The part of cuBLASLt that Swage uses, declared by itself: nothing of CUDA is needed to build.
// Names, numbers and layouts are those of NVIDIA's documentation of cuBLAS 12; the numbers are
// printed in that of its Python binding (docs.nvidia.com/cuda/nvmath-python, "bindings.cublasLt"),
// whose page is named beside each group. The library for the tests declares its side by itself
// (tests/emulated_cuda/cublaslt/api_types.h), and cublaslt_test.cc asks NVIDIA's where it is
// installed: a number that is copied wrongly here shows there.
#ifndef SWAGE_CODEGEN_CUDA_CUBLASLT_TYPES_H_
#define SWAGE_CODEGEN_CUDA_CUBLASLT_TYPES_H_

#include <cstddef>
#include <cstdint>

namespace swage::cuda {

using cublasStatus_t = int;
using cublasLtHandle_t = struct BlasContext*;
using cublasLtMatmulDesc_t = struct BlasMatmulDesc*;
using cublasLtMatrixLayout_t = struct BlasMatrixLayout*;
using cublasLtMatmulPreference_t = struct BlasMatmulPreference*;

// cublasStatus_t; page bindings.cublas.Status.
inline constexpr cublasStatus_t kBlasSuccess = 0, kBlasNotInitialized = 1, kBlasAllocFailed = 3,
                                kBlasArchMismatch = 8, kBlasExecutionFailed = 13,
                                kBlasNotSupported = 15, kBlasLicenseError = 16;

// cublasComputeType_t; page bindings.cublas.ComputeType. 32F multiplies and adds in f32: tf32 is a
// compute type of its own (77).
enum class ComputeType : int32_t { k32F = 68, k64F = 70 };

// cudaDataType; page nvmath.CudaDataType.
enum class CudaDataType : int32_t { k32F = 0, k64F = 1, k16F = 2, k16BF = 14 };

// cublasOperation_t; "cuBLAS Library", 2.2.3.
enum class BlasOperation : int32_t { kNone = 0, kTranspose = 1 };

// cublasLtMatmulDescAttributes_t, each an int32_t; page bindings.cublasLt.MatmulDescAttribute.
enum class MatmulDescAttribute : int { kTransposeA = 3, kTransposeB = 4 };

// cublasLtMatrixLayoutAttribute_t: int32_t and int64_t (elements); page
// bindings.cublasLt.MatrixLayoutAttribute.
enum class MatrixLayoutAttribute : int { kBatchCount = 5, kBatchStride = 6 };

// cublasLtMatmulPreferenceAttributes_t; page bindings.cublasLt.MatmulPreferenceAttribute.
enum class MatmulPreferenceAttribute : int {
  kMaxWorkspaceBytes = 1,    // uint64_t
  kReductionSchemeMask = 3,  // uint32_t, bits of cublasLtReductionScheme_t
  kMinAlignmentA = 5,        // uint32_t, bytes
  kMinAlignmentB = 6,
  kMinAlignmentC = 7,
  kMinAlignmentD = 8,
  kImplementationMask = 12,  // uint64_t, bits of cublasLtNumericalImplFlags_t
};

// cublasLtReductionScheme_t: how the parts of a split sum meet; page
// bindings.cublasLt.ReductionScheme.
inline constexpr uint32_t kReduceInComputeType = 2;

// cublasLtNumericalImplFlags_t: what the elements are multiplied as; page
// linalg.advanced.MatmulNumericalImplFlags.
inline constexpr uint64_t kImplementationInput16F = 1ull << 16,
                          kImplementationInput16BF = 1ull << 17,
                          kImplementationInputTf32 = 1ull << 18;

// cublasLtMatmulAlgo_t and cublasLtMatmulHeuristicResult_t; "cuBLAS Library", 3.3.
struct cublasLtMatmulAlgo_t {
  uint64_t data[8];
};
struct cublasLtMatmulHeuristicResult_t {
  cublasLtMatmulAlgo_t algo;
  size_t workspace_bytes;
  cublasStatus_t state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(cublasLtMatmulHeuristicResult_t) == 96);

}  // namespace swage::cuda

#endif  // SWAGE_CODEGEN_CUDA_CUBLASLT_TYPES_H_
