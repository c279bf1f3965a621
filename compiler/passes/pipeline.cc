#include "compiler/passes/pipeline.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "compiler/passes/dump.h"
#include "compiler/passes/pipeline_run.h"

namespace swage::passes {
namespace {

constexpr std::string_view kStart = "pipeline-start";
constexpr std::string_view kEnd = "pipeline-end";

std::string_view NameOr(const std::vector<std::unique_ptr<Pass>>& passes, size_t i,
                        std::string_view otherwise) {
  return i < passes.size() ? passes[i]->name() : otherwise;
}

void Collect(const Pipeline& pipeline, std::vector<std::string_view>* around,
             std::vector<PassPlace>* places) {
  places->push_back({*around, pipeline.name(), &pipeline});
  around->push_back(pipeline.name());
  for (const std::unique_ptr<Pass>& pass : pipeline.passes()) {
    if (pass->IsPipeline()) {
      Collect(static_cast<const Pipeline&>(*pass), around, places);
    } else {
      places->push_back({*around, pass->name(), pass.get()});
    }
  }
  around->pop_back();
}

}  // namespace

std::vector<PassPlace> PlacesOf(const Pipeline& pipeline) {
  std::vector<PassPlace> places;
  std::vector<std::string_view> around;
  Collect(pipeline, &around, &places);
  return places;
}

Pass& Pipeline::Add(std::unique_ptr<Pass> pass) {
  passes_.push_back(std::move(pass));
  return *passes_.back();
}

FixedPoint& Pipeline::AddFixedPoint(std::string name, int limit) {
  return AddPass<FixedPoint>(std::move(name), limit);
}

// Of the outermost pipeline: PipelineRun calls RunInside for those within.
StatusOr<bool> Pipeline::Run(ir::Module& module, PassContext& context) {
  context.OpenDump(module);
  PipelineRun run(context);
  SWAGE_RETURN_IF_ERROR(run.Start(*this, module));
  SWAGE_ASSIGN_OR_RETURN(const bool changed, run.RunPass(*this, module, kStart, kEnd));
  run.Finish(module);
  return changed;
}

StatusOr<bool> Pipeline::RunInside(ir::Module& module, PipelineRun& run) {
  run.Enter(*this);
  StatusOr<bool> changed = false;
  Status checked = OkStatus();
  if (run.Depth() == 1 || !checkers_.empty()) {
    checked = run.RunCheckers(module, absl::StrCat(run.Path(), "/", ToAbsl(kStart)));
  }
  if (!checked.ok()) {
    changed = checked;
  } else {
    if (run.Depth() == 1) run.DumpBorder(module, kStart, NameOr(passes_, 0, kEnd));
    changed = RunPasses(module, run);
    if (changed.ok() && run.Depth() == 1 && !passes_.empty()) {
      run.DumpText(module, passes_.back()->name(), kEnd);
    }
  }
  run.Leave();
  return changed;
}

StatusOr<bool> Pipeline::RunPasses(ir::Module& module, PipelineRun& run) {
  bool changed = false;
  for (size_t i = 0; i < passes_.size(); ++i) {
    SWAGE_ASSIGN_OR_RETURN(
        const bool pass_changed,
        run.RunPass(*passes_[i], module, i == 0 ? kStart : passes_[i - 1]->name(),
                    NameOr(passes_, i + 1, kEnd)));
    changed |= pass_changed;
  }
  return changed;
}

StatusOr<bool> FixedPoint::RunPasses(ir::Module& module, PipelineRun& run) {
  bool changed = false;
  size_t quiet = 0;  // passes in a row that left the module alone
  std::vector<std::string> restless;
  for (int round = 0; round < limit_; ++round) {
    restless.clear();
    for (size_t i = 0; i < passes().size(); ++i) {
      SWAGE_ASSIGN_OR_RETURN(const bool pass_changed,
                             run.RunPass(*passes()[i], module,
                                         i > 0        ? passes()[i - 1]->name()
                                         : round == 0 ? kStart
                                                      : passes().back()->name(),
                                         NameOr(passes(), i + 1, kEnd)));
      changed |= pass_changed;
      quiet = pass_changed ? 0 : quiet + 1;
      if (pass_changed) restless.emplace_back(passes()[i]->name());
      // Each pass has seen the module as it is: another round would do nothing.
      if (quiet == passes().size()) return changed;
    }
  }
  if (passes().empty()) return false;
  return Internal("[passes] ", run.Path(), " still changes the module after ", limit_,
                  " rounds, expected rest; in the last round it was changed by ",
                  absl::StrJoin(restless, ", "),
                  "; disable one of them (disable_passes) and report this");
}

}  // namespace swage::passes
