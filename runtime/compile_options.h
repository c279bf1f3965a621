// File: runtime/compile_options.h
//
// What the backends that compile have in common.
#ifndef SWAGE_RUNTIME_COMPILE_OPTIONS_H_
#define SWAGE_RUNTIME_COMPILE_OPTIONS_H_

#include <memory>
#include <vector>

#include "base/function_ref.h"
#include "codegen/program/compile.h"
#include "compiler/ir/module.h"
#include "compiler/passes/options.h"
#include "runtime/backend.h"

namespace swage::runtime {

using CompileFn = FunctionRef<StatusOr<std::shared_ptr<codegen::Executable>>(
    std::unique_ptr<ir::Module> module, const codegen::CompileOptions& options,
    std::vector<passes::Message>* messages)>;

// Calls `compile` with these options and the store of the process; what the passes have to say goes
// to the log.
StatusOr<std::shared_ptr<codegen::Executable>> CompileAndTell(
    std::unique_ptr<ir::Module> module, const passes::CompilerOptions& options, Effort effort,
    CompileFn compile);

// From now on sizes are compiled into kernels, so that no other size shares them; returns what it
// was. What is in the caches stays there. On all devices; for measurements of what the sharing
// saves.
bool SetBakedDims(bool baked);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_COMPILE_OPTIONS_H_
