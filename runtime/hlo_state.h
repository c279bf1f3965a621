// File: runtime/hlo_state.h
//
// A program read from HLO text: the module as loaded, compiled on the first call. One with symbols
// is then set up for each set of sizes that calls bring, without a compile.
#ifndef SWAGE_RUNTIME_HLO_STATE_H_
#define SWAGE_RUNTIME_HLO_STATE_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "compiler/ir/assumptions.h"
#include "compiler/ir/bind_symbols.h"
#include "compiler/ir/module.h"
#include "runtime/argument_elements.h"
#include "runtime/hlo.h"
#include "runtime/placement.h"
#include "runtime/program.h"

namespace swage::internal {

class HloState {
 public:
  // `module` has been verified; its layouts, but the entry's, are dropped. `learned`: how it came
  // about, if it was learned from lowerings. `assumptions`: what its sizes must be like.
  HloState(std::unique_ptr<ir::Module> module, runtime::ResolvedOptions options, std::string name,
           std::string learned, std::vector<ir::Assumption> assumptions);

  StatusOr<std::vector<Tensor>> Run(std::span<const Tensor> arguments, runtime::Donate donate);
  Status WarmUp(std::span<const Tensor> arguments);

  const std::string& name() const { return name_; }
  const ir::Module& module() const { return *module_; }
  // Leaves, without layouts; parameters are named "arg0", or "arg0{1}" for a leaf of a tuple.
  const std::vector<ir::NamedShape>& parameters() const { return parameters_; }
  const std::vector<ir::Shape>& results() const { return results_; }
  const std::string& learned() const { return learned_; }
  JitStats stats() const;
  MissReport explain() const;

 private:
  // The values of the symbols, one after the other; none for a static program.
  using Sizes = std::vector<int64_t>;

  StatusOr<ir::SymbolBinding> CheckArguments(std::span<const Tensor> arguments) const;
  Status CheckShapes(std::span<const Tensor> arguments) const;
  // `warmup`: asked for by name, so that OnMiss::kError does not forbid it.
  StatusOr<cache::ProgramPtr> Compile(const ir::SymbolBinding& sizes, bool warmup);
  StatusOr<cache::ProgramPtr> Whole(bool warmup);
  Status Admit(bool warmup) const;
  runtime::ArgumentElements Elements(absl::Span<const Tensor* const> arguments) const;
  std::weak_ptr<cache::CachedProgram>& SlotOf(const ir::SymbolBinding& sizes);

  const std::unique_ptr<ir::Module> module_;
  const runtime::ResolvedOptions options_;
  const std::string name_;
  const std::string learned_;
  std::vector<const ir::Symbol*> symbols_;
  std::vector<ir::Assumption> assumptions_;
  std::vector<ir::NamedShape> parameters_;
  std::vector<ir::Shape> results_;

  mutable std::mutex mutex_;  // guards what follows; held while compiling: others must wait anyway
  // The memory tier keeps the programs, until they are evicted. With symbols, the whole one and
  // those of sizes.
  std::weak_ptr<cache::CachedProgram> whole_;
  absl::flat_hash_map<Sizes, std::weak_ptr<cache::CachedProgram>> programs_;
  JitStats stats_;
  MissReport report_;  // of the last miss, without what is on disk
  std::shared_ptr<const KeyMaterial> missed_key_;
  std::atomic<int64_t> calls_{0}, donations_{0};
  runtime::ElementCounters elements_;
};

}  // namespace swage::internal

#endif  // SWAGE_RUNTIME_HLO_STATE_H_
