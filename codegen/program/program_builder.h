// File: codegen/program/program_builder.h
//
// Scheduled computations with their kernels into the steps of executables.
#ifndef SWAGE_CODEGEN_PROGRAM_PROGRAM_BUILDER_H_
#define SWAGE_CODEGEN_PROGRAM_PROGRAM_BUILDER_H_

#include <chrono>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "codegen/program/kernel_jobs.h"
#include "codegen/program/target.h"
#include "compiler/ir/dim.h"
#include "compiler/ir/module.h"

namespace swage::codegen {

using KernelMap = absl::flat_hash_map<const ir::Instruction*, KernelJob>;

// Unimplemented, naming the op, when some instruction of a computation that runs is neither a
// kernel nor an alias nor a copy or call.
Status CheckOps(const ir::Module& module, const Target& target);

// The executable of a module that passes CheckOps and has been through all passes, with the kernel
// of every fusion. A symbolic module is built for `sizes`, which have each of its symbols.
// The report's total is the time since `start`.
StatusOr<std::shared_ptr<Executable>> BuildExecutable(const ir::Module& module,
                                                      const KernelMap& kernels,
                                                      const ir::SymbolBinding& sizes,
                                                      const Target& target, CompileReport report,
                                                      std::chrono::steady_clock::time_point start);

}  // namespace swage::codegen

#endif  // SWAGE_CODEGEN_PROGRAM_PROGRAM_BUILDER_H_
