// File: codegen/program/compile.h
//
// The whole compiler: passes, kernels, buffers, steps, for any target.
//
//   SWAGE_ASSIGN_OR_RETURN(auto executable, codegen::Compile(std::move(module), target, {}));
//   SWAGE_RETURN_IF_ERROR(executable->Run(inputs, outputs));
//
// Thread-safe: any number of compiles may run at once.
#ifndef SWAGE_CODEGEN_PROGRAM_COMPILE_H_
#define SWAGE_CODEGEN_PROGRAM_COMPILE_H_

#include <memory>
#include <vector>

#include "codegen/executable.h"
#include "codegen/program/kernel_jobs.h"
#include "codegen/program/target.h"
#include "compiler/ir/module.h"
#include "compiler/passes/pass.h"
#include "compiler/pipelines/options.h"

namespace swage::codegen {

struct CompileOptions {
  pipelines::CompilerOptions compiler;
  KernelOptions kernels;
};

// `module` verifies and has no layouts but the entry's, which are taken as row-major: that is what
// the buffers of an Executable are. If its shapes have symbols, so has the executable: ForSizes.
// `messages` (may be null) receives what the passes want a person to know. Errors: InvalidArgument
// for bad options, Unimplemented naming an op that the target does not have, ResourceExhausted for
// absurd sizes.
StatusOr<std::shared_ptr<Executable>> Compile(std::unique_ptr<ir::Module> module,
                                              std::shared_ptr<const Target> target,
                                              const CompileOptions& options,
                                              std::vector<passes::Message>* messages = nullptr);

// Dumps and checks look at the passes and their kernels at work: such a compile takes no program
// from a store.
bool IsLookedAt(const CompileOptions& options);

}  // namespace swage::codegen

#endif  // SWAGE_CODEGEN_PROGRAM_COMPILE_H_
