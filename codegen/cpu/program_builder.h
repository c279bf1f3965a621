// File: codegen/cpu/program_builder.h
//
// Scheduled computations with their kernels into the steps of executables.
#ifndef SWAGE_CODEGEN_CPU_PROGRAM_BUILDER_H_
#define SWAGE_CODEGEN_CPU_PROGRAM_BUILDER_H_

#include <chrono>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "codegen/cpu/cpu_executable.h"
#include "codegen/cpu/kernel_jobs.h"
#include "compiler/ir/dim.h"
#include "compiler/ir/module.h"

namespace swage::cpu {

using KernelMap = absl::flat_hash_map<const ir::Instruction*, KernelJob>;

// Unimplemented, naming the op, when some instruction of a computation that runs is neither a
// kernel nor an alias nor a copy or call.
Status CheckOps(const ir::Module& module);

// The executable of a module that passes CheckOps and has been through all passes, with the kernel
// of every fusion. A symbolic module is built for `sizes`, which have each of its symbols.
// `specialise` (may be null): how hot kernels are made better. The report's total is the time since
// `start`.
StatusOr<std::shared_ptr<codegen::Executable>> BuildExecutable(
    const ir::Module& module, const KernelMap& kernels, const ir::SymbolBinding& sizes,
    const Specialisation* specialise, codegen::CompileReport report,
    std::chrono::steady_clock::time_point start);

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_PROGRAM_BUILDER_H_
