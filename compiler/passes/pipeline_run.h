// File: compiler/passes/pipeline_run.h
//
// The state of one run of an outermost pipeline: where it is, which filters hold, what was dumped.
// Pipelines use it; passes never see it.
#ifndef SWAGE_COMPILER_PASSES_PIPELINE_RUN_H_
#define SWAGE_COMPILER_PASSES_PIPELINE_RUN_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "compiler/passes/filter.h"
#include "compiler/passes/pass.h"
#include "compiler/passes/pipeline.h"

namespace swage::passes {

class EvaluationCheck;

class PipelineRun {
 public:
  explicit PipelineRun(PassContext& context);
  ~PipelineRun();

  // Checks the filters against the pipeline.
  Status Start(const Pipeline& root, const ir::Module& module);
  // Reports the filters without effect.
  void Finish(const ir::Module& module);

  // Runs `pass` unless a filter skips it; then the checkers, the dump, the statistics. `previous`
  // and `next` are the neighbours' names.
  StatusOr<bool> RunPass(Pass& pass, ir::Module& module, std::string_view previous,
                         std::string_view next);

  void Enter(const Pipeline& pipeline);
  void Leave();

  void DumpText(const ir::Module& module, std::string_view after, std::string_view before);
  // The same where the module is not on disk in this form already.
  void DumpBorder(const ir::Module& module, std::string_view after, std::string_view before);
  Status RunCheckers(ir::Module& module, std::string_view after);

  int Depth() const { return static_cast<int>(stack_.size()); }
  // "cpu/simplification" of the pipelines that are running.
  std::string Path() const;

 private:
  // What an entry of a filter did in this run.
  struct Effect {
    int64_t matched = 0;
    bool changed = false;
  };

  StatusOr<bool> RunUnfiltered(Pass& pass, ir::Module& module, PassRun& record);
  Status CheckHonesty(const Pass& pass, const ir::Module& module, bool changed);
  bool WouldChange(Pass& pass, const ir::Module& module) const;
  // True when the pass is to be skipped; `disabled` are the entries that disable it.
  bool Skips(Pass& pass, const ir::Module& module, const std::vector<int>& disabled,
             const std::vector<int>& only);
  bool WantsDump(const PassPosition& position) const;
  void ReportEffects(const PassFilter& filter, const std::vector<Effect>& effects,
                     std::string_view option, const ir::Module& module);

  PassContext& context_;
  PassFilter disable_;
  PassFilter only_;
  PassFilter dump_;
  std::vector<Effect> disable_effects_;
  std::vector<Effect> only_effects_;
  std::vector<const Pipeline*> stack_;
  std::vector<std::string_view> names_;  // of stack_
  std::vector<int> disable_inside_;      // entries of disable_ that match a pipeline of the stack
  std::vector<int> only_inside_;         // the same of only_
  bool dump_inside_ = false;             // a pipeline of the stack matches dump_
  RunCounter counter_;
  int64_t step_ = 0;
  int64_t version_ = 0;           // grows with every change
  int64_t dumped_version_ = -1;   // the version that is on disk
  std::optional<Hash128> state_;  // of the module as it is; with checks on
  std::unique_ptr<EvaluationCheck> evaluation_;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_PIPELINE_RUN_H_
