#include "codegen/program/kernel_jobs.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/function_ref.h"
#include "base/parallel_for.h"
#include "codegen/emit/generalise.h"
#include "codegen/emit/schedule.h"
#include "codegen/program/entry_key.h"
#include "codegen/program/literal_table.h"
#include "compiler/analysis/in_place.h"
#include "compiler/cost/cost_model.h"
#include "compiler/ir/computation.h"
#include "compiler/ir/decision_extent.h"

namespace swage::codegen {
namespace {

using Clock = std::chrono::steady_clock;

// What a job needs until its kernel exists.
struct Planned {
  emit::GeneralisedFusion generalised;
  std::vector<ir::Literal> tables;
  emit::KernelPlan plan;
  CodegenLevel level = CodegenLevel::kDefault;
  bool quick = false;  // below the level that it should have
  std::string key;
  double plan_ms = 0;
};

// Of a kernel in memory.
std::string CacheKey(const Target& target, const std::string& key) {
  return absl::StrCat(ToAbsl(target.scope()), key);
}

StatusOr<Planned> Plan(const ir::Instruction& fusion, const Target& target,
                       emit::EmitOptions emitter, const KernelOptions& options) {
  const Clock::time_point start = Clock::now();
  emitter.streaming_stores = cost::IsBeyondCaches(
      analysis::WrittenShape(*fusion.fused_computation()), target.description());
  Planned planned;
  SWAGE_ASSIGN_OR_RETURN(planned.generalised,
                         emit::Generalise(*fusion.fused_computation(), options.baked_dims));
  if (fusion.attrs<ir::FusionAttrs>().kind == ir::FusionKind::kLoop &&
      planned.generalised.fusion->instruction_count() > emit::kLargeLoop) {
    SWAGE_ASSIGN_OR_RETURN(planned.tables, TakeOutLiterals(planned.generalised.fusion));
  }
  SWAGE_ASSIGN_OR_RETURN(planned.plan, emit::PlanKernel(*planned.generalised.fusion, emitter));
  const ir::Computation& body = *planned.generalised.fusion;
  planned.level = LevelOf(planned.plan, target);
  planned.key = KernelKey(target, planned.level, emitter, body).Serialise();
  planned.quick = options.quick && target.has_levels() && planned.level != CodegenLevel::kNone &&
                  KernelCache::Get().Peek(CacheKey(target, planned.key)) == nullptr;
  if (planned.quick) {
    planned.level = CodegenLevel::kNone;
    planned.key = KernelKey(target, planned.level, emitter, body).Serialise();
  }
  planned.plan_ms = MillisecondsSince(start);
  return planned;
}

void TakePlan(Planned* planned, KernelJob* job) {
  job->tables = std::move(planned->tables);
  job->plan = planned->plan.ToString();
  job->key = std::move(planned->key);
  job->sizes = emit::RunTimeSizesOf(planned->generalised, planned->plan);
}

StatusOr<CompiledKernel> LoadOrGenerate(const Planned& planned, const std::string& key,
                                        const Target& target, const KernelOptions& options) {
  const auto generate = [&] {
    return target.Generate(
        planned.plan,
        {.level = planned.level, .keep_texts = options.keep_texts, .store = options.store});
  };
  if (options.store == nullptr || options.keep_texts) return generate();
  StatusOr<CompiledKernel> stored = KernelFromStore(target, *options.store, key);
  if (stored.ok()) return stored;
  SWAGE_ASSIGN_OR_RETURN(CompiledKernel kernel, generate());
  if (!planned.quick) options.store->Put(EntryKind::kKernel, key, kernel.object);
  return kernel;
}

// Nanoseconds of the whole kernel on one thread of a CPU, about.
double EstimateNanoseconds(const ir::Instruction& fusion, const cost::DeviceDescription& device) {
  if (device.is_gpu()) return 0;
  const ir::SizeHints none({});  // it is scaled to sizes later, when there are no hints
  const ir::Computation& body = *fusion.fused_computation();
  const ir::Instruction* update = analysis::UpdateInPlace(body);
  double cycles = 0;
  for (const ir::Instruction* op : body.Instructions()) {
    if (op != update) cycles += cost::WorkOf(*op, device).cycles;
  }
  double bytes = static_cast<double>(cost::BytesClass(analysis::WrittenShape(body)));
  for (const ir::Instruction* parameter : body.parameters()) {
    if (update != nullptr && parameter == update->operand(0)) continue;
    bytes += static_cast<double>(cost::BytesClass(parameter->shape()));
  }
  return cycles / device.clock_ghz + bytes / device.dram_gb_per_s_core;
}

// What it took to get the job's kernel.
void CountWork(const KernelJob& job, CompileReport* report) {
  if (job.hit) {
    ++report->kernel_hits;
    return;
  }
  report->link_ms += job.kernel->link_ms;
  report->load_ms += job.kernel->load_ms;
  if (job.kernel->stored) {
    ++report->kernel_loads;
    return;
  }
  ++report->llvm_runs;
  report->llvm_ms += job.kernel->emit_ms + job.kernel->llvm_ms;
}

void Count(const KernelJob& job, CompileReport* report) {
  ++report->kernels;
  CountWork(job, report);
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

// The kernel of every job that has a key, from the kernel cache or from `make`, which gets the
// number of a job; what goes wrong is the job's status.
void LookUp(std::vector<KernelJob>* jobs, const Target& target,
            FunctionRef<StatusOr<CompiledKernel>(int64_t)> make, std::vector<Status>* statuses) {
  // Each kernel once, the one with the most code first, each taken when a thread is free: no thread
  // waits for another one's kernel, and the last ones end close together.
  absl::flat_hash_map<std::string_view, int64_t> first_of;
  std::vector<std::pair<int64_t, int64_t>> order;  // minus the size, job
  for (size_t i = 0; i < jobs->size(); ++i) {
    const KernelJob& job = (*jobs)[i];
    if (job.key.empty() || !first_of.try_emplace(job.key, i).second) continue;
    order.emplace_back(-CodeSize(*job.fusion), i);
  }
  std::sort(order.begin(), order.end());
  std::atomic<int64_t> next{0};
  ParallelFor(static_cast<int64_t>(order.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t taken = begin; taken < end; ++taken) {
      const int64_t i = order[next.fetch_add(1)].second;
      KernelJob& job = (*jobs)[i];
      StatusOr<KernelCache::Lookup> found =
          KernelCache::Get().Find(CacheKey(target, job.key), [&]() -> StatusOr<CompiledKernel> {
            SWAGE_ASSIGN_OR_RETURN(CompiledKernel kernel, make(i));
            kernel.source = target.SourceOf(*job.fusion->fused_computation());
            return kernel;
          });
      (*statuses)[i] = found.status();
      if (!found.ok()) continue;
      job.kernel = found->kernel;
      job.hit = found->hit;
    }
  });
  for (size_t i = 0; i < jobs->size(); ++i) {
    KernelJob& job = (*jobs)[i];
    const auto found = first_of.find(job.key);
    if (found == first_of.end() || found->second == static_cast<int64_t>(i)) continue;
    job.kernel = (*jobs)[found->second].kernel;
    job.hit = true;
    (*statuses)[i] = (*statuses)[found->second];
  }
}

// Kernels that spill registers, once more with narrower vectors; what spills less stays. The other
// one's work is counted here.
void NarrowWhatSpills(const Target& target, const KernelOptions& options, CompileReport* report,
                      std::vector<KernelJob>* jobs, std::vector<Planned>* planned) {
  const std::optional<emit::EmitOptions> narrower = target.Narrower(target.emit_options());
  if (!narrower.has_value()) return;
  for (size_t i = 0; i < jobs->size(); ++i) {
    KernelJob& job = (*jobs)[i];
    if (job.kernel == nullptr || job.kernel->spilled_bytes == 0) continue;
    StatusOr<Planned> plan = Plan(*job.fusion, target, *narrower, options);
    if (!plan.ok()) continue;
    KernelJob other{.fusion = job.fusion};
    TakePlan(&*plan, &other);
    StatusOr<KernelCache::Lookup> found = KernelCache::Get().Find(CacheKey(target, other.key), [&] {
      return LoadOrGenerate(*plan, other.key, target, options);
    });
    if (!found.ok()) continue;
    other.kernel = found->kernel;
    other.hit = found->hit;
    if (other.kernel->spilled_bytes < job.kernel->spilled_bytes) {
      std::swap(job, other);
      (*planned)[i] = *std::move(plan);
    }
    CountWork(other, report);
  }
}

}  // namespace

CodegenLevel LevelOf(const emit::KernelPlan& plan, const Target& target) {
  return plan.is_large && target.has_levels() ? CodegenLevel::kNone : CodegenLevel::kDefault;
}

StatusOr<CompiledKernel> KernelFromStore(const Target& target, EntryStore& store,
                                         const std::string& key) {
  SWAGE_ASSIGN_OR_RETURN(std::string object, store.Get(EntryKind::kKernel, key));
  SWAGE_ASSIGN_OR_RETURN(CompiledKernel kernel, target.Link(std::move(object), &store));
  kernel.stored = true;
  return kernel;
}

void FindKernels(std::vector<KernelJob>* jobs, const Target& target, const KernelOptions& options,
                 CompileReport* report) {
  std::vector<Status> absent(jobs->size());
  LookUp(
      jobs, target,
      [&](int64_t i) { return KernelFromStore(target, *options.store, (*jobs)[i].key); }, &absent);
  for (KernelJob& job : *jobs) {
    if (job.kernel != nullptr) Count(job, report);
  }
}

StatusOr<std::vector<KernelJob>> CompileKernels(const std::vector<ir::Instruction*>& fusions,
                                                const Target& target, const KernelOptions& options,
                                                CompileReport* report,
                                                std::vector<ir::Instruction*>* too_large) {
  const int64_t count = static_cast<int64_t>(fusions.size());
  std::vector<KernelJob> jobs(count);
  std::vector<Planned> planned(count);
  std::vector<Status> statuses(count);
  ParallelFor(count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      jobs[i].fusion = fusions[i];
      StatusOr<Planned> plan = Plan(*fusions[i], target, target.emit_options(), options);
      statuses[i] = plan.status();
      if (!plan.ok()) continue;
      planned[i] = *std::move(plan);
      TakePlan(&planned[i], &jobs[i]);
    }
  });
  LookUp(
      &jobs, target,
      [&](int64_t i) { return LoadOrGenerate(planned[i], jobs[i].key, target, options); },
      &statuses);
  NarrowWhatSpills(target, options, report, &jobs, &planned);
  for (int64_t i = 0; i < count; ++i) {
    report->plan_ms += planned[i].plan_ms;
    if (statuses[i].code() == absl::StatusCode::kResourceExhausted) {
      too_large->push_back(fusions[i]);
      continue;
    }
    if (!statuses[i].ok()) {
      return Annotate(statuses[i], absl::StrCat(" (kernel of ", fusions[i]->name(), ")"));
    }
    jobs[i].nanoseconds = static_cast<int64_t>(
        std::min(EstimateNanoseconds(*fusions[i], target.description()), 1e18));
    if (planned[i].quick) ++report->quick_kernels;
    Count(jobs[i], report);
  }
  return jobs;
}

}  // namespace swage::codegen
