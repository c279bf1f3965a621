// File: codegen/cuda/cublaslt.h
//
// NVIDIA's library of matrix products, opened at run time. Where there is none, or one that lacks a
// function, that is an error with the reason; nothing else of Swage is touched.
//
//   SWAGE_ASSIGN_OR_RETURN(const CublasLt* library, CublasLt::Get());
//   SWAGE_RETURN_IF_ERROR(library->Check(library->cublasLtCreate(&handle), "cublasLtCreate"));
//
// The library (library.h) is SWAGE_LIBCUBLASLT if that is set (`off`: none); else libcublasLt.so.13
// or libcublasLt.so.12, a copy that something else in the process has loaded or one that the loader
// finds. matmul.h is what multiplies.
#ifndef SWAGE_CODEGEN_CUDA_CUBLASLT_H_
#define SWAGE_CODEGEN_CUDA_CUBLASLT_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "base/status.h"
#include "codegen/cuda/cublaslt_types.h"
#include "codegen/cuda/driver_types.h"

namespace swage::cuda {

class CublasLt {
 public:
  // The library of the process, opened once. Unavailable says what is missing and what to do.
  static StatusOr<const CublasLt*> Get();
  // The first of these libraries that the loader finds.
  static StatusOr<std::unique_ptr<CublasLt>> Open(absl::Span<const std::string> paths);

  // What the library calls `result`, with its code: Unimplemented for what it, or the card, cannot
  // do, ResourceExhausted out of memory, Unavailable if it did not start, else Internal. `what` is
  // the call.
  Status Check(cublasStatus_t result, std::string_view what) const;
  // "12.4".
  std::string version() const;
  const std::string& path() const { return path_; }

#define SWAGE_CUBLASLT(result, name, parameters) result(*name) parameters = nullptr;
#include "codegen/cuda/cublaslt_functions.def"
#undef SWAGE_CUBLASLT

 private:
  CublasLt() = default;
  // `library`: of dlopen, which stays open.
  Status Load(void* library);

  std::string path_;
};

}  // namespace swage::cuda

#endif  // SWAGE_CODEGEN_CUDA_CUBLASLT_H_
