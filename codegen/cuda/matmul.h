// File: codegen/cuda/matmul.h
//
// Matrix products by cuBLASLt: one plan for a problem, run any number of times, from any thread. A
// ContextScope of the device must be open in the thread.
//
//   MatmulProblem problem{.dtype = ir::DType::kBF16, .m = 512, .n = 512, .k = 64, .batch = 8};
//   SWAGE_ASSIGN_OR_RETURN(const Matmul matmul, Matmul::Create(device, problem));
//   SWAGE_ASSIGN_OR_RETURN(const DeviceMemory workspace,
//                          DeviceMemory::Allocate(stream, matmul.workspace_bytes()));
//   SWAGE_RETURN_IF_ERROR(matmul.Run(stream, a, b, c, workspace.pointer()));
//
// Products are IEEE: f32 is multiplied as f32, never as tf32 or bf16, and sums are kept in f32 (in
// f64 for f64) until they are rounded once to the result. The order of a sum is the library's.
//
// blas.h keeps plans for problems that come again.
#ifndef SWAGE_CODEGEN_CUDA_MATMUL_H_
#define SWAGE_CODEGEN_CUDA_MATMUL_H_

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "base/status.h"
#include "codegen/cuda/cublaslt.h"
#include "codegen/cuda/stream.h"
#include "compiler/ir/dtype.h"

namespace swage::cuda {

class Blas;

// c[i] = a[i] b[i] for each i of the batch; all matrices lie row by row. a[i] is m x k, or k x m if
// it is transposed; b[i] is k x n, or n x k; c[i] is m x n. Strides count elements.
struct MatmulProblem {
  ir::DType dtype = ir::DType::kF32;  // of a and b: f32, f64, f16 or bf16
  ir::DType result = dtype;           // the same, or f32
  int64_t m = 0, n = 0, k = 0;
  int64_t batch = 1;
  bool transpose_a = false, transpose_b = false;
  // From one row to the next; kPacked: rows without gaps.
  static constexpr int64_t kPacked = -1;
  int64_t row_stride_a = kPacked, row_stride_b = kPacked, row_stride_c = kPacked;
  // From one matrix of the batch to the next; 0 for a or b: all are the same one.
  int64_t batch_stride_a = kPacked, batch_stride_b = kPacked, batch_stride_c = kPacked;
  int64_t alignment = 16;  // of a, b and c, in bytes
  // What the algorithm may use; kRecommended: what NVIDIA recommends for the card.
  static constexpr int64_t kRecommended = -1;
  int64_t max_workspace_bytes = kRecommended;

  bool operator==(const MatmulProblem&) const = default;
  auto operator<=>(const MatmulProblem&) const = default;
  // "f32[8,512,64] x f32[8,64,512]", a and b as they lie.
  std::string ToString() const;
};

class Matmul {
 public:
  // Unimplemented, naming it, for what the library cannot do; Unavailable without the library.
  static StatusOr<Matmul> Create(Device& device, const MatmulProblem& problem);
  // With this library; it must outlive the plan.
  static StatusOr<Matmul> Create(Blas& blas, const MatmulProblem& problem);

  // `workspace`: workspace_bytes() of the device, aligned to 256, for this run alone until it is
  // done. Allocates nothing and takes no lock. Without elements of c nothing is done; without terms
  // (k = 0) c is filled with zeros; neither asks the library.
  Status Run(const Stream& stream, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c,
             CUdeviceptr workspace) const;
  int64_t workspace_bytes() const { return static_cast<int64_t>(workspace_bytes_); }
  // Strides and workspace as they are, none left open.
  const MatmulProblem& problem() const { return problem_; }

 private:
  template <typename Handle>
  struct Destroy {
    cublasStatus_t (*destroy)(Handle);
    void operator()(Handle handle) const {
      if (!InForkedChild()) destroy(handle);
    }
  };
  template <typename Handle>
  using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy<Handle>>;

  Matmul(Blas& blas, const MatmulProblem& problem);
  Status Describe();
  Status DescribeMatrix(Owned<cublasLtMatrixLayout_t>& layout, ir::DType dtype, int64_t rows,
                        int64_t columns, int64_t row_stride, int64_t batch_stride);
  Status ChooseAlgorithm();
  Status FillZeros(const Stream& stream, CUdeviceptr c) const;

  Device* device_;
  const CublasLt* library_;
  cublasLtHandle_t handle_;
  MatmulProblem problem_;
  // Null where the library is not asked.
  Owned<cublasLtMatmulDesc_t> desc_;
  Owned<cublasLtMatrixLayout_t> a_layout_, b_layout_, c_layout_;
  cublasLtMatmulAlgo_t algo_ = {};
  size_t workspace_bytes_ = 0;
};

}  // namespace swage::cuda

#endif  // SWAGE_CODEGEN_CUDA_MATMUL_H_
