#include "tests/emulated_cuda/cublaslt/product.h"

#include <cmath>
#include <cstring>

#include "compiler/ir/float_bits.h"
#include "tests/emulated_cuda/libraries.h"

namespace swage::emulated_cuda {
namespace {

using ir::DType;

DType DTypeOf(cudaDataType_t type) {
  switch (type) {
    case CUDA_R_64F:
      return DType::kF64;
    case CUDA_R_16F:
      return DType::kF16;
    case CUDA_R_16BF:
      return DType::kBF16;
    default:
      return DType::kF32;
  }
}

double Load(cudaDataType_t type, const uint8_t* at) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, BytesOf(type));
  return ir::DecodeFloat(DTypeOf(type), bits);
}

double RoundTo(cudaDataType_t type, double value) {
  return ir::DecodeFloat(DTypeOf(type), ir::EncodeFloat(DTypeOf(type), value));
}

void Store(cudaDataType_t type, uint8_t* at, double value) {
  const uint64_t bits = ir::EncodeFloat(DTypeOf(type), value);
  std::memcpy(at, &bits, BytesOf(type));
}

// Eleven bits of it: f32's range, f16's precision.
double ToTf32(double value) {
  if (!std::isfinite(value) || value == 0) return value;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, 11)), exponent - 11);
}

// One matrix of a batch, on the host; null if it leaves its allocation.
uint8_t* Matrix(const EmulatedMatrixLayout& layout, uint64_t address, int32_t index,
                const char* what) {
  const size_t size = BytesOf(layout.type);
  const uint64_t elements =
      (layout.columns - 1) * static_cast<uint64_t>(layout.leading_dimension) + layout.rows;
  const int64_t offset = index * layout.batch_stride * static_cast<int64_t>(size);
  return static_cast<uint8_t*>(
      emulatedCudaAccess(address + static_cast<uint64_t>(offset), elements * size, what));
}

uint8_t* Element(const EmulatedMatrixLayout& layout, uint8_t* matrix, uint64_t row,
                 uint64_t column) {
  return matrix +
         (column * static_cast<uint64_t>(layout.leading_dimension) + row) * BytesOf(layout.type);
}

// op(a)[row, .] times op(b)[., column].
double Dot(const Product& p, uint8_t* a, uint8_t* b, uint64_t row, uint64_t column) {
  const bool transposed_a = p.desc.transpose_a == CUBLAS_OP_T;
  const bool transposed_b = p.desc.transpose_b == CUBLAS_OP_T;
  const uint64_t terms = transposed_a ? p.a.rows : p.a.columns;
  const auto term = [&](uint64_t k) {
    double x = Load(p.a.type, transposed_a ? Element(p.a, a, k, row) : Element(p.a, a, row, k));
    double y =
        Load(p.b.type, transposed_b ? Element(p.b, b, column, k) : Element(p.b, b, k, column));
    if (p.rounding == Rounding::kTf32) {
      x = ToTf32(x);
      y = ToTf32(y);
    }
    return x * y;
  };
  double sums[2] = {0, 0};
  for (uint64_t k = 0; k < terms; ++k) sums[2 * k < terms ? 0 : 1] += term(k);
  if (p.rounding == Rounding::kInParts) {
    for (double& sum : sums) sum = RoundTo(p.d.type, sum);
  }
  return sums[0] + sums[1];
}

}  // namespace

size_t BytesOf(cudaDataType_t type) { return static_cast<size_t>(DTypeBytes(DTypeOf(type))); }

void Compute(const Product& p) {
  if (p.workspace_bytes > 0) {
    // It holds whatever the algorithm leaves there.
    void* const workspace =
        emulatedCudaAccess(p.workspace, p.workspace_bytes, "cublasLtMatmul: the workspace");
    if (workspace == nullptr) return;
    std::memset(workspace, 0xEE, p.workspace_bytes);
  }
  for (int32_t i = 0; i < p.d.batch_count; ++i) {
    uint8_t* const a = Matrix(p.a, p.a_address, i, "cublasLtMatmul: A");
    if (a == nullptr) return;
    uint8_t* const b = Matrix(p.b, p.b_address, i, "cublasLtMatmul: B");
    if (b == nullptr) return;
    uint8_t* const c = p.beta == 0 ? nullptr : Matrix(p.c, p.c_address, i, "cublasLtMatmul: C");
    if (c == nullptr && p.beta != 0) return;
    uint8_t* const d = Matrix(p.d, p.d_address, i, "cublasLtMatmul: D");
    if (d == nullptr) return;
    for (uint64_t column = 0; column < p.d.columns; ++column) {
      for (uint64_t row = 0; row < p.d.rows; ++row) {
        double value = p.alpha * Dot(p, a, b, row, column);
        if (c != nullptr) value += p.beta * Load(p.c.type, Element(p.c, c, row, column));
        Store(p.d.type, Element(p.d, d, row, column), value);
      }
    }
  }
}

}  // namespace swage::emulated_cuda
