#include "codegen/cpu/kernel_jobs.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/parallel_for.h"
#include "codegen/cpu/entry_key.h"
#include "codegen/cpu/literal_table.h"
#include "codegen/cpu/object_emitter.h"
#include "codegen/emit/generalise.h"
#include "codegen/emit/kernel_emitter.h"
#include "codegen/emit/schedule.h"
#include "compiler/cost/cost_model.h"
#include "compiler/ir/computation.h"
#include "compiler/ir/fingerprint.h"
#include "llvm/IR/LLVMContext.h"

namespace swage::cpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kEntryName[] = "swage_kernel";
// A slice of a kernel that is worth a thread.
constexpr double kSliceNanoseconds = 10000;
constexpr int64_t kSlicesPerThread = 4;

double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// What a job needs until its kernel exists.
struct Planned {
  emit::GeneralisedFusion generalised;
  std::vector<ir::Literal> tables;
  emit::KernelPlan plan;
  CodegenLevel level = CodegenLevel::kDefault;
  bool quick = false;  // below the level that it should have
  std::string key;
  Status status;
  double plan_ms = 0;
};

// A large kernel is cold until proven otherwise, and kNone is 10 to 30 times faster to generate.
CodegenLevel LevelOf(const emit::KernelPlan& plan) {
  return plan.is_large ? CodegenLevel::kNone : CodegenLevel::kDefault;
}

emit::EmitOptions EmitOptionsFor(const HostTarget& target) {
  return emit::EmitOptions::For(target.vector_bytes(), target.Has("avx512bf16"));
}

StatusOr<Planned> Plan(const ir::Instruction& fusion, const HostTarget& target,
                       const KernelOptions& options) {
  const Clock::time_point start = Clock::now();
  Planned planned;
  SWAGE_ASSIGN_OR_RETURN(planned.generalised,
                         emit::Generalise(*fusion.fused_computation(), options.baked_dims));
  if (fusion.attrs<ir::FusionAttrs>().kind == ir::FusionKind::kLoop &&
      planned.generalised.fusion->instruction_count() > emit::kLargeLoop) {
    SWAGE_ASSIGN_OR_RETURN(planned.tables, TakeOutLiterals(planned.generalised.fusion));
  }
  SWAGE_ASSIGN_OR_RETURN(planned.plan,
                         emit::PlanKernel(*planned.generalised.fusion, EmitOptionsFor(target)));
  const std::string text = ir::CanonicalText(*planned.generalised.fusion);
  const auto key_of = [&](CodegenLevel level) {
    return KernelKey(target, level, EmitOptionsFor(target).ToString(), text).Serialise();
  };
  planned.level = LevelOf(planned.plan);
  planned.key = key_of(planned.level);
  planned.quick = options.quick && planned.level != CodegenLevel::kNone &&
                  KernelCache::Get().Peek(planned.key) == nullptr;
  if (planned.quick) {
    planned.level = CodegenLevel::kNone;
    planned.key = key_of(planned.level);
  }
  planned.plan_ms = MillisecondsSince(start);
  return planned;
}

// The kernel from its object file.
StatusOr<CompiledKernel> Link(std::string object) {
  CompiledKernel kernel;
  const Clock::time_point start = Clock::now();
  SWAGE_ASSIGN_OR_RETURN(KernelLoader * loader, KernelLoader::Get());
  SWAGE_ASSIGN_OR_RETURN(kernel.code, loader->Load(object, kEntryName));
  kernel.link_ms = MillisecondsSince(start);
  kernel.object = std::move(object);
  return kernel;
}

// NotFound when the store does not have it, or what it has does not link.
StatusOr<CompiledKernel> FromStore(codegen::EntryStore& store, const std::string& key) {
  SWAGE_ASSIGN_OR_RETURN(std::string object, store.Get(codegen::EntryKind::kKernel, key));
  SWAGE_ASSIGN_OR_RETURN(CompiledKernel kernel, Link(std::move(object)));
  kernel.stored = true;
  return kernel;
}

StatusOr<CompiledKernel> Generate(const Planned& planned, const HostTarget& target,
                                  const KernelOptions& options) {
  const Clock::time_point start = Clock::now();
  llvm::LLVMContext context;
  llvm::Module module(kEntryName, context);
  SWAGE_RETURN_IF_ERROR(emit::EmitKernel(planned.plan, &module, kEntryName).status());
  const double emit_ms = MillisecondsSince(start);
  EmitOptions emit_options;
  emit_options.level = planned.level;
  emit_options.keep_ir = options.keep_texts;
  emit_options.keep_assembly = options.keep_texts;
  SWAGE_ASSIGN_OR_RETURN(EmittedObject object, EmitObject(module, target, emit_options));
  SWAGE_ASSIGN_OR_RETURN(CompiledKernel kernel, Link(std::move(object.object)));
  kernel.emit_ms = emit_ms;
  kernel.llvm_ms = object.passes_ms + object.codegen_ms;
  kernel.ir = std::move(object.ir_after);
  kernel.assembly = std::move(object.assembly);
  return kernel;
}

StatusOr<CompiledKernel> LoadOrGenerate(const Planned& planned, const HostTarget& target,
                                        const KernelOptions& options) {
  if (options.store == nullptr || options.keep_texts) return Generate(planned, target, options);
  StatusOr<CompiledKernel> stored = FromStore(*options.store, planned.key);
  if (stored.ok()) return stored;
  SWAGE_ASSIGN_OR_RETURN(CompiledKernel kernel, Generate(planned, target, options));
  if (!planned.quick) options.store->Put(codegen::EntryKind::kKernel, planned.key, kernel.object);
  return kernel;
}

// Nanoseconds of the whole kernel on one thread, about.
double EstimateNanoseconds(const ir::Instruction& fusion) {
  const cost::DeviceDescription& device = cost::HostCpu();
  double cycles = 0;
  for (const ir::Instruction* op : fusion.fused_computation()->Instructions()) {
    cycles += cost::WorkOf(*op, device).cycles;
  }
  double bytes = static_cast<double>(cost::BytesClass(fusion.shape()));
  for (const ir::Instruction* operand : fusion.operands()) {
    bytes += static_cast<double>(cost::BytesClass(operand->shape()));
  }
  return cycles / device.clock_ghz + bytes / device.dram_gb_per_s_core;
}

Status FillRunTimeSizes(const ir::Instruction& fusion, const Planned& planned, KernelJob* job) {
  ir::SymbolBinding binding;
  for (size_t i = 0; i < planned.generalised.symbols.size(); ++i) {
    const std::optional<int64_t> value = planned.generalised.values[i];
    if (!value.has_value()) {
      return Unimplemented("[compile] ", fusion.name(), " has the symbolic extent ",
                           planned.generalised.symbols[i].ToString(),
                           "; programs with symbols do not run on the cpu yet");
    }
    SWAGE_RETURN_IF_ERROR(binding.Bind(planned.generalised.symbols[i], *value));
  }
  for (const ir::Dim& dim : planned.plan.dims) {
    SWAGE_ASSIGN_OR_RETURN(int64_t value, dim.Evaluate(binding));
    job->dims.push_back(value);
  }
  SWAGE_ASSIGN_OR_RETURN(job->tasks, planned.plan.tasks.Evaluate(binding));
  const double per_task =
      EstimateNanoseconds(fusion) / static_cast<double>(std::max<int64_t>(1, job->tasks));
  job->min_grain = static_cast<int64_t>(kSliceNanoseconds / std::max(per_task, 1e-3)) + 1;
  SetGrain(job);
  return OkStatus();
}

void Count(const KernelJob& job, codegen::CompileReport* report) {
  ++report->kernels;
  if (job.hit) {
    ++report->kernel_hits;
    return;
  }
  report->link_ms += job.kernel->link_ms;
  if (job.kernel->stored) {
    ++report->kernel_loads;
    return;
  }
  ++report->llvm_runs;
  report->llvm_ms += job.kernel->emit_ms + job.kernel->llvm_ms;
}

// About how much code a fusion becomes: a dot is hundreds of instructions, a reduction a few loops.
int64_t CodeSize(const ir::Instruction& fusion) {
  constexpr int64_t kDot = 100, kReduce = 10;
  int64_t size = 0;
  for (const ir::Instruction* op : fusion.fused_computation()->Instructions()) {
    size += op->opcode() == ir::Opcode::kDot      ? kDot
            : op->opcode() == ir::Opcode::kReduce ? kReduce
                                                  : 1;
  }
  return size;
}

// One job for each key, those with the most code first.
std::vector<int64_t> LongestFirst(const std::vector<KernelJob>& jobs) {
  absl::flat_hash_set<std::string_view> keys;
  std::vector<std::pair<int64_t, int64_t>> sizes;
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (!keys.insert(jobs[i].key).second) continue;
    sizes.emplace_back(-CodeSize(*jobs[i].fusion), static_cast<int64_t>(i));
  }
  std::sort(sizes.begin(), sizes.end());
  std::vector<int64_t> order;
  for (const auto& [size, i] : sizes) order.push_back(i);
  return order;
}

// The kernel of every job that is planned; what goes wrong is its status.
void MakeKernels(const HostTarget& target, const KernelOptions& options,
                 std::vector<Planned>* planned, std::vector<KernelJob>* jobs) {
  // Each kernel once, the longest first, each taken when a thread is free: no thread waits for
  // another one's kernel, and the last ones end close together.
  const std::vector<int64_t> firsts = LongestFirst(*jobs);
  std::atomic<int64_t> next{0};
  ParallelFor(static_cast<int64_t>(firsts.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t taken = begin; taken < end; ++taken) {
      const int64_t i = firsts[next.fetch_add(1)];
      if (!(*planned)[i].status.ok()) continue;
      StatusOr<KernelCache::Lookup> found = KernelCache::Get().Find(
          (*planned)[i].key, [&] { return LoadOrGenerate((*planned)[i], target, options); });
      if (!found.ok()) {
        (*planned)[i].status = found.status();
        continue;
      }
      (*jobs)[i].kernel = found->kernel;
      (*jobs)[i].hit = found->hit;
    }
  });
  absl::flat_hash_map<std::string_view, int64_t> made;
  for (const int64_t i : firsts) made.try_emplace((*jobs)[i].key, i);
  for (size_t i = 0; i < jobs->size(); ++i) {
    const size_t first = made.at((*jobs)[i].key);
    if (first == i || !(*planned)[i].status.ok()) continue;
    (*planned)[i].status = (*planned)[first].status;
    (*jobs)[i].kernel = (*jobs)[first].kernel;
    (*jobs)[i].hit = true;
  }
}

}  // namespace

void SetGrain(KernelJob* job) {
  job->grain = std::max(job->min_grain, job->tasks / (NumThreads() * kSlicesPerThread));
}

void FindKernels(std::vector<KernelJob>* jobs, codegen::EntryStore* store,
                 codegen::CompileReport* report) {
  ParallelFor(static_cast<int64_t>(jobs->size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      KernelJob& job = (*jobs)[i];
      const StatusOr<KernelCache::Lookup> found =
          KernelCache::Get().Find(job.key, [&] { return FromStore(*store, job.key); });
      if (!found.ok()) continue;
      job.kernel = found->kernel;
      job.hit = found->hit;
    }
  });
  for (KernelJob& job : *jobs) {
    SetGrain(&job);
    if (job.kernel != nullptr) Count(job, report);
  }
}

StatusOr<std::vector<KernelJob>> CompileKernels(const std::vector<ir::Instruction*>& fusions,
                                                const HostTarget& target,
                                                const KernelOptions& options,
                                                codegen::CompileReport* report,
                                                std::vector<ir::Instruction*>* too_large) {
  const int64_t count = static_cast<int64_t>(fusions.size());
  std::vector<KernelJob> jobs(count);
  std::vector<Planned> planned(count);
  ParallelFor(count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      jobs[i].fusion = fusions[i];
      StatusOr<Planned> plan = Plan(*fusions[i], target, options);
      if (!plan.ok()) {
        planned[i].status = plan.status();
        continue;
      }
      planned[i] = *std::move(plan);
      jobs[i].tables = std::move(planned[i].tables);
      jobs[i].plan = planned[i].plan.ToString();
      jobs[i].key = planned[i].key;
    }
  });
  MakeKernels(target, options, &planned, &jobs);
  for (int64_t i = 0; i < count; ++i) {
    report->plan_ms += planned[i].plan_ms;
    if (planned[i].status.code() == absl::StatusCode::kResourceExhausted) {
      too_large->push_back(fusions[i]);
      continue;
    }
    if (!planned[i].status.ok()) {
      return Annotate(planned[i].status, absl::StrCat(" (kernel of ", fusions[i]->name(), ")"));
    }
    SWAGE_RETURN_IF_ERROR(FillRunTimeSizes(*fusions[i], planned[i], &jobs[i]));
    if (planned[i].quick) ++report->quick_kernels;
    Count(jobs[i], report);
  }
  return jobs;
}

}  // namespace swage::cpu
