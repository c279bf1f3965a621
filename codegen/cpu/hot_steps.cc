#include "codegen/cpu/hot_steps.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>

#include "codegen/cpu/cpu_executable.h"

namespace swage::cpu {
namespace {

// Fewer timed runs say little: the first ones are slow, and any may be interrupted.
constexpr int64_t kMinSamples = 8;

bool CanBeSpecialised(const KernelVersion* version) {
  return version != nullptr && !version->dims.empty() && version->tasks > 0 &&
         !version->kernel->source.empty() &&
         codegen::KernelCache::KeyOf(version->kernel) != nullptr;
}

double CompileNanoseconds(const codegen::CompiledKernel& kernel) {
  if (kernel.stored) return kUsualCompileNanoseconds;
  return (kernel.emit_ms + kernel.llvm_ms + kernel.link_ms) * 1e6;
}

}  // namespace

std::shared_ptr<HotSteps> HotSteps::Create(std::vector<Step>* steps, const Specialisation& how) {
  auto made = std::shared_ptr<HotSteps>(new HotSteps(steps, how));
  return made->groups_.empty() ? nullptr : made;
}

HotSteps::HotSteps(std::vector<Step>* steps, const Specialisation& how)
    : how_(how), process_(::getpid()), steps_(steps) {
  std::map<std::pair<const codegen::CompiledKernel*, std::vector<int64_t>>, size_t> known;
  for (size_t i = 0; i < steps->size(); ++i) {
    const KernelVersion* version = (*steps)[i].kernel.first();
    if (!CanBeSpecialised(version)) continue;
    const auto [it, is_new] =
        known.try_emplace({version->kernel.get(), version->dims}, groups_.size());
    if (is_new) {
      Group group;
      group.compile_ns = CompileNanoseconds(*version->kernel);
      groups_.push_back(std::move(group));
    }
    groups_[it->second].steps.push_back(static_cast<int>(i));
  }
}

void HotSteps::Detach() {
  // In a forked child the lock may be held by a thread that is not there; nobody else is either.
  if (process_ != ::getpid()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  steps_ = nullptr;
}

double HotSteps::NsPerRun(const Group& group) const {
  const double steps = static_cast<double>(group.steps.size());
  return std::clamp(group.fastest_ns / steps - clock_ns_, 0.0, group.most_ns_per_run);
}

double HotSteps::Spent(const Group& group, double ns_per_run) const {
  return group.runs * static_cast<double>(group.steps.size()) * ns_per_run;
}

void HotSteps::Add(int64_t runs, int64_t clock_ns, absl::Span<const int64_t> step_ns) {
  if (process_ != ::getpid()) {
    // What the parent had under way does not end here.
    watching_.store(false, std::memory_order_relaxed);
    return;
  }
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;  // another thread's run is counted instead
  clock_ns_ = std::min(clock_ns_, static_cast<double>(clock_ns));
  for (size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    if (group.state == Group::State::kDone) continue;
    double ns = 0;
    for (const int step : group.steps) ns += static_cast<double>(step_ns[step]);
    ++group.samples;
    group.runs += static_cast<double>(runs);
    group.fastest_ns = std::min(group.fastest_ns, ns);
    TryIfHot(static_cast<int>(g));
  }
}

void HotSteps::TryIfHot(int number) {
  Group& group = groups_[number];
  if (group.state != Group::State::kCold || group.samples < kMinSamples) return;
  const double spent = Spent(group, NsPerRun(group));
  if (spent < group.try_at_ns || !IsWorthTrying(spent, kMostSaving, group.compile_ns)) return;
  if (QueueTrial(shared_from_this(), number)) {
    group.state = Group::State::kTried;
  } else {
    group.try_at_ns = 2 * spent;
  }
}

std::optional<HotSteps::Candidate> HotSteps::CandidateOf(int group) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (steps_ == nullptr) return std::nullopt;
  const Group& of = groups_[group];
  const Step& step = (*steps_)[of.steps[0]];
  const double ns_per_run = NsPerRun(of);
  return Candidate{*step.kernel.first(), step.name, ns_per_run, Spent(of, ns_per_run),
                   of.compile_ns};
}

bool HotSteps::attached() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return steps_ != nullptr;
}

double HotSteps::SpentOf(int group, double most_ns_per_run) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Group& of = groups_[group];
  return Spent(of, std::min(NsPerRun(of), most_ns_per_run));
}

bool HotSteps::Settle(int group, const Outcome& outcome) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (steps_ == nullptr) return false;
  Group& of = groups_[group];
  if (outcome.verdict == Verdict::kNotWorth) {
    of.compile_ns = outcome.compile_ns;
    of.most_ns_per_run = outcome.ns_per_run;
    // A little later than it should pay: the next trial measures a little differently.
    of.try_at_ns = 1.25 * outcome.compile_ns / outcome.saving;
    of.state = Group::State::kCold;
    return true;
  }
  of.state = Group::State::kDone;
  if (outcome.verdict == Verdict::kSpecialised) {
    for (const int step : of.steps) (*steps_)[step].kernel.Swap(outcome.version);
  }
  const bool open = std::any_of(groups_.begin(), groups_.end(),
                                [](const Group& any) { return any.state != Group::State::kDone; });
  if (!open) watching_.store(false, std::memory_order_relaxed);
  return true;
}

int64_t HotSteps::memory_bytes() const {
  int64_t bytes = sizeof(*this);
  for (const Group& group : groups_) {
    // With the version that it may get.
    bytes += static_cast<int64_t>(sizeof(group) + sizeof(KernelVersion) +
                                  group.steps.size() * sizeof(int));
  }
  return bytes;
}

}  // namespace swage::cpu
