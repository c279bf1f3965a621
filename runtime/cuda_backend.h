// File: runtime/cuda_backend.h
//
// The devices "cuda:0" and up: passes, fusion, kernels in PTX, launches through the CUDA driver.
#ifndef SWAGE_RUNTIME_CUDA_BACKEND_H_
#define SWAGE_RUNTIME_CUDA_BACKEND_H_

#include <memory>

#include "codegen/executable.h"
#include "codegen/memory_space.h"
#include "compiler/ir/module.h"
#include "compiler/passes/options.h"
#include "runtime/backend.h"

namespace swage::runtime {

// What the passes have to say goes to the log. Effort::kQuick compiles as well as kFull: the driver
// generates the code.
StatusOr<std::shared_ptr<codegen::Executable>> CompileForCuda(
    const Backend& backend, std::unique_ptr<ir::Module> module,
    const passes::CompilerOptions& options, Effort effort);

StatusOr<codegen::MemorySpace*> CudaMemory(const Backend& backend);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_CUDA_BACKEND_H_
