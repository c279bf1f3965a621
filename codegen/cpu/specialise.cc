#include "codegen/cpu/specialise.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/background_queue.h"
#include "base/fork_gate.h"
#include "base/log.h"
#include "codegen/cpu/cpu_target.h"
#include "codegen/cpu/hot_steps.h"
#include "codegen/cpu/kernel_loader.h"
#include "codegen/emit/bake.h"
#include "codegen/program/entry_key.h"
#include "codegen/program/kernel_jobs.h"
#include "compiler/ir/parser.h"
#include "compiler/ir/printer.h"

namespace swage::cpu {
namespace {

using codegen::CodegenLevel;
using codegen::CompiledKernel;
using codegen::KernelCache;

// Constants of a source; beyond, the text would be larger than the kernel.
constexpr size_t kMaxConstantBytes = 1024;
constexpr int64_t kMaxWaiting = 64;

struct Counters {
  std::atomic<int64_t> specialised{0}, too_small{0}, not_worth{0}, failed{0}, dropped{0};
};
Counters counters;

void Count(std::atomic<int64_t>& counter) { counter.fetch_add(1, std::memory_order_relaxed); }

BackgroundQueue& Queue() {
  static auto* const queue = [] {
    // Before the destructors of LLVM's static objects, which were made earlier.
    std::atexit([] { Queue().Stop(); });
    return new BackgroundQueue({.entries = kMaxWaiting});
  }();
  return *queue;
}

struct Baked {
  std::unique_ptr<ir::Module> module;
  const ir::Computation* fusion = nullptr;
  emit::KernelPlan plan;
  CodegenLevel level = CodegenLevel::kDefault;
  std::string key;
};

// The fusion of a kernel with the extents of one call.
StatusOr<Baked> Bake(const KernelVersion& version, const CpuTarget& target) {
  SWAGE_ASSIGN_OR_RETURN(std::unique_ptr<ir::Module> source, ir::ParseHlo(version.kernel->source));
  SWAGE_ASSIGN_OR_RETURN(emit::GeneralisedFusion fusion, emit::Generalise(*source->entry()));
  // Text may lose something, such as the bits of a NaN. Then the key is another.
  const std::string* key = KernelCache::KeyOf(version.kernel);
  SWAGE_RET_CHECK(key != nullptr);
  if (codegen::KernelKey(target, CodegenLevel::kDefault, target.emit_options(), *fusion.fusion)
          .Serialise() != *key) {
    return Unimplemented("its text does not give the same kernel");
  }
  SWAGE_RETURN_IF_ERROR(emit::BakeExtents(version.dims, &fusion));
  Baked baked;
  SWAGE_ASSIGN_OR_RETURN(baked.plan, emit::PlanKernel(*fusion.fusion, target.emit_options()));
  baked.level = codegen::LevelOf(baked.plan, target);
  baked.key =
      codegen::KernelKey(target, baked.level, target.emit_options(), *fusion.fusion).Serialise();
  baked.fusion = fusion.fusion;
  baked.module = std::move(fusion.module);
  return baked;
}

StatusOr<KernelVersion> VersionOf(const Baked& baked, KernelCache::KernelPtr kernel,
                                  const KernelVersion& before) {
  KernelVersion version;
  const std::optional<int64_t> tasks = baked.plan.tasks.static_value();
  SWAGE_RET_CHECK(baked.plan.dims.empty() && tasks.has_value());
  version.fn = static_cast<const LoadedKernel&>(*kernel->code).entry();
  version.tasks = *tasks;
  // The same work for a thread, whatever a task is now.
  const double share = static_cast<double>(version.tasks) / static_cast<double>(before.tasks);
  version.grain = std::max<int64_t>(1, static_cast<int64_t>(before.grain * share));
  version.kernel = std::move(kernel);
  return version;
}

// One trial of one group. But for the measurement it runs in compile sections.
class Trial {
 public:
  Trial(HotSteps& steps, int group, HotSteps::Candidate candidate, const std::atomic<bool>& stop)
      : steps_(steps), group_(group), candidate_(std::move(candidate)), stop_(stop) {}
  ~Trial() {
    // Letting go of a kernel takes the lock of the kernel cache.
    const CompileSection section;
    candidate_.version = {};
    version_ = nullptr;
  }

  void Run();

 private:
  Status Make();
  StatusOr<Verdict> Decide();
  void Report(Verdict verdict, const Status& why) const;

  codegen::EntryStore* Store() const {
    return steps_.how().store != nullptr ? steps_.how().store() : nullptr;
  }

  HotSteps& steps_;
  const int group_;
  HotSteps::Candidate candidate_;
  const std::atomic<bool>& stop_;

  Baked baked_;
  std::shared_ptr<const KernelVersion> version_;  // null: not compiled
  double compile_ns_ = 0;
  bool generated_ = false;
  KernelTimes times_;
  double spent_ns_ = 0;
};

Status Trial::Make() {
  const CompileSection section;
  const int64_t start = steps_.how().now();
  SWAGE_ASSIGN_OR_RETURN(const auto target, CpuTarget::Create());
  SWAGE_ASSIGN_OR_RETURN(baked_, Bake(candidate_.version, *target));
  const double plausible = PlausibleSaving(baked_.plan.schedule, candidate_.ns_per_run);
  if (!IsWorthTrying(candidate_.spent_ns, plausible, candidate_.compile_ns)) return OkStatus();
  if (stop_) return absl::CancelledError("the process ends");
  codegen::EntryStore* const store = Store();
  const auto make = [&]() -> StatusOr<CompiledKernel> {
    if (store != nullptr) {
      StatusOr<CompiledKernel> stored = codegen::KernelFromStore(*target, *store, baked_.key);
      if (stored.ok()) return stored;
    }
    generated_ = true;
    return target->Generate(baked_.plan, {.level = baked_.level});
  };
  SWAGE_ASSIGN_OR_RETURN(KernelCache::Lookup found, KernelCache::Get().Find(baked_.key, make));
  SWAGE_ASSIGN_OR_RETURN(KernelVersion version,
                         VersionOf(baked_, std::move(found.kernel), candidate_.version));
  version_ = std::make_shared<const KernelVersion>(std::move(version));
  compile_ns_ = static_cast<double>(steps_.how().now() - start);
  return OkStatus();
}

StatusOr<Verdict> Trial::Decide() {
  spent_ns_ = candidate_.spent_ns;
  compile_ns_ = candidate_.compile_ns;
  SWAGE_RETURN_IF_ERROR(Make());
  if (version_ == nullptr) {
    const double plausible = PlausibleSaving(baked_.plan.schedule, candidate_.ns_per_run);
    return 1 / (1 - plausible) < kLeastGain ? Verdict::kTooSmall : Verdict::kNotWorth;
  }
  if (!steps_.attached()) return absl::CancelledError("the program is gone");
  // A second trial finds the kernel of the first, which was not free.
  compile_ns_ = std::max(compile_ns_, generated_ ? 0 : candidate_.compile_ns);
  SWAGE_ASSIGN_OR_RETURN(
      times_, steps_.how().measure(candidate_.version, *version_, *baked_.fusion, stop_));
  if (!times_.same_bits) return Internal("it computes other bits");
  spent_ns_ = steps_.SpentOf(group_, times_.first_ns);
  return Judge(times_, spent_ns_, compile_ns_);
}

void Trial::Run() {
  StatusOr<Verdict> decided = Decide();
  if (absl::IsCancelled(decided.status())) return Count(counters.dropped);
  HotSteps::Outcome outcome;
  outcome.verdict = decided.ok() ? *decided : Verdict::kFailed;
  outcome.compile_ns = compile_ns_;
  outcome.version = version_;
  outcome.saving = PlausibleSaving(baked_.plan.schedule, candidate_.ns_per_run);
  if (times_.first_ns > 0) {
    outcome.saving = 1 - times_.second_ns / times_.first_ns;
    outcome.ns_per_run = times_.first_ns;
  }
  {
    const CompileSection section;
    if (!steps_.Settle(group_, outcome)) return Count(counters.dropped);
    codegen::EntryStore* const store = Store();
    if (outcome.verdict == Verdict::kSpecialised && generated_ && store != nullptr) {
      store->Put(codegen::EntryKind::kKernel, baked_.key, version_->kernel->object);
    }
  }
  Report(outcome.verdict, decided.status());
}

void Trial::Report(Verdict verdict, const Status& why) const {
  const char* text = "";
  switch (verdict) {
    case Verdict::kSpecialised:
      Count(counters.specialised);
      text = "the baked one runs from now on";
      break;
    case Verdict::kTooSmall:
      Count(counters.too_small);
      text = "too small a saving";
      break;
    case Verdict::kNotWorth:
      Count(counters.not_worth);
      text = "not worth the compile yet";
      break;
    case Verdict::kFailed:
      Count(counters.failed);
      text = "failed";
      break;
  }
  if (!LogEnabled(LogLevel::kDebug)) return;
  std::string times = "not timed";
  if (times_.first_ns > 0) {
    times = absl::StrFormat("%.0f ns with run-time extents, %.0f ns with baked ones (%.2fx)",
                            times_.first_ns, times_.second_ns, times_.first_ns / times_.second_ns);
  }
  Log(LogLevel::kDebug,
      absl::StrFormat("[specialise] %s (%s): %s, %.1f ms spent, compile %.1f ms: %s%s%s",
                      candidate_.name, baked_.plan.ToString(), times, spent_ns_ * 1e-6,
                      compile_ns_ * 1e-6, text, why.ok() ? "" : ": ", why.message()));
}

}  // namespace

double PlausibleSaving(emit::Schedule schedule, double ns_per_run) {
  // As bench/gate_bench measures it. Of a dot only what is around the tiles costs more.
  if (schedule != emit::Schedule::kDot || ns_per_run < 100) return kMostSaving;
  return ns_per_run < 300 ? 0.25 : ns_per_run < 1000 ? 0.15 : 0.1;
}

bool IsWorthTrying(double spent_ns, double plausible_saving, double compile_ns) {
  return 1 / (1 - plausible_saving) >= kLeastGain && spent_ns * plausible_saving >= compile_ns;
}

Verdict Judge(const KernelTimes& times, double spent_ns, double compile_ns) {
  if (!(times.first_ns >= kLeastGain * times.second_ns)) return Verdict::kTooSmall;
  const double saving = 1 - times.second_ns / times.first_ns;
  return spent_ns * saving >= compile_ns ? Verdict::kSpecialised : Verdict::kNotWorth;
}

SpecialiseStats specialise_stats() {
  return {counters.specialised, counters.too_small, counters.not_worth, counters.failed,
          counters.dropped};
}

std::string SourceText(const ir::Computation& fusion) {
  if (fusion.instruction_count() > emit::kLargeLoop) return "";
  for (const ir::Instruction* op : fusion.Instructions()) {
    if (op->opcode() != ir::Opcode::kConstant) continue;
    if (op->literal().is_tuple() || op->literal().bytes().size() > kMaxConstantBytes) return "";
  }
  const StatusOr<emit::GeneralisedFusion> copy = emit::Generalise(fusion, /*baked=*/true);
  if (!copy.ok()) return "";
  ir::PrintOptions options;
  options.metadata = false;
  return ir::ToText(*copy->module, options);
}

bool QueueTrial(const std::shared_ptr<HotSteps>& steps, int group) {
  const auto work = [weak = std::weak_ptr<HotSteps>(steps), group](const std::atomic<bool>& stop) {
    const std::shared_ptr<HotSteps> steps = weak.lock();
    std::optional<HotSteps::Candidate> candidate;
    if (steps != nullptr) candidate = steps->CandidateOf(group);
    if (!candidate.has_value()) return Count(counters.dropped);
    Trial(*steps, group, *std::move(candidate), stop).Run();
  };
  if (Queue().Add(0, work) == BackgroundQueue::Added::kYes) return true;
  Count(counters.dropped);
  return false;
}

bool FlushTrials(std::chrono::milliseconds timeout) { return Queue().Flush(timeout); }

}  // namespace swage::cpu
