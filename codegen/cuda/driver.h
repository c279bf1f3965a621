// File: codegen/cuda/driver.h
//
// The CUDA driver, opened at run time. Where there is none, or one that is too old, that is an
// error with the reason; nothing else of Swage is touched.
//
//   SWAGE_ASSIGN_OR_RETURN(const Driver* driver, Driver::Get());
//   SWAGE_RETURN_IF_ERROR(driver->Check(driver->cuMemAlloc(&pointer, bytes), "cuMemAlloc"));
//
// The library (library.h) is SWAGE_LIBCUDA if that is set; else a copy that something else in the
// process has loaded; else libcuda.so.1 or libcuda.so where the loader finds them. Functions are
// those of API 12.0 (driver_functions.def).
#ifndef SWAGE_CODEGEN_CUDA_DRIVER_H_
#define SWAGE_CODEGEN_CUDA_DRIVER_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "base/status.h"
#include "codegen/cuda/driver_types.h"

namespace swage::cuda {

// Whether this process was forked from one that had begun to open a driver. Nothing of a driver may
// be called then, not even to give something back, and no lock may be waited for that is held
// during calls: what other threads of the parent held stays held for good.
bool InForkedChild();

class Driver {
 public:
  // The driver of the process, opened once. Unavailable says what is missing and what to do; so it
  // is in a forked child.
  static StatusOr<const Driver*> Get();
  // The first of these libraries that the loader finds.
  static StatusOr<std::unique_ptr<Driver>> Open(absl::Span<const std::string> paths);

  // What the driver calls `result`, with its code: ResourceExhausted out of memory, Unavailable
  // without a device, InvalidArgument for code that it refuses, NotFound for a name that code does
  // not have, else Internal. `what` is the call.
  Status Check(CUresult result, std::string_view what) const;
  // "12.4".
  std::string version() const;
  const std::string& path() const { return path_; }

  bool has_graphs() const;

#define SWAGE_CUDA_REQUIRED(name, parameters) CUresult(*name) parameters = nullptr;
#define SWAGE_CUDA_OPTIONAL SWAGE_CUDA_REQUIRED
#include "codegen/cuda/driver_functions.def"
#undef SWAGE_CUDA_REQUIRED
#undef SWAGE_CUDA_OPTIONAL

 private:
  Driver() = default;
  // `library`: of dlopen, which stays open.
  Status Load(void* library);

  std::string path_;
  int version_ = 0;
};

// Whether nothing can be done with the context after this error.
bool IsSticky(CUresult result);

}  // namespace swage::cuda

#endif  // SWAGE_CODEGEN_CUDA_DRIVER_H_
