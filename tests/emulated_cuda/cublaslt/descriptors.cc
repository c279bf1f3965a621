// Handles, descriptors, layouts, preferences, error texts.
#include "tests/emulated_cuda/cublaslt/descriptors.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

using swage::emulated_cuda::BlasState;

namespace swage::emulated_cuda {

BlasState& BlasState::Get() {
  static auto* const state = new BlasState();
  static const pid_t owner = getpid();
  if (owner != getpid()) {
    std::fputs("emulated cuBLASLt: it is called in a forked child\n", stderr);
    std::abort();
  }
  return *state;
}

}  // namespace swage::emulated_cuda

namespace {

constexpr size_t kVersion = 120800;

template <typename T>
cublasStatus_t Make(std::unordered_set<T*>& live, T** handle, T value) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = new T(value);
  live.insert(*handle);
  return CUBLAS_STATUS_SUCCESS;
}

template <typename T>
cublasStatus_t Destroy(std::unordered_set<T*>& live, T* handle) {
  if (live.erase(handle) == 0) return CUBLAS_STATUS_INVALID_VALUE;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

// Copies an attribute whose size must be that of its place.
template <typename T>
cublasStatus_t Set(T& place, const void* value, size_t bytes) {
  if (value == nullptr || bytes != sizeof(place)) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&place, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

EMULATED_CUBLASLT_API size_t cublasLtGetVersion() { return kVersion; }

EMULATED_CUBLASLT_API const char* cublasLtGetStatusName(cublasStatus_t status) {
  switch (status) {
#define EMULATED_CUBLAS_RESULT(name, number, text) \
  case name:                                       \
    return #name;
    EMULATED_CUBLAS_RESULTS(EMULATED_CUBLAS_RESULT)
#undef EMULATED_CUBLAS_RESULT
  }
  return "unrecognized status";
}

EMULATED_CUBLASLT_API const char* cublasLtGetStatusString(cublasStatus_t status) {
  switch (status) {
#define EMULATED_CUBLAS_RESULT(name, number, text) \
  case name:                                       \
    return text;
    EMULATED_CUBLAS_RESULTS(EMULATED_CUBLAS_RESULT)
#undef EMULATED_CUBLAS_RESULT
  }
  return "unrecognized status";
}

EMULATED_CUBLASLT_API cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  BlasState& state = BlasState::Get();
  const std::lock_guard lock(state.mutex);
  if (state.faults.Has("no_handle")) return CUBLAS_STATUS_NOT_INITIALIZED;
  return Make(state.handles, handle, EmulatedBlas());
}

EMULATED_CUBLASLT_API cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  BlasState& state = BlasState::Get();
  const std::lock_guard lock(state.mutex);
  return Destroy(state.handles, handle);
}

// Whether types go together shows when an algorithm is asked for, as in NVIDIA's.
EMULATED_CUBLASLT_API cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* desc,
                                                              cublasComputeType_t compute,
                                                              cudaDataType_t scale) {
  BlasState& state = BlasState::Get();
  const std::lock_guard lock(state.mutex);
  return Make(state.descs, desc, EmulatedMatmulDesc{compute, scale});
}

EMULATED_CUBLASLT_API cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  BlasState& state = BlasState::Get();
  const std::lock_guard lock(state.mutex);
  return Destroy(state.descs, desc);
}

EMULATED_CUBLASLT_API cublasStatus_t
cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute,
                               const void* value, size_t bytes) {
  BlasState& state = BlasState::Get();
  const std::lock_guard lock(state.mutex);
  if (state.descs.count(desc) == 0) return CUBLAS_STATUS_INVALID_VALUE;
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return Set(desc->transpose_a, value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return Set(desc->transpose_b, value, bytes);
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}

EMULATED_CUBLASLT_API cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout,
                                                                cudaDataType_t type, uint64_t rows,
                                                                uint64_t columns,
                                                                int64_t leading_dimension) {
  BlasState& state = BlasState::Get();
  const std::lock_guard lock(state.mutex);
  return Make(state.layouts, layout, EmulatedMatrixLayout{type, rows, columns, leading_dimension});
}

EMULATED_CUBLASLT_API cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  BlasState& state = BlasState::Get();
  const std::lock_guard lock(state.mutex);
  return Destroy(state.layouts, layout);
}

EMULATED_CUBLASLT_API cublasStatus_t cublasLtMatrixLayoutSetAttribute(
    cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute, const void* value,
    size_t bytes) {
  BlasState& state = BlasState::Get();
  const std::lock_guard lock(state.mutex);
  if (state.layouts.count(layout) == 0) return CUBLAS_STATUS_INVALID_VALUE;
  switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
      return Set(layout->batch_count, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
      return Set(layout->batch_stride, value, bytes);
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}

EMULATED_CUBLASLT_API cublasStatus_t
cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  BlasState& state = BlasState::Get();
  const std::lock_guard lock(state.mutex);
  return Make(state.preferences, preference, EmulatedMatmulPreference());
}

EMULATED_CUBLASLT_API cublasStatus_t
cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  BlasState& state = BlasState::Get();
  const std::lock_guard lock(state.mutex);
  return Destroy(state.preferences, preference);
}

EMULATED_CUBLASLT_API cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t attribute,
    const void* value, size_t bytes) {
  BlasState& state = BlasState::Get();
  const std::lock_guard lock(state.mutex);
  if (state.preferences.count(preference) == 0) return CUBLAS_STATUS_INVALID_VALUE;
  switch (attribute) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
      return Set(preference->max_workspace, value, bytes);
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
      return Set(preference->reduction_schemes, value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
      return Set(preference->alignment[attribute - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES],
                 value, bytes);
    case CUBLASLT_MATMUL_PREF_IMPL_MASK:
      return Set(preference->implementations, value, bytes);
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}

// Beyond cuBLASLt, for tests.
EMULATED_CUBLASLT_API size_t emulatedCublasLtLiveObjects() {
  BlasState& state = BlasState::Get();
  const std::lock_guard lock(state.mutex);
  return state.handles.size() + state.descs.size() + state.layouts.size() +
         state.preferences.size();
}
