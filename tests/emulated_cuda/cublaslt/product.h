// File: tests/emulated_cuda/cublaslt/product.h
//
// A product that the emulated cuBLASLt was asked for, and how it is computed: on the host, where
// the emulated driver keeps the device's memory.
#ifndef SWAGE_TESTS_EMULATED_CUDA_CUBLASLT_PRODUCT_H_
#define SWAGE_TESTS_EMULATED_CUDA_CUBLASLT_PRODUCT_H_

#include <cstddef>
#include <cstdint>

#include "tests/emulated_cuda/cublaslt/descriptors.h"

namespace swage::emulated_cuda {

// What an algorithm does to the values.
enum class Rounding : uint64_t {
  kExact,    // sums in f64, rounded once
  kTf32,     // operands are cut to tf32 before
  kInParts,  // two halves of the sum are rounded to the result's type, then added
};

struct Product {
  EmulatedMatmulDesc desc;
  EmulatedMatrixLayout a, b, c, d;
  double alpha = 1, beta = 0;
  uint64_t a_address = 0, b_address = 0, c_address = 0, d_address = 0, workspace = 0;
  size_t workspace_bytes = 0;
  Rounding rounding = Rounding::kExact;
};

size_t BytesOf(cudaDataType_t type);

// Work of a stream: breaks the context where a matrix does not lie inside an allocation.
void Compute(const Product& product);

}  // namespace swage::emulated_cuda

#endif  // SWAGE_TESTS_EMULATED_CUDA_CUBLASLT_PRODUCT_H_
