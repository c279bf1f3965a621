// File: codegen/cpu/kernel_jobs.h
//
// From the fusions of a scheduled module to loaded kernels: generalise, plan, look up by key, and
// let LLVM generate what is missing, on all cores.
#ifndef SWAGE_CODEGEN_CPU_KERNEL_JOBS_H_
#define SWAGE_CODEGEN_CPU_KERNEL_JOBS_H_

#include <memory>
#include <string>
#include <vector>

#include "codegen/cpu/host_target.h"
#include "codegen/cpu/kernel_cache.h"
#include "codegen/entry_store.h"
#include "codegen/executable.h"
#include "compiler/ir/instruction.h"

namespace swage::cpu {

struct Specialisation;

struct KernelOptions {
  bool baked_dims = false;  // compile every extent in; for tests and measurements
  bool keep_texts = false;  // IR and assembly, for dumps
  // Kernels that are not in the cache are generated at CodegenLevel::kNone: for a program that runs
  // until a better one is ready. The bits of results are the same.
  bool quick = false;
  // Where kernels and modules are looked for before they are made, and kept; null: nowhere.
  codegen::EntryStore* store = nullptr;
  // How hot kernels are specialised in the background (specialise.h); null: they are not.
  const Specialisation* specialise = nullptr;
};

// One fusion of the module and the kernel that runs it.
struct KernelJob {
  ir::Instruction* fusion = nullptr;
  std::shared_ptr<const CompiledKernel> kernel;
  bool hit = false;
  std::string key;                  // of the kernel, serialised
  std::string plan;                 // the schedule in words
  std::vector<ir::Literal> tables;  // further operands, between the fusion's and its results
  // Of the module's symbols, where it has some.
  std::vector<ir::Dim> dims;  // values of the kernel's run-time extents
  ir::Dim tasks = 0;
  // The whole kernel on one thread, about; at the upper bounds of symbols.
  int64_t nanoseconds = 0;
};

// The kernels of jobs whose keys and numbers are known, from the kernel cache or options.store.
// Jobs whose kernel is in neither are left without one.
void FindKernels(std::vector<KernelJob>* jobs, const KernelOptions& options,
                 codegen::CompileReport* report);

// Compiles the kernel of every fusion. Fusions whose kernel would be too large are returned in
// `too_large` instead (their jobs have no kernel). Counts and times go to `report`.
StatusOr<std::vector<KernelJob>> CompileKernels(const std::vector<ir::Instruction*>& fusions,
                                                const HostTarget& target,
                                                const KernelOptions& options,
                                                codegen::CompileReport* report,
                                                std::vector<ir::Instruction*>* too_large);

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_KERNEL_JOBS_H_
