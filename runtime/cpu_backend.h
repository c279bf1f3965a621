// File: runtime/cpu_backend.h
//
// The device "cpu": passes, fusion, kernels through LLVM.
#ifndef SWAGE_RUNTIME_CPU_BACKEND_H_
#define SWAGE_RUNTIME_CPU_BACKEND_H_

#include <memory>
#include <string>
#include <vector>

#include "codegen/executable.h"
#include "compiler/ir/module.h"
#include "compiler/passes/options.h"
#include "compiler/passes/pass.h"
#include "runtime/backend.h"

namespace swage::runtime {

// What the passes have to say goes to the log.
StatusOr<std::shared_ptr<codegen::Executable>> CompileForCpu(const Backend& backend,
                                                             std::unique_ptr<ir::Module> module,
                                                             const passes::CompilerOptions& options,
                                                             Effort effort);

// From now on sizes are compiled into kernels, so that no other size shares them; returns what it
// was. What is in the caches stays there. On all devices; for measurements of what the sharing
// saves.
bool SetBakedDims(bool baked);
bool baked_dims();

// What the passes said of a module, into the log.
void LogMessages(const std::string& module, const std::vector<passes::Message>& messages);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_CPU_BACKEND_H_
