// File: runtime/hlo_state.h
//
// A program read from HLO text: the module as loaded, compiled on the first call.
#ifndef SWAGE_RUNTIME_HLO_STATE_H_
#define SWAGE_RUNTIME_HLO_STATE_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "compiler/ir/module.h"
#include "runtime/hlo.h"
#include "runtime/program.h"

namespace swage::internal {

class HloState {
 public:
  // `module` has been verified; its layouts, but the entry's, are dropped.
  HloState(std::unique_ptr<ir::Module> module, runtime::ResolvedOptions options, std::string name);

  StatusOr<std::vector<Tensor>> Run(std::span<const Tensor> arguments);

  const std::string& name() const { return name_; }
  const ir::Module& module() const { return *module_; }
  // Leaves, without layouts.
  const std::vector<ir::Shape>& parameters() const { return parameters_; }
  const std::vector<ir::Shape>& results() const { return results_; }
  JitStats stats() const;

 private:
  StatusOr<cache::ProgramPtr> Compile();
  Status CheckArguments(std::span<const Tensor> arguments) const;

  const std::unique_ptr<ir::Module> module_;
  const runtime::ResolvedOptions options_;
  const std::string name_;
  std::vector<ir::Shape> parameters_;
  std::vector<std::string> parameter_names_;  // "arg0", "arg0{1}" for a leaf of a tuple
  std::vector<ir::Shape> results_;

  mutable std::mutex mutex_;  // guards what follows; held while compiling: others must wait anyway
  std::weak_ptr<cache::CachedProgram> program_;  // the memory tier keeps it, until it is evicted
  JitStats stats_;
  std::atomic<int64_t> calls_{0};
};

}  // namespace swage::internal

#endif  // SWAGE_RUNTIME_HLO_STATE_H_
