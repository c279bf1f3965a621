// File: runtime/program.h
//
// From a module to results: options of a compile, the process-wide cache, running on tensors.
#ifndef SWAGE_RUNTIME_PROGRAM_H_
#define SWAGE_RUNTIME_PROGRAM_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "codegen/executable.h"
#include "compiler/passes/options.h"
#include "runtime/backend.h"
#include "runtime/jit.h"

namespace swage::runtime {

// JitOptions, with the environment where they are silent.
struct ResolvedOptions {
  const Backend* backend = nullptr;
  passes::CompilerOptions compiler;
  std::string key;  // of all that decides what is compiled
};
StatusOr<ResolvedOptions> ResolveOptions(const JitOptions& options);
// Of ops that run at once: the environment alone.
const ResolvedOptions& EagerOptions();

struct Compiled {
  std::shared_ptr<codegen::Executable> executable;
  bool cached = false;  // it was in the module cache: nothing was compiled
};
// Through the process-wide module cache. `reason` goes into the log line of a compile.
StatusOr<Compiled> CompileModule(std::unique_ptr<ir::Module> module, const ResolvedOptions& options,
                                 std::string_view reason);

// Allocates the results and runs. inputs are concrete and have the executable's input shapes.
StatusOr<std::vector<Tensor>> RunExecutable(codegen::Executable& executable,
                                            absl::Span<const Tensor* const> inputs);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_PROGRAM_H_
