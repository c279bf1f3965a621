#include "codegen/program/compile.h"

#include <chrono>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/build_id.h"
#include "base/clock.h"
#include "codegen/program/entry_key.h"
#include "codegen/program/module_entry.h"
#include "codegen/program/padding_check.h"
#include "codegen/program/program_builder.h"
#include "codegen/program/split_fusion.h"
#include "codegen/program/symbolic_executable.h"
#include "compiler/ir/assumptions.h"
#include "compiler/ir/bind_symbols.h"
#include "compiler/ir/decision_extent.h"
#include "compiler/ir/fingerprint.h"

namespace swage::codegen {
namespace {

using Clock = std::chrono::steady_clock;

void UseRowMajor(ir::Shape* shape) {
  if (shape->is_tuple()) {
    for (int i = 0; i < shape->tuple_size(); ++i) UseRowMajor(shape->mutable_tuple_shape(i));
  } else if (shape->is_array()) {
    shape->set_layout(ir::Layout::RowMajor(shape->rank()));
  }
}

// Executables take and give row-major buffers, whatever layouts the border of the program asks for.
void UseRowMajorBorder(ir::Module* module) {
  if (!module->entry_layout().has_value()) return;
  ir::EntryLayout border = *module->entry_layout();
  for (ir::Shape& parameter : border.parameters) UseRowMajor(&parameter);
  UseRowMajor(&border.result);
  module->set_entry_layout(std::move(border));
}

// Kernels of all fusions; one that would be too large is taken apart into single ops.
StatusOr<KernelMap> KernelsOf(ir::Module* module, const Target& target,
                              const KernelOptions& options, CompileReport* report) {
  KernelMap kernels;
  std::vector<ir::Instruction*> todo = Fusions(*module);
  while (!todo.empty()) {
    std::vector<ir::Instruction*> too_large;
    SWAGE_ASSIGN_OR_RETURN(std::vector<KernelJob> jobs,
                           CompileKernels(todo, target, options, report, &too_large));
    for (KernelJob& job : jobs) {
      if (job.kernel != nullptr) kernels[job.fusion] = std::move(job);
    }
    todo.clear();
    for (ir::Instruction* fusion : too_large) {
      SWAGE_ASSIGN_OR_RETURN(std::vector<ir::Instruction*> parts, SplitFusion(fusion));
      todo.insert(todo.end(), parts.begin(), parts.end());
    }
  }
  return kernels;
}

void DumpKernels(const KernelMap& kernels, const ir::Module& module, const Target& target,
                 passes::PassContext* context) {
  for (const ir::Instruction* fusion : Fusions(module)) {
    const KernelJob& job = kernels.at(fusion);
    const std::string& name = fusion->fused_computation()->name();
    const std::string what = absl::StrCat("kernel of ", fusion->name(), ": ", job.plan);
    if (!job.kernel->ir.empty()) {
      context->DumpFile(absl::StrCat(name, ".ll"), job.kernel->ir, "LLVM IR, " + what);
      context->DumpFile(absl::StrCat(name, ".", ToAbsl(target.assembly_suffix())),
                        job.kernel->assembly, "assembly, " + what);
    }
  }
}

std::shared_ptr<const std::vector<CompileReport::PassTime>> PassTimes(
    const passes::PassContext& context) {
  auto times = std::make_shared<std::vector<CompileReport::PassTime>>();
  absl::flat_hash_map<std::string_view, size_t> index;
  for (const passes::PassRun& run : context.runs()) {
    if (run.skipped) continue;
    const auto [at, is_new] = index.try_emplace(run.name, times->size());
    if (is_new) times->push_back({run.name, 0});
    (*times)[at->second].ms += run.milliseconds;
  }
  return times;
}

void AddPhases(const CompileReport& report, passes::PassContext* context) {
  context->AddPhase("plan", report.plan_ms);
  context->AddPhase("llvm", report.llvm_ms);
  context->AddPhase("link", report.link_ms);
  context->AddPhase("load", report.load_ms);
}

// A program that runs, or one that waits for sizes.
StatusOr<std::shared_ptr<Executable>> Finish(std::unique_ptr<ir::Module> module, KernelMap kernels,
                                             std::shared_ptr<const Target> target,
                                             CompileReport report, Clock::time_point start) {
  if (!ir::HasSymbols(*module)) {
    return BuildExecutable(*module, kernels, {}, *target, report, start);
  }
  report.total_ms = MillisecondsSince(start);
  return std::make_shared<SymbolicExecutable>(std::move(module), std::move(kernels),
                                              std::move(target), report);
}

// The program of a stored module. NotFound when it is not there, or is of no use; kernels that are
// missing are compiled.
StatusOr<std::shared_ptr<Executable>> LoadModule(const std::string& key,
                                                 const std::shared_ptr<const Target>& target,
                                                 const KernelOptions& options,
                                                 Clock::time_point start) {
  CompileReport report;
  report.module_load = true;
  SWAGE_ASSIGN_OR_RETURN(const std::string bytes, options.store->Get(EntryKind::kModule, key));
  SWAGE_ASSIGN_OR_RETURN(ModuleEntry entry, DecodeModuleEntry(bytes));
  FindKernels(&entry.jobs, *target, options, &report);
  KernelMap kernels;
  std::vector<ir::Instruction*> missing;
  for (KernelJob& job : entry.jobs) {
    ir::Instruction* fusion = job.fusion;
    if (job.kernel == nullptr) {
      missing.push_back(fusion);
    } else {
      kernels[fusion] = std::move(job);
    }
  }
  std::vector<ir::Instruction*> too_large;
  SWAGE_ASSIGN_OR_RETURN(std::vector<KernelJob> jobs,
                         CompileKernels(missing, *target, options, &report, &too_large));
  SWAGE_RET_CHECK(too_large.empty(), "a kernel that was stored is now too large");
  SWAGE_RETURN_IF_ERROR(CheckOps(*entry.module, *target));
  for (KernelJob& job : jobs) kernels[job.fusion] = std::move(job);
  return Finish(std::move(entry.module), std::move(kernels), target, report, start);
}

// The options of the kernels without what this compile must not do.
KernelOptions Allowed(const CompileOptions& options) {
  KernelOptions kernels = options.kernels;
  // Entries of a build that cannot be told from another are never safe.
  if (BuildId().empty()) kernels.store = nullptr;
  return kernels;
}

}  // namespace

bool IsLookedAt(const CompileOptions& options) {
  const pipelines::CompilerOptions& compiler = options.compiler;
  return options.kernels.keep_texts || !compiler.dump_to.empty() || compiler.check_lies ||
         compiler.check_passes;
}

StatusOr<std::shared_ptr<Executable>> Compile(std::unique_ptr<ir::Module> module,
                                              std::shared_ptr<const Target> target,
                                              const CompileOptions& options,
                                              std::vector<passes::Message>* messages) {
  const Clock::time_point start = Clock::now();
  if (options.compiler.check_padding && ir::HasSymbols(*module)) {
    return CompileChecked(*module, target, options, messages);
  }
  CompileReport report;
  // What the sizes must be like is known from whoever made the module: passes need not prove it.
  ir::AssumptionScope sizes_fit;
  const ir::SizeHints hints(options.compiler.size_hints);
  UseRowMajorBorder(module.get());
  KernelOptions kernel_options = Allowed(options);
  const bool may_load = kernel_options.store != nullptr && !IsLookedAt(options);
  std::string key;
  std::unique_ptr<EntryStore::Reservation> reservation;
  if (may_load) {
    const KeyMaterial material = ModuleKey(*target, options.kernels.baked_dims, options.compiler,
                                           ir::CanonicalText(*module));
    key = material.Serialise();
    auto loaded = LoadModule(key, target, kernel_options, start);
    if (loaded.ok()) return loaded;
    // A stand-in must not wait for another process.
    if (!kernel_options.quick) {
      reservation = kernel_options.store->Reserve(EntryKind::kModule, key);
    }
    if (reservation != nullptr) {
      loaded = LoadModule(key, target, kernel_options, start);
      if (loaded.ok()) return loaded;
    }
    report.missed_key = std::make_shared<const KeyMaterial>(material.Shortened());
  }
  passes::PassContext context(options.compiler, &target->description());
  const Status passes = target->RunPasses(module.get(), context);
  if (messages != nullptr) *messages = context.messages();
  SWAGE_RETURN_IF_ERROR(passes);
  report.passes_ms = MillisecondsSince(start);
  report.pass_times = PassTimes(context);

  SWAGE_RETURN_IF_ERROR(CheckOps(*module, *target));
  kernel_options.keep_texts = kernel_options.keep_texts || context.is_dumping();
  SWAGE_ASSIGN_OR_RETURN(KernelMap kernels,
                         KernelsOf(module.get(), *target, kernel_options, &report));
  AddPhases(report, &context);
  if (context.is_dumping()) DumpKernels(kernels, *module, *target, &context);
  const bool keep = may_load && report.quick_kernels == 0;
  std::string entry;
  if (keep) entry = EncodeModuleEntry(*module, kernels);
  SWAGE_ASSIGN_OR_RETURN(auto executable,
                         Finish(std::move(module), std::move(kernels), target, report, start));
  if (keep) kernel_options.store->Put(EntryKind::kModule, key, entry);
  return executable;
}

}  // namespace swage::codegen
