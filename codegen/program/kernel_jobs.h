// File: codegen/program/kernel_jobs.h
//
// From the fusions of a scheduled module to loaded kernels: generalise, plan, look up by key, and
// let LLVM generate what is missing, on all cores.
#ifndef SWAGE_CODEGEN_PROGRAM_KERNEL_JOBS_H_
#define SWAGE_CODEGEN_PROGRAM_KERNEL_JOBS_H_

#include <memory>
#include <string>
#include <vector>

#include "codegen/emit/launch_plan.h"
#include "codegen/entry_store.h"
#include "codegen/executable.h"
#include "codegen/program/kernel_cache.h"
#include "codegen/program/target.h"
#include "compiler/ir/instruction.h"

namespace swage::codegen {

struct KernelOptions {
  bool baked_dims = false;  // compile every extent in; for tests and measurements
  bool keep_texts = false;  // IR and assembly, for dumps
  // Kernels that are not in the cache are generated at CodegenLevel::kNone: for a program that runs
  // until a better one is ready. The bits of results are the same.
  bool quick = false;
  // Where kernels and modules are looked for before they are made, and kept; null: nowhere.
  EntryStore* store = nullptr;
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
  emit::RunTimeSizes sizes;
  // On a CPU, the whole kernel on one thread, about; at the upper bounds of symbols.
  int64_t nanoseconds = 0;
};

// The kernels of jobs whose keys and numbers are known, from the kernel cache or options.store.
// Jobs whose kernel is in neither are left without one.
void FindKernels(std::vector<KernelJob>* jobs, const Target& target, const KernelOptions& options,
                 CompileReport* report);

// The level that a plan deserves: a large kernel is cold until proven otherwise, and kNone is 10 to
// 30 times faster to generate.
CodegenLevel LevelOf(const emit::KernelPlan& plan, const Target& target);

// NotFound when the store does not have it, or what it has does not link.
StatusOr<CompiledKernel> KernelFromStore(const Target& target, EntryStore& store,
                                         const std::string& key);

// Compiles the kernel of every fusion. Fusions whose kernel would be too large are returned in
// `too_large` instead (their jobs have no kernel). Counts and times go to `report`.
StatusOr<std::vector<KernelJob>> CompileKernels(const std::vector<ir::Instruction*>& fusions,
                                                const Target& target, const KernelOptions& options,
                                                CompileReport* report,
                                                std::vector<ir::Instruction*>* too_large);

}  // namespace swage::codegen

#endif  // SWAGE_CODEGEN_PROGRAM_KERNEL_JOBS_H_
