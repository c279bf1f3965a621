#include "runtime/jit.h"

#include <algorithm>
#include <cctype>
#include <ostream>

#include "absl/strings/str_format.h"
#include "cache/tiers.h"
#include "runtime/jit_state.h"
#include "runtime/op_support.h"
#include "runtime/policies.h"
#include "runtime/shared_states.h"
#include "runtime/tensor_impl.h"

namespace swage {
namespace internal {
namespace {

// A name for computations and files: letters, digits, '_', '-' and '.'.
std::string CleanName(std::string_view name) {
  std::string clean(name);
  for (char& c : clean) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
    if (!plain) c = '_';
  }
  return clean;
}

// "attend_12" for line 12 of attend.cc.
std::string NameOfLine(std::source_location where) {
  std::string_view file = where.file_name();
  file = file.substr(file.rfind('/') + 1);
  file = file.substr(0, file.rfind('.'));
  return absl::StrCat(ToAbsl(file), "_", where.line());
}

std::shared_ptr<JitState> NewState(const JitOptions& options, std::source_location where) {
  const std::string given = options.name.empty() ? NameOfLine(where) : options.name;
  const std::string name = CleanName(given);
  const auto policy = runtime::PolicyOf(given, name);
  if (policy->pattern.empty()) runtime::WarnOfNearTable(given);
  StatusOr<runtime::ResolvedOptions> resolved = runtime::ResolveOptions(options, policy.get());
  if (!resolved.ok()) runtime::ThrowStatus(resolved.status(), "jit", where);
  auto state = std::make_shared<JitState>(name, *std::move(resolved));
  const Status sized = state->SetSizes([given, name, options] {
    return runtime::SizeRules::Make(name, options, runtime::PolicyOf(given, name));
  });
  if (!sized.ok()) runtime::ThrowStatus(sized, "jit", where);
  return state;
}

// Options as given, not as resolved: equal text means equal options.
std::string OptionsText(const JitOptions& options) {
  std::string text = absl::StrCat(options.name, "\n", options.device, "\n", options.dump_to, "\n");
  for (const auto* list : {&options.disable_passes, &options.only_passes}) {
    for (const std::string& entry : *list) absl::StrAppend(&text, entry, ",");
    absl::StrAppend(&text, "\n");
  }
  absl::StrAppend(&text, options.fast_math.has_value() ? 1 + *options.fast_math : 0, "\n",
                  options.max_constant_bytes.value_or(-1), "\n",
                  options.on_miss.has_value() ? static_cast<int>(*options.on_miss) : -1, "\n",
                  options.max_compiles.value_or(-1), "\n",
                  options.mode.has_value() ? static_cast<int>(*options.mode) : -1);
  for (const std::string& dims : options.dims) absl::StrAppend(&text, "\n", dims);
  return text;
}

}  // namespace

std::shared_ptr<JitState> MakeJitState(JitOptions options, const FunctionIdentity* identity,
                                       const void* function_pointer, std::source_location where) {
  const auto make = [&] { return NewState(options, where); };
  if (identity == nullptr) return make();
  return runtime::SharedState({identity, function_pointer, OptionsText(options)}, make);
}

JitStats StatsOf(const JitState& state) { return state.stats(); }
MissReport ExplainOf(const JitState& state) {
  MissReport report = state.explain();
  AddStoredComponents(state.MissedKey().get(), &report);
  return report;
}

void SetOnMiss(JitState& state, OnMiss policy) {
  const Status known = runtime::CheckOnMiss(policy);
  if (!known.ok()) runtime::ThrowStatus(known, state.name(), {});
  state.set_on_miss(policy);
}

OnMiss OnMissOf(const JitState& state) { return state.on_miss(); }

Tensor Unfilled(const TensorSpec& spec) {
  const runtime::OpContext context{"warmup", {}};
  StatusOr<runtime::FreshTensor> made =
      runtime::NewTensor(ir::Shape::Array(runtime::ToIr(spec.dtype), context.MakeDims(spec.shape)));
  if (!made.ok()) runtime::ThrowStatus(made.status(), "warmup", {});
  return std::move(made->tensor);
}

std::vector<WarmupCall> WarmupCalls(JitState& state, const TensorList& like) {
  std::vector<const Tensor*> arguments;
  for (const Tensor& tensor : like) {
    runtime::RequireDefined(tensor, state.name(), {});
    arguments.push_back(&tensor);
  }
  const std::shared_ptr<runtime::SizeRules> rules = state.Sizes();
  if (rules == nullptr) {
    runtime::ThrowStatus(
        InvalidArgument("got warmup_sizes() of a function whose sizes are all exact, expected dims "
                        "(in its options or the configuration file); or call warmup()"),
        state.name(), {});
  }
  const auto warmups = rules->Warmups(arguments);
  if (!warmups.ok()) runtime::ThrowStatus(warmups.status(), state.name(), {});
  const int64_t limit = state.options().max_compiles;
  if (limit > 0 && rules->policy().warmup.empty() && std::ssize(*warmups) > limit) {
    runtime::ThrowStatus(
        InvalidArgument("got ", warmups->size(), " programs to warm up, one for every bucket, ",
                        "expected at most max_compiles = ", limit,
                        "; have fewer buckets or warm-up sets"),
        state.name(), {});
  }
  std::vector<WarmupCall> calls;
  for (const runtime::SizeRules::Warmup& warmup : *warmups) {
    WarmupCall& call = calls.emplace_back();
    call.sizes = warmup.sizes;
    for (const ir::Shape& shape : warmup.shapes) {
      StatusOr<runtime::FreshTensor> made = runtime::NewTensor(shape);
      if (!made.ok()) runtime::ThrowStatus(made.status(), state.name(), {});
      call.tensors.push_back(std::move(made->tensor));
    }
  }
  return calls;
}

void ThrowMovedFrom() {
  runtime::ThrowStatus(InvalidArgument("got a jit function that was moved from, expected one that "
                                       "jit() returned or a copy of it"),
                       "jit", {});
}

void ThrowNullFunction(std::source_location where) {
  runtime::ThrowStatus(InvalidArgument("got a null function pointer, expected a function"), "jit",
                       where);
}

void ThrowSpecCount(const JitState& state, size_t got, size_t expected) {
  runtime::ThrowStatus(InvalidArgument("got ", got, " shapes to warm up with, expected ", expected,
                                       ", one for each parameter"),
                       state.name(), {});
}

}  // namespace internal

std::ostream& operator<<(std::ostream& out, const JitStats& stats) {
  out << absl::StrFormat(
      "calls %d, hits %d, misses %d, traces %d, compiles %d (%.2f ms), kernels: %d from llvm, %d "
      "from the cache",
      stats.calls, stats.hits, stats.misses, stats.traces, stats.compiles, stats.compile_ms,
      stats.llvm_runs, stats.kernel_hits);
  if (stats.sizings > 0) out << ", set up for " << stats.sizings << " sizes";
  if (stats.exact_fallbacks > 0) out << ", exact fallbacks " << stats.exact_fallbacks;
  if (stats.interpreted > 0) out << ", interpreted " << stats.interpreted;
  if (stats.padded_elements > 0) {
    out << absl::StrFormat(", padding %.1f %%",
                           100.0 * static_cast<double>(stats.padded_elements) /
                               static_cast<double>(stats.padded_elements + stats.valid_elements));
  }
  if (stats.loads > 0 || stats.kernel_loads > 0) {
    out << absl::StrFormat(", stored: %d programs, %d kernels", stats.loads, stats.kernel_loads);
  }
  if (stats.stand_ins > 0) {
    out << absl::StrFormat(", stand-ins %d (%d replaced)", stats.stand_ins, stats.swapped);
  }
  if (stats.donations > 0) out << ", donated " << stats.donations;
  if (stats.evictions > 0) out << ", evicted " << stats.evictions;
  return out << "\n";
}

}  // namespace swage
