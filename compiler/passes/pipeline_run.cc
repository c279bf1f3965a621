#include "compiler/passes/pipeline_run.h"

#include <algorithm>
#include <chrono>

#include "base/clock.h"
#include "compiler/passes/dump.h"
#include "compiler/passes/evaluation_check.h"
#include "compiler/passes/module_state.h"

namespace swage::passes {
namespace {

Status InPass(const Status& status, std::string_view where, const std::string& path) {
  return Status(status.code(),
                absl::StrCat("[passes] ", ToAbsl(where), " ", path, ": ", status.message()));
}

// Whether `pass` is required, or a pipeline around one that is.
bool HoldsRequired(const Pass& pass) {
  if (!pass.IsPipeline()) return pass.IsRequired();
  const std::vector<PassPlace> places = PlacesOf(static_cast<const Pipeline&>(pass));
  return std::any_of(places.begin(), places.end(),
                     [](const PassPlace& place) { return place.pass->IsRequired(); });
}

}  // namespace

PipelineRun::PipelineRun(PassContext& context) : context_(context) {}
PipelineRun::~PipelineRun() = default;

Status PipelineRun::Start(const Pipeline& root, const ir::Module& module) {
  SWAGE_ASSIGN_OR_RETURN(PassFilters filters,
                         PassFilters::Parse(context_.options(), PlacesOf(root)));
  disable_ = std::move(filters.disable);
  only_ = std::move(filters.only);
  dump_ = std::move(filters.dump);
  disable_effects_.resize(disable_.size());
  only_effects_.resize(only_.size());
  if (context_.options().check_passes) evaluation_ = EvaluationCheck::Start(module, context_);
  return OkStatus();
}

void PipelineRun::Enter(const Pipeline& pipeline) {
  stack_.push_back(&pipeline);
  names_.push_back(pipeline.name());
}

void PipelineRun::Leave() {
  stack_.pop_back();
  names_.pop_back();
}

std::string PipelineRun::Path() const {
  std::string path;
  for (std::string_view name : names_) {
    absl::StrAppend(&path, path.empty() ? "" : "/", ToAbsl(name));
  }
  return path;
}

StatusOr<bool> PipelineRun::RunPass(Pass& pass, ir::Module& module, std::string_view previous,
                                    std::string_view next) {
  const PassPosition position = counter_.Next(names_, pass.name());
  std::vector<int> only = only_inside_;
  for (int e : only_.Matches(position)) {
    only.push_back(e);
    ++only_effects_[e].matched;
  }
  std::vector<int> disabled = disable_.Matches(position);
  for (int e : disabled) ++disable_effects_[e].matched;
  disabled.insert(disabled.end(), disable_inside_.begin(), disable_inside_.end());
  PassRun record;
  record.name = pass.name();
  record.path = Path();
  record.run = position.run;
  const bool wants_dump = WantsDump(position);
  record.skipped = Skips(pass, module, disabled, only);
  if (record.skipped) {
    if (!pass.IsPipeline()) {
      record.step = step_++;
      context_.runs_.push_back(std::move(record));
    }
    return false;
  }
  if (pass.IsPipeline()) {
    // Its passes take the steps, the checkers and the dumps.
    std::swap(disable_inside_, disabled);
    std::swap(only_inside_, only);
    const bool outer_dump = std::exchange(dump_inside_, dump_inside_ || wants_dump);
    StatusOr<bool> changed = static_cast<Pipeline&>(pass).RunInside(module, *this);
    dump_inside_ = outer_dump;
    std::swap(only_inside_, only);
    std::swap(disable_inside_, disabled);
    return changed;
  }
  if (wants_dump) DumpBorder(module, previous, pass.name());
  record.step = step_++;
  SWAGE_ASSIGN_OR_RETURN(const bool changed, RunUnfiltered(pass, module, record));
  if (changed) {
    for (int e : only) only_effects_[e].changed = true;
    if (wants_dump) DumpText(module, pass.name(), next);
  }
  return changed;
}

StatusOr<bool> PipelineRun::RunUnfiltered(Pass& pass, ir::Module& module, PassRun& record) {
  const std::string path = absl::StrCat(record.path, "/", record.name);
  if (context_.options().check_lies && !state_.has_value()) {
    state_ = StateOf(module);
  }
  const auto start = std::chrono::steady_clock::now();
  StatusOr<bool> changed = pass.Run(module, context_);
  record.milliseconds = MillisecondsSince(start);
  record.changed = changed.ok() && *changed;
  context_.runs_.push_back(record);
  if (!changed.ok()) return InPass(changed.status(), "in", path);
  SWAGE_RETURN_IF_ERROR(CheckHonesty(pass, module, *changed));
  if (!*changed) return false;
  ++version_;
  SWAGE_RETURN_IF_ERROR(RunCheckers(module, path));
  if (evaluation_ != nullptr) SWAGE_RETURN_IF_ERROR(evaluation_->Check(module, path));
  return true;
}

Status PipelineRun::CheckHonesty(const Pass& pass, const ir::Module& module, bool changed) {
  if (!context_.options().check_lies) return OkStatus();
  const Hash128 now = StateOf(module);
  const bool really = now != *state_;
  state_ = now;
  if (really == changed) return OkStatus();
  const absl::string_view says = changed ? "changed" : "unchanged";
  return Internal("[passes] ", Path(), "/", ToAbsl(pass.name()), " says that it left the module ",
                  says, ", but it ", really ? "differs" : "is the same");
}

Status PipelineRun::RunCheckers(ir::Module& module, std::string_view after) {
  for (const Pipeline* pipeline : stack_) {
    for (const std::unique_ptr<Pass>& checker : pipeline->checkers_) {
      StatusOr<bool> changed = checker->Run(module, context_);
      bool really = changed.ok() && *changed;
      if (changed.ok() && context_.options().check_lies) {
        const Hash128 now = StateOf(module);
        really |= state_.has_value() && now != *state_;
        state_ = now;
      }
      if (!changed.ok()) {
        // Before the first pass the module is the caller's; after one the fault is ours.
        const Status& status = changed.status();
        if (step_ == 0) return InPass(status, "before", Path());
        return Internal("[passes] after ", ToAbsl(after), ": ", status.message());
      }
      if (really) {
        return Internal("[passes] after ", ToAbsl(after), ": the checker '",
                        ToAbsl(checker->name()), "' changed the module, a checker may only look");
      }
    }
  }
  return OkStatus();
}

bool PipelineRun::Skips(Pass& pass, const ir::Module& module, const std::vector<int>& disabled,
                        const std::vector<int>& only) {
  if (!disabled.empty() && !HoldsRequired(pass)) {
    const bool unknown = std::any_of(disabled.begin(), disabled.end(),
                                     [&](int e) { return !disable_effects_[e].changed; });
    const bool would = unknown && WouldChange(pass, module);
    for (int e : disabled) disable_effects_[e].changed |= would;
    return true;
  }
  return !only_.empty() && only.empty() && !pass.IsPipeline() && !pass.IsRequired();
}

bool PipelineRun::WouldChange(Pass& pass, const ir::Module& module) const {
  CompilerOptions options = context_.options();
  options.disable_passes.clear();
  options.only_passes.clear();
  options.dump_to.clear();
  options.dump_passes.clear();
  options.check_lies = false;
  options.check_passes = false;
  PassContext scratch(std::move(options), context_.device());
  const std::unique_ptr<ir::Module> copy = module.Clone();
  StatusOr<bool> changed = pass.Run(*copy, scratch);
  return !changed.ok() || *changed;  // an error is an effect too
}

bool PipelineRun::WantsDump(const PassPosition& position) const {
  if (context_.dump() == nullptr) return false;
  return dump_.empty() || dump_inside_ || !dump_.Matches(position).empty();
}

void PipelineRun::DumpBorder(const ir::Module& module, std::string_view after,
                             std::string_view before) {
  if (dumped_version_ != version_) DumpText(module, after, before);
}

void PipelineRun::DumpText(const ir::Module& module, std::string_view after,
                           std::string_view before) {
  if (context_.dump() == nullptr) return;
  context_.dump()->Text(module, names_.back(), after, before);
  dumped_version_ = version_;
}

void PipelineRun::ReportEffects(const PassFilter& filter, const std::vector<Effect>& effects,
                                std::string_view option, const ir::Module& module) {
  for (int e = 0; e < filter.size(); ++e) {
    if (effects[e].changed) continue;
    std::string why =
        absl::StrCat(filter.name(e),
                     option == "only_passes" ? " changed nothing" : " would have changed nothing");
    if (effects[e].matched == 0) {
      why = filter.run(e) < 0
                ? absl::StrCat(filter.name(e), " did not run")
                : absl::StrCat(filter.name(e), " ran only ",
                               counter_.Count(filter.pipeline(e), filter.name(e)), "x");
    }
    context_.Log(Severity::kWarning,
                 absl::StrCat("[passes] ", ToAbsl(option), ": '", filter.text(e),
                              "' had no effect on module '", module.name(), "': ", why));
  }
}

void PipelineRun::Finish(const ir::Module& module) {
  ReportEffects(disable_, disable_effects_, "disable_passes", module);
  ReportEffects(only_, only_effects_, "only_passes", module);
}

}  // namespace swage::passes
