#include "runtime/program.h"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <new>

#include "absl/strings/str_join.h"
#include "base/env.h"
#include "base/fork_gate.h"
#include "base/key_material.h"
#include "base/log.h"
#include "base/nearest.h"
#include "base/parallel_for.h"
#include "cache/module_cache.h"
#include "codegen/compile_log.h"
#include "compiler/ir/fingerprint.h"
#include "runtime/ir_types.h"
#include "runtime/placement.h"
#include "runtime/tensor_impl.h"
#include "runtime/trace.h"

namespace swage::runtime {
namespace {

std::string KeyOf(const ResolvedOptions& options) {
  const passes::CompilerOptions& compiler = options.compiler;
  KeyMaterial key;
  key.Add("device", options.backend->name);
  passes::AddToKey(compiler, &key);
  // Checks and dumps do not change the program, but one from the cache would not do them.
  key.Add("check_lies", compiler.check_lies);
  key.Add("check_padding", compiler.check_padding);
  key.Add("check_passes", compiler.check_passes);
  key.Add("dump_to", compiler.dump_to);
  for (const std::string& pass : compiler.dump_passes) key.Add("dump_pass", pass);
  return key.Serialise();
}

// No exception may leave: other threads wait for the outcome.
StatusOr<std::shared_ptr<codegen::Executable>> CompileGuarded(std::unique_ptr<ir::Module> module,
                                                              const ResolvedOptions& options,
                                                              Effort effort) {
  try {
    return options.backend->compile(*options.backend, std::move(module), options.compiler, effort);
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("[compile] out of memory");
  } catch (const std::exception& error) {
    return Internal("[compile] ", error.what());
  }
}

OnMiss FromPolicy(policy::OnMiss on_miss) {
  switch (on_miss) {
    case policy::OnMiss::kWait:
      return OnMiss::kWait;
    case policy::OnMiss::kBackground:
      return OnMiss::kBackground;
    case policy::OnMiss::kError:
      return OnMiss::kError;
    case policy::OnMiss::kExact:
      return OnMiss::kExact;
  }
  return OnMiss::kWait;
}

StatusOr<std::optional<OnMiss>> OnMissFromEnvironment() {
  const std::optional<std::string> text = GetEnv("SWAGE_ON_MISS");
  if (!text.has_value()) return std::optional<OnMiss>();
  const std::vector<std::string_view> names = policy::NamesOf(policy::OnMissName);
  const auto at = std::find(names.begin(), names.end(), *text);
  if (at != names.end()) return FromPolicy(static_cast<policy::OnMiss>(at - names.begin()));
  return InvalidArgument("[environment] SWAGE_ON_MISS='", *text,
                         "', expected wait, background, error or exact", DidYouMean(*text, names));
}

Status CheckNotNegative(std::string_view option, const std::optional<int64_t>& value) {
  if (value.value_or(0) >= 0) return OkStatus();
  return InvalidArgument("[options] got ", ToAbsl(option), " = ", *value, ", expected 0 or more");
}

}  // namespace

Status CheckOnMiss(OnMiss policy) {
  switch (policy) {
    case OnMiss::kWait:
    case OnMiss::kBackground:
    case OnMiss::kError:
    case OnMiss::kExact:
      return OkStatus();
  }
  return InvalidArgument("[options] got the number ", static_cast<int>(policy),
                         " for on_miss, expected a value such as OnMiss::kWait");
}

StatusOr<ResolvedOptions> ResolveOptions(const JitOptions& options,
                                         const policy::FunctionPolicy* policy) {
  CheckEnvironmentOnce();
  if (options.on_miss.has_value()) SWAGE_RETURN_IF_ERROR(CheckOnMiss(*options.on_miss));
  ResolvedOptions resolved;
  SWAGE_RETURN_IF_ERROR(DefaultNumThreads().status());  // or loops would use their default
  SWAGE_ASSIGN_OR_RETURN(resolved.compiler, passes::OptionsFromEnvironment());
  const std::string device =
      !options.device.empty() ? options.device : GetEnv("SWAGE_DEVICE").value_or("cpu");
  SWAGE_ASSIGN_OR_RETURN(resolved.backend, FindBackend(device));
  passes::CompilerOptions& compiler = resolved.compiler;
  if (!options.disable_passes.empty()) compiler.disable_passes = options.disable_passes;
  if (!options.only_passes.empty()) compiler.only_passes = options.only_passes;
  if (!options.dump_to.empty()) compiler.dump_to = options.dump_to;
  compiler.fast_math = options.fast_math.value_or(compiler.fast_math);
  SWAGE_RETURN_IF_ERROR(CheckNotNegative("max_constant_bytes", options.max_constant_bytes));
  SWAGE_RETURN_IF_ERROR(CheckNotNegative("max_compiles", options.max_compiles));
  compiler.fold_budget_bytes = options.max_constant_bytes.value_or(compiler.fold_budget_bytes);
  // Now, since what calls for no compile would never say.
  SWAGE_RETURN_IF_ERROR(resolved.backend->check_filters(compiler));
  resolved.key = KeyOf(resolved);
  SWAGE_ASSIGN_OR_RETURN(const std::optional<OnMiss> from_environment, OnMissFromEnvironment());
  resolved.on_miss = options.on_miss             ? *options.on_miss
                     : from_environment          ? *from_environment
                     : policy && policy->on_miss ? FromPolicy(*policy->on_miss)
                                                 : OnMiss::kWait;
  SWAGE_ASSIGN_OR_RETURN(const std::optional<int64_t> max_compiles,
                         GetEnvInt("SWAGE_MAX_COMPILES", 0, std::numeric_limits<int64_t>::max()));
  const std::optional<int64_t> from_policy =
      policy != nullptr ? policy->max_compiles : std::optional<int64_t>();
  resolved.max_compiles =
      options.max_compiles.value_or(max_compiles.value_or(from_policy.value_or(0)));
  if (policy != nullptr) {
    resolved.on_limit = policy->on_limit;
    resolved.exact_sizes = policy->mode == policy::Mode::kExact;
  }
  if (options.mode.has_value()) resolved.exact_sizes = *options.mode == Mode::kExact;
  return resolved;
}

ResolvedOptions ResolvedOptions::Interpreted() const {
  ResolvedOptions interpreted = *this;
  const StatusOr<const Backend*> evaluator = FindBackend("evaluator");
  SWAGE_CHECK(evaluator.ok());
  interpreted.backend = *evaluator;
  interpreted.key = KeyOf(interpreted);
  return interpreted;
}

ResolvedOptions ResolvedOptions::ForOpenSizes(std::vector<ir::SizeHint> hints,
                                              passes::PadValues pad_values) const {
  ResolvedOptions open = *this;
  open.compiler.size_hints = std::move(hints);
  if (compiler.padding != passes::Padding::kNone && !GetEnv("SWAGE_PADDING_FILL").has_value()) {
    open.compiler.pad_values = std::move(pad_values);
  }
  open.key = KeyOf(open);
  return open;
}

const ResolvedOptions& EagerOptions(absl::Span<const Tensor> operands) {
  static auto* const mutex = new std::mutex;
  static auto* const of_device = new std::map<std::string, std::unique_ptr<ResolvedOptions>>;
  std::string device;
  for (const Tensor& operand : operands) {
    const codegen::MemorySpace* const memory = operand.impl()->buffer()->space();
    if (memory != nullptr) device = memory->name();
  }
  const std::lock_guard<std::mutex> lock(*mutex);
  std::unique_ptr<ResolvedOptions>& options = (*of_device)[device];
  if (options == nullptr) {
    StatusOr<ResolvedOptions> resolved = ResolveOptions({.device = device});
    if (!resolved.ok()) ThrowStatus(resolved.status(), "options", {});
    options = std::make_unique<ResolvedOptions>(*std::move(resolved));
  }
  return *options;
}

namespace {

StatusOr<std::shared_ptr<codegen::Executable>> CompileAndLog(std::unique_ptr<ir::Module> module,
                                                             const ResolvedOptions& options,
                                                             std::string_view reason,
                                                             Effort effort) {
  const std::string name = module->name();
  SWAGE_ASSIGN_OR_RETURN(auto executable, CompileGuarded(std::move(module), options, effort));
  codegen::LogCompile(name, executable->report(), reason);
  return executable;
}

std::string_view TierOf(const codegen::CompileReport& report) {
  return report.module_load ? kStoredTier : kCompiledTier;
}

// A program that is compiled fast; in the cache by `key` only if it is as good as any.
StatusOr<Compiled> CompileQuickly(std::unique_ptr<ir::Module> module, const std::string& key,
                                  const ResolvedOptions& options, std::string_view reason) {
  cache::ModuleCache& cache = cache::ModuleCache::Global();
  Compiled compiled{.program = cache.Peek(key), .tier = kMemoryTier, .unfinished = nullptr};
  if (compiled.program != nullptr) return compiled;
  compiled.tier = kCompiledTier;
  compiled.unfinished = module->Clone();
  SWAGE_ASSIGN_OR_RETURN(auto executable,
                         CompileAndLog(std::move(module), options, reason, Effort::kQuick));
  if (executable->report().quick_kernels > 0) {
    compiled.program = cache.Adopt(std::move(executable));
    return compiled;
  }
  compiled.unfinished = nullptr;
  compiled.tier = TierOf(executable->report());
  const auto made = [&]() -> StatusOr<std::shared_ptr<codegen::Executable>> { return executable; };
  bool hit;
  SWAGE_ASSIGN_OR_RETURN(compiled.program, cache.Get(key, made, &hit));
  return compiled;
}

}  // namespace

void AddReport(const codegen::CompileReport& report, JitStats* stats) {
  ++(report.module_load ? stats->loads : stats->compiles);
  stats->llvm_runs += report.llvm_runs;
  stats->kernel_hits += report.kernel_hits;
  stats->kernel_loads += report.kernel_loads;
  stats->compile_ms += report.total_ms;
  stats->passes_ms += report.passes_ms;
  stats->llvm_ms += report.llvm_ms;
  stats->link_ms += report.link_ms;
  stats->load_ms += report.load_ms;
}

StatusOr<Compiled> CompileModule(std::unique_ptr<ir::Module> module, const ResolvedOptions& options,
                                 std::string_view reason, Effort effort) {
  const CompileSection section;
  const std::string key = absl::StrCat(options.key, ir::CanonicalText(*module));
  if (effort == Effort::kQuick) return CompileQuickly(std::move(module), key, options, reason);
  const auto compile = [&]() -> StatusOr<std::shared_ptr<codegen::Executable>> {
    return CompileAndLog(std::move(module), options, reason, Effort::kFull);
  };
  Compiled compiled;
  bool hit = false;
  SWAGE_ASSIGN_OR_RETURN(compiled.program, cache::ModuleCache::Global().Get(key, compile, &hit));
  compiled.tier = hit ? kMemoryTier : TierOf(compiled.executable().report());
  return compiled;
}

StatusOr<std::vector<Tensor>> RunExecutable(codegen::Executable& executable,
                                            absl::Span<const Tensor* const> inputs) {
  ExecutableRun run(executable);
  for (const Tensor* input : inputs) SWAGE_RETURN_IF_ERROR(run.Add(*input));
  SWAGE_RETURN_IF_ERROR(run.Run());
  return std::vector<Tensor>(run.results().begin(), run.results().end());
}

}  // namespace swage::runtime
