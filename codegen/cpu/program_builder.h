// File: codegen/cpu/program_builder.h
//
// A scheduled computation with its kernels into the steps of a CpuExecutable.
#ifndef SWAGE_CODEGEN_CPU_PROGRAM_BUILDER_H_
#define SWAGE_CODEGEN_CPU_PROGRAM_BUILDER_H_

#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "codegen/cpu/cpu_executable.h"
#include "codegen/cpu/kernel_jobs.h"
#include "compiler/ir/computation.h"

namespace swage::cpu {

using KernelMap = absl::flat_hash_map<const ir::Instruction*, KernelJob>;

// `callees` has the executable of every computation that this one calls. An op that is neither a
// kernel nor an alias is Unimplemented, by name.
StatusOr<CpuProgram> BuildProgram(
    const ir::Computation& computation, const KernelMap& kernels,
    const absl::flat_hash_map<const ir::Computation*, std::shared_ptr<codegen::Executable>>& callees);

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_PROGRAM_BUILDER_H_
