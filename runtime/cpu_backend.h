// File: runtime/cpu_backend.h
//
// The device "cpu": passes, fusion, kernels through LLVM.
#ifndef SWAGE_RUNTIME_CPU_BACKEND_H_
#define SWAGE_RUNTIME_CPU_BACKEND_H_

#include <memory>

#include "codegen/executable.h"
#include "compiler/ir/module.h"
#include "compiler/passes/options.h"
#include "runtime/backend.h"

namespace swage::runtime {

// What the passes have to say goes to the log.
StatusOr<std::shared_ptr<codegen::Executable>> CompileForCpu(const Backend& backend,
                                                             std::unique_ptr<ir::Module> module,
                                                             const passes::CompilerOptions& options,
                                                             Effort effort);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_CPU_BACKEND_H_
