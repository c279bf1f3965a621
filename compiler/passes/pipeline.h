// File: compiler/passes/pipeline.h
//
// A pipeline is a pass made of passes, so pipelines nest.
//
//   Pipeline cpu("cpu");
//   cpu.AddChecker<Verifier>();
//   cpu.AddPass<Inline>();
//   FixedPoint& simplification = cpu.AddFixedPoint("simplification");
//   simplification.AddPass<Cse>();
//   simplification.AddPass<Dce>();
//
// - Checkers run before the first pass and after every pass that reports a change, inner pipelines
//   included. A checker that changes the module is an error. Errors name the pass:
//   "after cpu/simplification/cse: ...".
// - A fixed point repeats its passes until each has seen the module and left it alone. Its limit
//   is an error that names the passes that kept changing the module.
// - The options of the context choose passes, dumps and checks (options.h). A filter that matches
//   no pass of the outermost pipeline is an error; one without effect is reported in the messages.
#ifndef SWAGE_COMPILER_PASSES_PIPELINE_H_
#define SWAGE_COMPILER_PASSES_PIPELINE_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/passes/pass.h"

namespace swage::passes {

class FixedPoint;

class Pipeline : public Pass {
 public:
  explicit Pipeline(std::string name) : name_(std::move(name)) {}

  template <typename T, typename... Args>
  T& AddPass(Args&&... args) {
    return static_cast<T&>(Add(std::make_unique<T>(std::forward<Args>(args)...)));
  }
  Pipeline& AddPipeline(std::string name) { return AddPass<Pipeline>(std::move(name)); }
  FixedPoint& AddFixedPoint(std::string name, int limit = 25);
  Pass& Add(std::unique_ptr<Pass> pass);

  template <typename T, typename... Args>
  void AddChecker(Args&&... args) {
    checkers_.push_back(std::make_unique<T>(std::forward<Args>(args)...));
  }

  std::string_view name() const override { return name_; }
  bool IsPipeline() const override { return true; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;

  const std::vector<std::unique_ptr<Pass>>& passes() const { return passes_; }

 protected:
  // The passes, once or as often as the pipeline wants.
  virtual StatusOr<bool> RunPasses(ir::Module& module, PipelineRun& run);

 private:
  friend class PipelineRun;

  // With this pipeline's checkers in force.
  StatusOr<bool> RunInside(ir::Module& module, PipelineRun& run);

  std::string name_;
  std::vector<std::unique_ptr<Pass>> passes_;
  std::vector<std::unique_ptr<Pass>> checkers_;
};

class FixedPoint : public Pipeline {
 public:
  explicit FixedPoint(std::string name, int limit = 25)
      : Pipeline(std::move(name)), limit_(limit) {}

 protected:
  StatusOr<bool> RunPasses(ir::Module& module, PipelineRun& run) override;

 private:
  int limit_;  // rounds
};

// Every pass and pipeline inside `pipeline` in order, each with the names of the pipelines around
// it, outermost first. `pipeline` itself comes first.
struct PassPlace {
  std::vector<std::string_view> pipelines;
  std::string_view name;
  const Pass* pass;
};
std::vector<PassPlace> PlacesOf(const Pipeline& pipeline);

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_PIPELINE_H_
