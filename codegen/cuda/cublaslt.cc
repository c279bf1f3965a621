#include "codegen/cuda/cublaslt.h"

#include <dlfcn.h>

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/env.h"
#include "codegen/cuda/library.h"

namespace swage::cuda {
Status CublasLt::Load(void* library) {
  std::vector<std::string> missing;
  const auto find = [&](const char* name) {
    void* const function = dlsym(library, name);
    if (function == nullptr) missing.emplace_back(name);
    return function;
  };
#define SWAGE_CUBLASLT(result, name, parameters) \
  name = reinterpret_cast<decltype(name)>(find(#name));
#include "codegen/cuda/cublaslt_functions.def"
#undef SWAGE_CUBLASLT
  if (missing.empty()) return OkStatus();
  if (cublasLtCreate == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("[cuda] '", path_, "' is no cuBLASLt: it has no cublasLtCreate"));
  }
  return absl::UnavailableError(
      absl::StrCat("[cuda] cuBLASLt '", path_, "' has no ", missing[0],
                   missing.size() > 1 ? absl::StrCat(" (nor ", missing.size() - 1, " others)") : "",
                   ", expected all functions of cuBLAS 12; update it"));
}

StatusOr<std::unique_ptr<CublasLt>> CublasLt::Open(absl::Span<const std::string> paths) {
  std::string why;
  for (const std::string& path : paths) {
    const StatusOr<void*> opened = OpenLibrary(path);
    if (!opened.ok()) {
      if (why.empty()) why = std::string(opened.status().message());
      continue;
    }
    auto library = std::unique_ptr<CublasLt>(new CublasLt());
    library->path_ = path;
    SWAGE_RETURN_IF_ERROR(library->Load(*opened));
    return library;
  }
  return absl::UnavailableError(absl::StrCat("[cuda] no cuBLASLt: ", why));
}

StatusOr<const CublasLt*> CublasLt::Get() {
  static const auto* const opened = [] {
    const std::optional<std::string> given = GetEnv("SWAGE_LIBCUBLASLT");
    if (given == "off") {
      return new StatusOr<std::unique_ptr<CublasLt>>(
          absl::UnavailableError("[cuda] no cuBLASLt: SWAGE_LIBCUBLASLT=off"));
    }
    std::vector<std::string> paths = {"libcublasLt.so.13", "libcublasLt.so.12"};
    if (given.has_value()) paths = {*given};
    StatusOr<std::unique_ptr<CublasLt>> library = Open(paths);
    if (!library.ok()) {
      library = Annotate(library.status(),
                         "; SWAGE_LIBCUBLASLT may name a libcublasLt.so.13 or libcublasLt.so.12");
    }
    return new StatusOr<std::unique_ptr<CublasLt>>(std::move(library));
  }();
  if (!opened->ok()) return opened->status();
  return (*opened)->get();
}

Status CublasLt::Check(cublasStatus_t result, std::string_view what) const {
  if (result == kBlasSuccess) return OkStatus();
  const std::string message =
      absl::StrCat("[cuda] ", ToAbsl(what), ": ", cublasLtGetStatusName(result), " (", result,
                   "): ", cublasLtGetStatusString(result));
  switch (result) {
    case kBlasNotSupported:
    case kBlasArchMismatch:
      return absl::UnimplementedError(message);
    case kBlasAllocFailed:
      return absl::ResourceExhaustedError(message);
    case kBlasNotInitialized:
    case kBlasLicenseError:
      return absl::UnavailableError(message);
    default:
      return absl::InternalError(message);
  }
}

std::string CublasLt::version() const {
  const size_t version = cublasLtGetVersion();
  return absl::StrCat(version / 10000, ".", version % 10000 / 100);
}

}  // namespace swage::cuda
