// File: codegen/cpu/compile.h
//
// The whole CPU compiler: passes, kernels, buffers, steps.
//
//   SWAGE_ASSIGN_OR_RETURN(auto executable, cpu::Compile(std::move(module), {}));
//   SWAGE_RETURN_IF_ERROR(executable->Run(inputs, outputs));
//
// Thread-safe: any number of compiles may run at once.
#ifndef SWAGE_CODEGEN_CPU_COMPILE_H_
#define SWAGE_CODEGEN_CPU_COMPILE_H_

#include <memory>
#include <vector>

#include "codegen/cpu/kernel_jobs.h"
#include "codegen/executable.h"
#include "compiler/ir/module.h"
#include "compiler/passes/pass.h"
#include "compiler/pipelines/options.h"

namespace swage::cpu {

struct CompileOptions {
  pipelines::CompilerOptions compiler;
  KernelOptions kernels;
};

// `module` verifies and has no layouts but the entry's, which are taken as row-major: that is what
// the buffers of an Executable are. If its shapes have symbols, so has the executable: ForSizes.
// `messages` (may be null) receives what the passes want a person to know. Errors: InvalidArgument
// for bad options, Unimplemented naming an op that the CPU does not have, ResourceExhausted for
// absurd sizes.
StatusOr<std::shared_ptr<codegen::Executable>> Compile(
    std::unique_ptr<ir::Module> module, const CompileOptions& options,
    std::vector<passes::Message>* messages = nullptr);

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_COMPILE_H_
