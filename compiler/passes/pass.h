// File: compiler/passes/pass.h
//
// A pass turns a module into a better one, or proves something about it.
//
//   class Dce : public Pass {
//    public:
//     std::string_view name() const override { return "dce"; }
//     StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
//   };
//
// Rules for every pass:
// - `Run` returns whether the module changed, and tells the truth: with checks on, a pass that says
//   otherwise is an error that names it.
// - It is iterative and O(n) or O(n log n): chains of 100,000 instructions are ordinary.
// - It keeps every value bit for bit (but for NaN payloads) unless options().fast_math is set.
// - It holds no state between two modules; what it needs is in the context.
// - It is in the table of registry.cc, with one line of documentation.
#ifndef SWAGE_COMPILER_PASSES_PASS_H_
#define SWAGE_COMPILER_PASSES_PASS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/ir/module.h"
#include "compiler/passes/options.h"

namespace swage::cost {
struct DeviceDescription;
}  // namespace swage::cost

namespace swage::passes {

class ModuleDump;
class PassContext;
class PipelineRun;

class Pass {
 public:
  virtual ~Pass() = default;

  // Kebab-case; the one name of this pass in files, flags, dumps and docs.
  virtual std::string_view name() const = 0;
  // True when the module changed.
  virtual StatusOr<bool> Run(ir::Module& module, PassContext& context) = 0;

  virtual bool IsPipeline() const { return false; }
  // Later stages cannot work without it: to disable it is an error, and in a pipeline that is
  // disabled it runs.
  virtual bool IsRequired() const { return false; }
};

// One run of one pass.
struct PassRun {
  std::string name;
  std::string path;  // the pipelines around it, "cpu/optimization/simplification"
  int64_t step = 0;  // 0 .. over the whole compilation
  int64_t run = 0;   // the how-manieth run of a pass of this name, from 0
  bool changed = false;
  bool skipped = false;  // by a filter
  double milliseconds = 0;
};

// A part of a compilation behind the passes, which may be summed over threads.
struct Phase {
  std::string name;  // "llvm"
  double milliseconds = 0;
};

// A decision of a fusion pass about one producer and one consumer, for `opt --fusion` and explain.
// Times are in picoseconds.
struct FusionDecision {
  std::string pass;
  std::string producer;
  std::string consumer;  // empty: all consumers
  bool fused = false;
  int64_t time_unfused = 0;
  int64_t time_fused = 0;
  int64_t priority = 0;
  std::string rule = {};    // id of the rule that forbade it; empty: profitability decided
  std::string reason = {};  // in words
};

enum class Severity { kInfo, kWarning };

struct Message {
  Severity severity;
  std::string text;
};

// What the passes of one compilation share. One compilation, one context, one thread.
class PassContext {
 public:
  explicit PassContext(CompilerOptions options = {},
                       const cost::DeviceDescription* device = nullptr);
  ~PassContext();
  PassContext(const PassContext&) = delete;
  PassContext& operator=(const PassContext&) = delete;

  const CompilerOptions& options() const { return options_; }
  // The machine that is compiled for; null where a pipeline is run without one (some tests).
  const cost::DeviceDescription* device() const { return device_; }

  // Something a person wants to know about this compilation; the caller logs it.
  void Log(Severity severity, std::string text);
  const std::vector<Message>& messages() const { return messages_; }

  const std::vector<PassRun>& runs() const { return runs_; }
  // What comes behind the passes; it stands in the dump's index.
  void AddPhase(std::string name, double milliseconds) {
    phases_.push_back({std::move(name), milliseconds});
  }
  const std::vector<Phase>& phases() const { return phases_; }
  std::vector<FusionDecision>* fusion_decisions() { return &fusion_decisions_; }
  const std::vector<FusionDecision>& fusion_decisions() const { return fusion_decisions_; }

  // What constant folding has used of its budget in this compilation.
  int64_t fold_microseconds = 0;
  int64_t fold_bytes = 0;

  // True where a dump would be written; for callers that would prepare one at a cost.
  bool is_dumping() const { return dump_ != nullptr; }
  // The module in the middle of a pass: NNNN.<pass>.<label>.txt.
  void DumpInside(const Pass& pass, std::string_view label, const ir::Module& module);
  // Another artefact, `module_0003.attend.<suffix>`: LLVM IR (".ll"), assembly (".s"), ...
  void DumpFile(std::string_view suffix, std::string_view bytes, std::string_view what);
  // Gives the dump (opened by the first pipeline; null: none) its name and options.
  void OpenDump(const ir::Module& module);
  // Ends the dump: after it the messages hold all that went wrong with it. The destructor does it
  // too.
  void CloseDump();
  ModuleDump* dump() { return dump_.get(); }

 private:
  friend class PipelineRun;

  CompilerOptions options_;
  const cost::DeviceDescription* device_;
  std::vector<Message> messages_;
  std::vector<PassRun> runs_;
  std::vector<Phase> phases_;
  std::vector<FusionDecision> fusion_decisions_;
  std::unique_ptr<ModuleDump> dump_;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_PASS_H_
