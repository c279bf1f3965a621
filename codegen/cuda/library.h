// File: codegen/cuda/library.h
//
// Opens shared libraries whose names a user may have given, so that what is wrong with a file is an
// error: the loader waits for ever for a pipe, and one that ends too early kills the process.
//
//   StatusOr<void*> library = OpenLibrary("/usr/lib/libcuda.so.1");   // for dlsym; stays open
//
// A name with a slash is a file. One without is that of a copy that something else in the process
// has loaded, or of a file where the loader finds it; no folder but the loader's is looked at.
#ifndef SWAGE_CODEGEN_CUDA_LIBRARY_H_
#define SWAGE_CODEGEN_CUDA_LIBRARY_H_

#include <string>

#include "base/status.h"

namespace swage::cuda {

// Unavailable with the reason.
StatusOr<void*> OpenLibrary(const std::string& name);

}  // namespace swage::cuda

#endif  // SWAGE_CODEGEN_CUDA_LIBRARY_H_
