// File: runtime/program.h
//
// From a module to results: options of a compile, the process-wide cache, running on tensors.
#ifndef SWAGE_RUNTIME_PROGRAM_H_
#define SWAGE_RUNTIME_PROGRAM_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "cache/module_cache.h"
#include "cache/policy/policy.h"
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
  OnMiss on_miss = OnMiss::kWait;
  int64_t max_compiles = 0;  // 0: no limit
  policy::OnLimit on_limit = policy::OnLimit::kError;
  bool exact_sizes = false;  // by the user's choice

  // The same for the evaluator.
  ResolvedOptions Interpreted() const;
  // The same for a program of open sizes: hints for decisions, and what padding of arguments holds,
  // if anything is padded and the environment does not say.
  ResolvedOptions ForOpenSizes(std::vector<ir::SizeHint> hints, passes::PadValues pad_values) const;
};
// `policy`: what the configuration file says of the function; the options and the environment beat
// it. Null: nothing.
StatusOr<ResolvedOptions> ResolveOptions(const JitOptions& options,
                                         const policy::FunctionPolicy* policy = nullptr);
// Of a value that is no enumerator.
Status CheckOnMiss(OnMiss policy);
// Of ops that run at once: the environment alone, but that they run where an operand is, if one is
// on a device.
const ResolvedOptions& EagerOptions(absl::Span<const Tensor> operands);

// Which tier had a program.
inline constexpr std::string_view kCompiledTier = "compiled", kMemoryTier = "memory",
                                  kStoredTier = "stored";

struct Compiled {
  cache::ProgramPtr program;
  std::string_view tier;
  // Of a stand-in: what is to be compiled in earnest. Else null.
  std::unique_ptr<ir::Module> unfinished;

  codegen::Executable& executable() const { return *program->executable(); }
  bool cached() const { return tier == kMemoryTier; }
};
// Counts a compile or load among those of a function.
void AddReport(const codegen::CompileReport& report, JitStats* stats);

// Through the process-wide module cache. `reason` goes into the log line of a compile. With
// Effort::kQuick a program that is not in the cache may come as a stand-in.
StatusOr<Compiled> CompileModule(std::unique_ptr<ir::Module> module, const ResolvedOptions& options,
                                 std::string_view reason, Effort effort = Effort::kFull);

// Allocates the results where the executable runs, and runs. inputs are concrete and have its input
// shapes; those of the host are copied there.
StatusOr<std::vector<Tensor>> RunExecutable(codegen::Executable& executable,
                                            absl::Span<const Tensor* const> inputs);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_PROGRAM_H_
