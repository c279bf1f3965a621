// cublasLtMatmulAlgoGetHeuristic and cublasLtMatmul. What does not fit is refused with the codes
// that NVIDIA's documentation gives: INVALID_VALUE for sizes, pointers and algorithms that do not
// fit together, NOT_SUPPORTED for types that have no algorithm.
#include <memory>
#include <vector>

#include "tests/emulated_cuda/cublaslt/descriptors.h"
#include "tests/emulated_cuda/cublaslt/product.h"
#include "tests/emulated_cuda/libraries.h"

using swage::emulated_cuda::BlasState;
using swage::emulated_cuda::BytesOf;
using swage::emulated_cuda::Compute;
using swage::emulated_cuda::Product;
using swage::emulated_cuda::Rounding;

namespace {

constexpr uint64_t kAlgoMark = 0x656d756c61746564;  // data[0] of every algorithm
// Sums of so many terms are split.
constexpr uint64_t kSplitTerms = 64;
constexpr size_t kSplitWorkspace = 4096;
constexpr uint64_t kWorkspaceAlignment = 256;

struct Candidate {
  Rounding rounding;
  uint64_t implementation;  // bits of cublasLtNumericalImplFlags_t
  uint32_t reduction;       // cublasLtReductionScheme_t
  size_t workspace;
};

bool FitsShape(const EmulatedMatrixLayout& layout, uint64_t rows, uint64_t columns, int32_t batch) {
  return layout.rows == rows && layout.columns == columns && layout.batch_count == batch &&
         layout.leading_dimension >= static_cast<int64_t>(rows);
}

bool IsOperation(int32_t value) { return value == CUBLAS_OP_N || value == CUBLAS_OP_T; }

// Whether sizes and strides make a product.
bool FitsTogether(const Product& p) {
  if (!IsOperation(p.desc.transpose_a) || !IsOperation(p.desc.transpose_b)) return false;
  const bool ta = p.desc.transpose_a == CUBLAS_OP_T, tb = p.desc.transpose_b == CUBLAS_OP_T;
  const uint64_t m = p.d.rows, n = p.d.columns, k = ta ? p.a.rows : p.a.columns;
  const int32_t batch = p.d.batch_count;
  if (m == 0 || n == 0 || k == 0 || batch <= 0) return false;
  if (batch > 1 && p.d.batch_stride == 0) return false;
  return FitsShape(p.a, ta ? k : m, ta ? m : k, batch) &&
         FitsShape(p.b, tb ? n : k, tb ? k : n, batch) && FitsShape(p.c, m, n, batch) &&
         FitsShape(p.d, m, n, batch);
}

// Whether there is an algorithm for such types.
bool HasTypes(const Product& p) {
  if (p.a.type != p.b.type || p.c.type != p.d.type) return false;
  if (p.desc.compute == CUBLAS_COMPUTE_64F) {
    return p.desc.scale == CUDA_R_64F && p.a.type == CUDA_R_64F && p.d.type == CUDA_R_64F;
  }
  if (p.desc.compute != CUBLAS_COMPUTE_32F || p.desc.scale != CUDA_R_32F) return false;
  if (p.a.type == CUDA_R_32F) return p.d.type == CUDA_R_32F;
  if (p.a.type != CUDA_R_16F && p.a.type != CUDA_R_16BF) return false;
  return p.d.type == p.a.type || p.d.type == CUDA_R_32F;
}

// All algorithms for a product, the fastest first: those that round more than they must come before
// those that do not, so that a program gets them unless it forbids them.
std::vector<Candidate> Candidates(const Product& p, bool tf32) {
  uint64_t implementation = 0;
  switch (p.a.type) {
    case CUDA_R_64F:
      implementation = CUBLASLT_NUMERICAL_IMPL_FLAGS_DMMA |
                       CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_64F |
                       CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_64F;
      break;
    case CUDA_R_32F:
      implementation = CUBLASLT_NUMERICAL_IMPL_FLAGS_FMA |
                       CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_32F |
                       CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_32F;
      break;
    default:
      implementation =
          CUBLASLT_NUMERICAL_IMPL_FLAGS_HMMA | CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_32F |
          (p.a.type == CUDA_R_16F ? uint64_t{CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_16F}
                                  : uint64_t{CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_16BF});
  }
  std::vector<Candidate> candidates;
  if (tf32 && p.a.type == CUDA_R_32F) {
    candidates.push_back({Rounding::kTf32,
                          CUBLASLT_NUMERICAL_IMPL_FLAGS_HMMA |
                              CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_32F |
                              CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_TF32,
                          CUBLASLT_REDUCTION_SCHEME_NONE, 0});
  }
  const uint64_t terms = p.desc.transpose_a == CUBLAS_OP_T ? p.a.rows : p.a.columns;
  if (terms >= kSplitTerms) {
    candidates.push_back({Rounding::kInParts, implementation, CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE,
                          kSplitWorkspace});
    candidates.push_back({Rounding::kExact, implementation, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE,
                          kSplitWorkspace});
  }
  candidates.push_back({Rounding::kExact, implementation, CUBLASLT_REDUCTION_SCHEME_NONE, 0});
  return candidates;
}

// Ties an algorithm to the configuration that it was found for.
uint64_t Digest(const Product& p) {
  uint64_t digest = 14695981039346656037u;
  const auto add = [&](uint64_t value) { digest = (digest ^ value) * 1099511628211u; };
  add(p.desc.compute);
  add(static_cast<uint64_t>(p.desc.transpose_a));
  add(static_cast<uint64_t>(p.desc.transpose_b));
  for (const EmulatedMatrixLayout* layout : {&p.a, &p.b, &p.c, &p.d}) {
    add(layout->type);
    add(layout->rows);
    add(layout->columns);
    add(static_cast<uint64_t>(layout->leading_dimension));
    add(static_cast<uint64_t>(layout->batch_count));
    add(static_cast<uint64_t>(layout->batch_stride));
  }
  return digest;
}

cublasLtMatmulAlgo_t Encode(const Candidate& candidate, const Product& product,
                            const EmulatedMatmulPreference& preference) {
  cublasLtMatmulAlgo_t algo = {};
  algo.data[0] = kAlgoMark;
  algo.data[1] = static_cast<uint64_t>(candidate.rounding);
  algo.data[2] = candidate.workspace;
  algo.data[3] = Digest(product);
  for (int i = 0; i < 4; ++i) algo.data[4 + i] = preference.alignment[i];
  return algo;
}

// The product of live descriptors, or nothing.
std::unique_ptr<Product> Gather(BlasState& state, cublasLtHandle_t handle,
                                cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
                                cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                                cublasLtMatrixLayout_t d) {
  if (state.handles.count(handle) == 0 || state.descs.count(desc) == 0) return nullptr;
  for (cublasLtMatrixLayout_t layout : {a, b, c, d}) {
    if (state.layouts.count(layout) == 0) return nullptr;
  }
  auto product = std::make_unique<Product>();
  product->desc = *desc;
  product->a = *a;
  product->b = *b;
  product->c = *c;
  product->d = *d;
  return product;
}

double ReadScale(cudaDataType_t type, const void* value) {
  return type == CUDA_R_64F ? *static_cast<const double*>(value)
                            : double{*static_cast<const float*>(value)};
}

// Whether the algorithm is one for this product, and the pointers and workspace are what it needs.
bool Accepts(const cublasLtMatmulAlgo_t& algo, const Product& p, size_t workspace_bytes) {
  if (algo.data[0] != kAlgoMark || algo.data[3] != Digest(p)) return false;
  const uint64_t addresses[] = {p.a_address, p.b_address, p.c_address, p.d_address};
  for (int i = 0; i < 4; ++i) {
    if (addresses[i] == 0 || addresses[i] % algo.data[4 + i] != 0) return false;
  }
  if (algo.data[2] == 0) return true;
  return workspace_bytes >= algo.data[2] && p.workspace != 0 &&
         p.workspace % kWorkspaceAlignment == 0;
}

}  // namespace

EMULATED_CUBLASLT_API cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
    cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
    cublasLtMatmulPreference_t preference, int wanted, cublasLtMatmulHeuristicResult_t* results,
    int* found) {
  BlasState& state = BlasState::Get();
  const std::lock_guard lock(state.mutex);
  if (results == nullptr || found == nullptr || wanted <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  *found = 0;
  const std::unique_ptr<Product> product = Gather(state, handle, desc, a, b, c, d);
  if (product == nullptr || state.preferences.count(preference) == 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (state.faults.Has("no_algorithm")) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (state.faults.Has("no_results")) return CUBLAS_STATUS_SUCCESS;
  if (!FitsTogether(*product)) return CUBLAS_STATUS_INVALID_VALUE;
  if (!HasTypes(*product)) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (state.faults.Has("first_result_invalid")) {
    results[(*found)++].state = CUBLAS_STATUS_NOT_SUPPORTED;
  }
  for (const Candidate& candidate : Candidates(*product, state.faults.Has("tf32"))) {
    if (*found == wanted) break;
    if ((candidate.implementation & ~preference->implementations) != 0) continue;
    if ((candidate.reduction & ~preference->reduction_schemes) != 0) continue;
    if (candidate.workspace > preference->max_workspace) continue;
    results[(*found)++] = {Encode(candidate, *product, *preference),
                           candidate.workspace,
                           CUBLAS_STATUS_SUCCESS,
                           1.0f,
                           {}};
  }
  return *found > 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

EMULATED_CUBLASLT_API cublasStatus_t cublasLtMatmul(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void* alpha, uint64_t a_address,
    cublasLtMatrixLayout_t a, uint64_t b_address, cublasLtMatrixLayout_t b, const void* beta,
    uint64_t c_address, cublasLtMatrixLayout_t c, uint64_t d_address, cublasLtMatrixLayout_t d,
    const cublasLtMatmulAlgo_t* algo, uint64_t workspace, size_t workspace_bytes, CUstream stream) {
  BlasState& state = BlasState::Get();
  std::unique_ptr<Product> product;
  {
    const std::lock_guard lock(state.mutex);
    product = Gather(state, handle, desc, a, b, c, d);
    if (product == nullptr || alpha == nullptr || beta == nullptr || algo == nullptr)
      return CUBLAS_STATUS_INVALID_VALUE;
    if (state.faults.Hit("execution_failed")) return CUBLAS_STATUS_EXECUTION_FAILED;
  }
  product->alpha = ReadScale(product->desc.scale, alpha);
  product->beta = ReadScale(product->desc.scale, beta);
  product->a_address = a_address;
  product->b_address = b_address;
  product->c_address = c_address;
  product->d_address = d_address;
  product->workspace = workspace;
  if (!Accepts(*algo, *product, workspace_bytes)) return CUBLAS_STATUS_INVALID_VALUE;
  product->rounding = static_cast<Rounding>(algo->data[1]);
  product->workspace_bytes = algo->data[2];
  const CUresult result = emulatedCudaEnqueue(
      stream, [](const void* data) { Compute(*static_cast<const Product*>(data)); },
      product.release(), [](void* data) { delete static_cast<Product*>(data); });
  return result == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
