#include "codegen/cuda/matmul.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "codegen/cuda/blas.h"

namespace swage::cuda {
namespace {

using ir::DType;

// The library's sizes are 32 bits. With row strides up to this one too, what a row of any number is
// away from the first is an int64_t.
constexpr int64_t kMaxSize = std::numeric_limits<int32_t>::max();
constexpr int64_t kMaxRowStride = int64_t{1} << 32;

// What NVIDIA's "cuBLAS Library" recommends (cublasSetWorkspace): 32 MiB from Hopper on, else 4.
int64_t RecommendedWorkspace(const DeviceProperties& card) {
  return int64_t{card.major >= 9 ? 32 : 4} << 20;
}

// "workspace must be 256B aligned": cublasLtMatmul.
constexpr CUdeviceptr kWorkspaceAlignment = 256;

CudaDataType TypeOf(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return CudaDataType::k64F;
    case DType::kF16:
      return CudaDataType::k16F;
    case DType::kBF16:
      return CudaDataType::k16BF;
    default:
      return CudaDataType::k32F;
  }
}

bool HasTypes(const MatmulProblem& problem) {
  switch (problem.dtype) {
    case DType::kF32:
    case DType::kF64:
      return problem.result == problem.dtype;
    case DType::kF16:
    case DType::kBF16:
      return problem.result == problem.dtype || problem.result == DType::kF32;
    default:
      return false;
  }
}

// From the first to behind the last element of rows.
int64_t Extent(int64_t rows, int64_t columns, int64_t row_stride) {
  return (rows - 1) * row_stride + columns;
}

// The problem without open strides and bounds; its sizes are checked.
MatmulProblem Close(MatmulProblem problem, const DeviceProperties& card) {
  const auto close = [](int64_t rows, int64_t columns, int64_t& row_stride, int64_t& batch_stride) {
    if (row_stride == MatmulProblem::kPacked) row_stride = columns;
    if (batch_stride == MatmulProblem::kPacked) batch_stride = rows * row_stride;
  };
  const bool ta = problem.transpose_a, tb = problem.transpose_b;
  close(ta ? problem.k : problem.m, ta ? problem.m : problem.k, problem.row_stride_a,
        problem.batch_stride_a);
  close(tb ? problem.n : problem.k, tb ? problem.k : problem.n, problem.row_stride_b,
        problem.batch_stride_b);
  close(problem.m, problem.n, problem.row_stride_c, problem.batch_stride_c);
  if (problem.max_workspace_bytes == MatmulProblem::kRecommended) {
    problem.max_workspace_bytes = RecommendedWorkspace(card);
  }
  return problem;
}

bool IsEmpty(const MatmulProblem& problem) {
  return problem.m == 0 || problem.n == 0 || problem.batch == 0;
}

// Results lie one behind the other, or row by row between each other.
bool ResultsOverlap(const MatmulProblem& p) {
  const bool behind = p.batch_stride_c >= Extent(p.m, p.n, p.row_stride_c);
  const bool between =
      p.batch_stride_c >= p.n && p.row_stride_c >= Extent(p.batch, p.n, p.batch_stride_c);
  return p.batch > 1 && !behind && !between;
}

// Whether the numbers of bytes up to the result's end are int64_t.
bool HasBytes(const MatmulProblem& p) {
  int64_t batches = 0, rows = 0, elements = 0, bytes = 0;
  return !__builtin_mul_overflow(p.batch - 1, p.batch_stride_c, &batches) &&
         !__builtin_mul_overflow(p.m - 1, p.row_stride_c, &rows) &&
         !__builtin_add_overflow(batches, rows, &elements) &&
         !__builtin_add_overflow(elements, p.n, &elements) &&
         !__builtin_mul_overflow(elements, int64_t{DTypeBytes(p.result)}, &bytes);
}

Status Bad(const MatmulProblem& p, const char* what) {
  return Internal("[cuda] a matrix product of ", p.ToString(), ": ", what);
}

// What all others multiply.
Status CheckSizes(const MatmulProblem& p) {
  if (std::min({p.m, p.n, p.k, p.batch}) < 0) return Bad(p, "a size is negative");
  if (std::max({p.m, p.n, p.k, p.batch}) > kMaxSize) {
    return Unimplemented("[cuda] a matrix product of ", p.ToString(),
                         ": cuBLASLt has no sizes beyond ", kMaxSize);
  }
  if (std::max({p.row_stride_a, p.row_stride_b, p.row_stride_c}) > kMaxRowStride) {
    return Unimplemented("[cuda] a matrix product of ", p.ToString(),
                         ": cuBLASLt is not asked for row strides beyond ", kMaxRowStride);
  }
  return OkStatus();
}

Status Validate(const MatmulProblem& p) {
  const auto bad = [&](const char* what) { return Bad(p, what); };
  if (p.row_stride_a < (p.transpose_a ? p.m : p.k) ||
      p.row_stride_b < (p.transpose_b ? p.k : p.n) || p.row_stride_c < p.n) {
    return bad("rows overlap");
  }
  if (p.batch_stride_a < 0 || p.batch_stride_b < 0) return bad("a stride is negative");
  if (!IsEmpty(p) && !HasBytes(p)) return bad("the result has more bytes than an int64_t counts");
  if (!IsEmpty(p) && ResultsOverlap(p)) return bad("results overlap");
  if (p.alignment <= 0 || (p.alignment & (p.alignment - 1)) != 0) {
    return bad("the alignment is no power of two");
  }
  if (p.max_workspace_bytes < 0) return bad("the bound of the workspace is negative");
  if (!HasTypes(p)) {
    return Unimplemented("[cuda] a matrix product of ", p.ToString(), " to ",
                         ToAbsl(DTypeName(p.result)),
                         ": cuBLASLt is asked for f32, f64, and f16 or bf16 to itself or f32");
  }
  return OkStatus();
}

}  // namespace

std::string MatmulProblem::ToString() const {
  const auto matrix = [&](int64_t rows, int64_t columns) {
    const std::string batches = batch == 1 ? "" : absl::StrCat(batch, ",");
    return absl::StrCat(ToAbsl(DTypeName(dtype)), "[", batches, rows, ",", columns, "]");
  };
  return absl::StrCat(transpose_a ? matrix(k, m) : matrix(m, k), transpose_a ? "^T" : "", " x ",
                      transpose_b ? matrix(n, k) : matrix(k, n), transpose_b ? "^T" : "");
}

Matmul::Matmul(Blas& blas, const MatmulProblem& problem)
    : device_(&blas.device()),
      library_(&blas.library()),
      handle_(blas.handle()),
      problem_(problem),
      desc_(nullptr, {library_->cublasLtMatmulDescDestroy}),
      a_layout_(nullptr, {library_->cublasLtMatrixLayoutDestroy}),
      b_layout_(nullptr, {library_->cublasLtMatrixLayoutDestroy}),
      c_layout_(nullptr, {library_->cublasLtMatrixLayoutDestroy}) {}

StatusOr<Matmul> Matmul::Create(Device& device, const MatmulProblem& problem) {
  SWAGE_ASSIGN_OR_RETURN(Blas * blas, Blas::Of(device));
  return Create(*blas, problem);
}

StatusOr<Matmul> Matmul::Create(Blas& blas, const MatmulProblem& problem) {
  SWAGE_RETURN_IF_ERROR(CheckSizes(problem));
  Matmul matmul(blas, Close(problem, blas.device().properties()));
  SWAGE_RETURN_IF_ERROR(Validate(matmul.problem_));
  if (IsEmpty(problem) || problem.k == 0) return matmul;
  Status status = matmul.Describe();
  if (status.ok()) status = matmul.ChooseAlgorithm();
  if (!status.ok()) return Annotate(status, absl::StrCat("; asked for ", problem.ToString()));
  return matmul;
}

// The library's matrices lie column by column, so each of ours is its own transpose there, and
// c^T = b^T a^T: b comes first. That is what all algorithms of the library are made for, where an
// order of its own for rows is known to some.
Status Matmul::Describe() {
  const MatmulProblem& p = problem_;
  const CublasLt& library = *library_;
  const bool f64 = p.dtype == DType::kF64;
  cublasLtMatmulDesc_t desc = nullptr;
  SWAGE_RETURN_IF_ERROR(library.Check(
      library.cublasLtMatmulDescCreate(&desc, f64 ? ComputeType::k64F : ComputeType::k32F,
                                       f64 ? CudaDataType::k64F : CudaDataType::k32F),
      "cublasLtMatmulDescCreate"));
  desc_.reset(desc);
  const auto transpose = [&](MatmulDescAttribute attribute, bool transposed) {
    const BlasOperation op = transposed ? BlasOperation::kTranspose : BlasOperation::kNone;
    return library.Check(library.cublasLtMatmulDescSetAttribute(desc, attribute, &op, sizeof(op)),
                         "cublasLtMatmulDescSetAttribute");
  };
  SWAGE_RETURN_IF_ERROR(transpose(MatmulDescAttribute::kTransposeA, p.transpose_b));
  SWAGE_RETURN_IF_ERROR(transpose(MatmulDescAttribute::kTransposeB, p.transpose_a));
  SWAGE_RETURN_IF_ERROR(DescribeMatrix(a_layout_, p.dtype, p.transpose_a ? p.k : p.m,
                                       p.transpose_a ? p.m : p.k, p.row_stride_a,
                                       p.batch_stride_a));
  SWAGE_RETURN_IF_ERROR(DescribeMatrix(b_layout_, p.dtype, p.transpose_b ? p.n : p.k,
                                       p.transpose_b ? p.k : p.n, p.row_stride_b,
                                       p.batch_stride_b));
  return DescribeMatrix(c_layout_, p.result, p.m, p.n, p.row_stride_c, p.batch_stride_c);
}

Status Matmul::DescribeMatrix(Owned<cublasLtMatrixLayout_t>& layout, DType dtype, int64_t rows,
                              int64_t columns, int64_t row_stride, int64_t batch_stride) {
  const CublasLt& library = *library_;
  cublasLtMatrixLayout_t made = nullptr;
  SWAGE_RETURN_IF_ERROR(library.Check(
      library.cublasLtMatrixLayoutCreate(&made, TypeOf(dtype), static_cast<uint64_t>(columns),
                                         static_cast<uint64_t>(rows), row_stride),
      "cublasLtMatrixLayoutCreate"));
  layout.reset(made);
  const int32_t batch = static_cast<int32_t>(problem_.batch);
  SWAGE_RETURN_IF_ERROR(
      library.Check(library.cublasLtMatrixLayoutSetAttribute(
                        made, MatrixLayoutAttribute::kBatchCount, &batch, sizeof(batch)),
                    "cublasLtMatrixLayoutSetAttribute"));
  return library.Check(
      library.cublasLtMatrixLayoutSetAttribute(made, MatrixLayoutAttribute::kBatchStride,
                                               &batch_stride, sizeof(batch_stride)),
      "cublasLtMatrixLayoutSetAttribute");
}

Status Matmul::ChooseAlgorithm() {
  const MatmulProblem& p = problem_;
  const CublasLt& library = *library_;
  cublasLtMatmulPreference_t made = nullptr;
  SWAGE_RETURN_IF_ERROR(library.Check(library.cublasLtMatmulPreferenceCreate(&made),
                                      "cublasLtMatmulPreferenceCreate"));
  const Owned<cublasLtMatmulPreference_t> preference(made,
                                                     {library.cublasLtMatmulPreferenceDestroy});
  Status status;
  const auto set = [&](MatmulPreferenceAttribute attribute, auto value) {
    status.Update(library.Check(
        library.cublasLtMatmulPreferenceSetAttribute(made, attribute, &value, sizeof(value)),
        "cublasLtMatmulPreferenceSetAttribute"));
  };
  using A = MatmulPreferenceAttribute;
  set(A::kMaxWorkspaceBytes, static_cast<uint64_t>(p.max_workspace_bytes));
  for (const A side : {A::kMinAlignmentA, A::kMinAlignmentB, A::kMinAlignmentC, A::kMinAlignmentD})
    set(side, static_cast<uint32_t>(std::min<int64_t>(p.alignment, 256)));
  // An f32 product may not be made of smaller ones, whatever environment variables of NVIDIA's say.
  if (p.dtype == DType::kF32) {
    set(A::kImplementationMask,
        ~(kImplementationInput16F | kImplementationInput16BF | kImplementationInputTf32));
  }
  // Nor may the parts of a split sum be rounded before they meet.
  if (p.result != DType::kF32 && p.result != DType::kF64) {
    set(A::kReductionSchemeMask, kReduceInComputeType);
  }
  SWAGE_RETURN_IF_ERROR(status);

  cublasLtMatmulHeuristicResult_t results[4] = {};
  int found = 0;
  SWAGE_RETURN_IF_ERROR(library.Check(
      library.cublasLtMatmulAlgoGetHeuristic(handle_, desc_.get(), b_layout_.get(), a_layout_.get(),
                                             c_layout_.get(), c_layout_.get(), made, 4, results,
                                             &found),
      "cublasLtMatmulAlgoGetHeuristic"));
  for (int i = 0; i < found; ++i) {
    if (results[i].state != kBlasSuccess ||
        results[i].workspace_bytes > static_cast<size_t>(p.max_workspace_bytes))
      continue;
    algo_ = results[i].algo;
    workspace_bytes_ = results[i].workspace_bytes;
    return OkStatus();
  }
  return Unimplemented("[cuda] cuBLASLt ", library.version(), " has no algorithm");
}

Status Matmul::FillZeros(const Stream& stream, CUdeviceptr c) const {
  const MatmulProblem& p = problem_;
  const int64_t bytes = DTypeBytes(p.result);
  if (p.row_stride_c == p.n && p.batch_stride_c == p.m * p.n) {
    return stream.Fill(c, 0, p.batch * p.m * p.n * bytes);
  }
  for (int64_t i = 0; i < p.batch; ++i) {
    for (int64_t row = 0; row < p.m; ++row) {
      const int64_t first = i * p.batch_stride_c + row * p.row_stride_c;
      SWAGE_RETURN_IF_ERROR(
          stream.Fill(c + static_cast<CUdeviceptr>(first * bytes), 0, p.n * bytes));
    }
  }
  return OkStatus();
}

Status Matmul::Run(const Stream& stream, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c,
                   CUdeviceptr workspace) const {
  if (IsEmpty(problem_)) return OkStatus();
  if (problem_.k == 0) return FillZeros(stream, c);
  const CUdeviceptr misaligned = static_cast<CUdeviceptr>(problem_.alignment - 1);
  SWAGE_RET_CHECK(((a | b | c) & misaligned) == 0, "of ", problem_.ToString());
  SWAGE_RET_CHECK(workspace_bytes_ == 0 || (workspace != 0 && workspace % kWorkspaceAlignment == 0),
                  "of ", problem_.ToString());
  static constexpr float kOne = 1, kZero = 0;
  static constexpr double kOne64 = 1, kZero64 = 0;
  const bool f64 = problem_.dtype == DType::kF64;
  const cublasStatus_t result = library_->cublasLtMatmul(
      handle_, desc_.get(), f64 ? static_cast<const void*>(&kOne64) : &kOne, b, b_layout_.get(), a,
      a_layout_.get(), f64 ? static_cast<const void*>(&kZero64) : &kZero, c, c_layout_.get(), c,
      c_layout_.get(), &algo_, workspace, workspace_bytes_, stream.get());
  if (result == kBlasSuccess) return OkStatus();
  Status status = Annotate(library_->Check(result, "cublasLtMatmul"),
                           absl::StrCat("; asked for ", problem_.ToString()));
  // The driver knows whether it was the card; then its error is the better one, and the device is
  // marked.
  if (result == kBlasExecutionFailed) {
    size_t free = 0, total = 0;
    SWAGE_RETURN_IF_ERROR(
        device_->Check(device_->driver().cuMemGetInfo(&free, &total), "cublasLtMatmul"));
  }
  return status;
}

}  // namespace swage::cuda
