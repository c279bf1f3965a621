#include "runtime/miss.h"

#include "absl/container/flat_hash_map.h"
#include "base/log.h"
#include "compiler/ir/assumptions.h"
#include "runtime/background.h"
#include "runtime/error.h"
#include "runtime/graph.h"
#include "runtime/ir_types.h"
#include "runtime/nested.h"
#include "runtime/placement.h"
#include "runtime/tensor_impl.h"
#include "runtime/trace.h"
#include "runtime/weights.h"

namespace swage {
namespace internal {

using runtime::Node;
using runtime::ThrowStatus;
using runtime::TraceScope;

TraceOutcome RunTrace(TraceScope& scope, absl::Span<const ir::Shape> shapes, const TraceFn& trace) {
  TensorList traced;
  for (size_t i = 0; i < shapes.size(); ++i) {
    traced.push_back(scope.AddParameter(shapes[i], absl::StrCat("arg", i)));
  }
  TraceResult result = trace(traced);
  TraceOutcome outcome;
  outcome.skeleton = std::move(result.skeleton);
  absl::flat_hash_map<Node, int> outputs;
  for (const Tensor& leaf : result.leaves) {
    LeafSource source;
    if (leaf.defined()) {
      const StatusOr<Node> node = scope.Lift(leaf);
      if (!node.ok()) ThrowStatus(node.status(), ToStd(scope.computation()->name()), {});
      if ((*node)->opcode() == ir::Opcode::kParameter) {
        source = {LeafSource::Kind::kArgument, static_cast<int>((*node)->parameter_number())};
      } else {
        const auto [it, fresh] = outputs.try_emplace(*node, static_cast<int>(outputs.size()));
        if (fresh) outcome.outputs.push_back(*node);
        source = {LeafSource::Kind::kOutput, it->second};
      }
    }
    outcome.leaves.push_back(source);
  }
  outcome.captured = scope.captured();
  return outcome;
}

}  // namespace internal

namespace runtime {

using internal::CacheEntry;
using internal::CallKey;
using internal::EntryPtr;
using internal::JitState;
using internal::TraceFn;
using internal::TraceOutcome;

namespace {

// What a miss is to be traced for.
struct MissedCall {
  std::vector<ir::Shape> shapes;  // of the arguments
  const TraceFn& trace;
  ArgumentElements elements = {};   // of a call that runs this very program
  const SizedCall* open = nullptr;  // whose program it is to be
  // After a failure: the symbols that needed numbers.
  std::vector<const ir::Symbol*> forced = {};
};

ResolvedOptions OptionsFor(const JitState& state, const MissedCall& call, const CacheEntry& entry) {
  if (entry.interpreted) return state.options().Interpreted();
  if (call.open == nullptr) return state.options();
  return state.options().ForOpenSizes(call.open->hints, call.open->pad_values);
}

// Once, instead of at every call.
void PlaceCaptured(const JitState& state, CacheEntry* entry) {
  const ResolvedOptions& options = state.options();
  if (entry->interpreted) return;
  const StatusOr<codegen::MemorySpace*> memory = options.backend->memory(*options.backend);
  if (!memory.ok()) ThrowStatus(memory.status(), state.name(), {});
  if (*memory == nullptr) return;
  for (Tensor& captured : entry->captured) {
    StatusOr<Tensor> placed = CopyTo(captured, *memory);
    if (!placed.ok()) ThrowStatus(placed.status(), state.name(), {});
    captured = *std::move(placed);
  }
}

// Traces and compiles what `entry` will run. Of a stand-in, returns what it stands in for.
std::unique_ptr<ir::Module> Fill(JitState& state, const CallKey& key, MissedCall& call,
                                 Effort effort, CacheEntry& entry) {
  state.CountTrace();
  auto module = std::make_shared<TraceModule>(state.name());
  std::shared_ptr<TraceScope> scope = TraceScope::Open(module, state.name());
  // A call of itself with this key finds it open.
  NestedTraces::Of(*scope).Add(&state, key);
  TraceOutcome outcome;
  try {
    outcome = RunTrace(*scope, call.shapes, call.trace);
  } catch (...) {
    call.forced = scope->forced();
    throw;
  }
  scope->Close();
  entry.captured = std::move(outcome.captured);
  PlaceCaptured(state, &entry);
  if (!entry.interpreted) MarkWeights(entry.captured, scope->computation());
  entry.leaves = std::move(outcome.leaves);
  entry.skeleton = std::move(outcome.skeleton);
  entry.assumptions = scope->assumptions();
  entry.elements = call.elements;
  state.EndTrace(entry);
  if (outcome.outputs.empty()) {
    state.SetTier(kCompiledTier);
    return nullptr;
  }
  ir::Computation* computation = scope->computation();
  Graph graph(computation, module->combiners());
  computation->set_root(outcome.outputs.size() == 1 ? outcome.outputs[0]
                                                    : graph.Tuple(outcome.outputs));
  module->module()->set_entry(computation);
  StatusOr<Compiled> compiled = CompileModule(
      std::move(*module).Take(), OptionsFor(state, call, entry), state.Reason(), effort);
  if (!compiled.ok()) {
    if (compiled.status().code() == absl::StatusCode::kUnimplemented) {
      for (const ir::Shape& shape : call.shapes) {
        for (const ir::Dim dim : shape.dims()) dim.CollectSymbols(&call.forced);
      }
    }
    ThrowStatus(Annotate(compiled.status(), absl::StrCat("; while compiling ", state.name())),
                state.name(), {});
  }
  if (!compiled->cached() && !entry.interpreted) {
    state.CountCompile(compiled->executable().report(), compiled->unfinished != nullptr);
  }
  state.SetTier(compiled->tier);
  entry.program = std::move(compiled->program);
  // A stand-in is gone before it would have paid.
  if (compiled->unfinished == nullptr) {
    StatusOr<cache::ProgramPtr> prepared = WithWeights(entry.captured, entry.program);
    if (!prepared.ok()) ThrowStatus(prepared.status(), state.name(), {});
    entry.program = *std::move(prepared);
  }
  return std::move(compiled->unfinished);
}

// What a background compile is for. It keeps neither alive: they hold types of the user, whose
// library may be unloaded meanwhile.
struct Unfinished {
  std::weak_ptr<JitState> state;
  std::weak_ptr<CacheEntry> entry;
  ResolvedOptions options;
};

// Compiles what an entry stands in for, and puts it in its place.
void Finish(const Unfinished& unfinished, std::unique_ptr<ir::Module> module) {
  if (const EntryPtr entry = unfinished.entry.lock(); entry == nullptr || entry->dead()) return;
  StatusOr<Compiled> compiled =
      CompileModule(std::move(module), unfinished.options, "in the background, for a stand-in");
  const std::shared_ptr<JitState> state = unfinished.state.lock();
  const EntryPtr entry = unfinished.entry.lock();
  if (state == nullptr || entry == nullptr) return;
  if (!compiled.ok()) {
    LogWarning(absl::StrCat("[jit] ", state->name(),
                            ": the stand-in stays, since compiling in the ",
                            "background failed: ", compiled.status().message()));
    return;
  }
  if (!compiled->cached()) state->CountCompile(compiled->executable().report(), false);
  const std::vector<EntryPtr> sizes = state->SizesOf(entry);
  for (const EntryPtr& sized : sizes) {
    auto executable = compiled->executable().ForSizes(sized->sizes);
    if (executable.ok()) executable = WithWeights(sized->captured, *executable);
    if (!executable.ok()) continue;  // the stand-in stays
    state->Replace(sized, cache::ModuleCache::Global().Adopt(*std::move(executable)));
  }
  StatusOr<cache::ProgramPtr> prepared = WithWeights(entry->captured, std::move(compiled->program));
  if (prepared.ok()) state->Replace(entry, *std::move(prepared));
}

void FinishInBackground(JitState& state, const MissedCall& call, const EntryPtr& entry,
                        std::unique_ptr<ir::Module> module) {
  // std::function copies what it holds.
  auto shared = std::make_shared<std::unique_ptr<ir::Module>>(std::move(module));
  const Unfinished unfinished{state.weak_from_this(), entry, OptionsFor(state, call, *entry)};
  const auto job = [unfinished, shared] { Finish(unfinished, std::move(*shared)); };
  if (!BackgroundCompiler::Get().Add(job)) job();
}

EntryPtr FindOrMake(JitState& state, const CallKey& key, MissedCall& call,
                    const JitState::Request& request, bool* made) {
  const bool stand_in = state.on_miss() == OnMiss::kBackground && !request.warmup;
  const Effort effort = stand_in ? Effort::kQuick : Effort::kFull;
  std::unique_ptr<ir::Module> unfinished;
  EntryPtr entry = state.FindOrMake(
      key, request, [&](CacheEntry& fresh) { unfinished = Fill(state, key, call, effort, fresh); },
      made);
  if (unfinished != nullptr) FinishInBackground(state, call, entry, std::move(unfinished));
  return entry;
}

// The key with other shapes of its tensors.
Words WithShapes(const CallKey& key, absl::Span<const ir::Shape> shapes) {
  Words words;
  size_t next = 0;
  for (const KeyItem& item : ReadKey(key.words)) {
    if (item.kind == KeyItem::Kind::kTensor) {
      AppendTensor(&words, shapes[next++]);
    } else {
      words.insert(words.end(), item.words.begin(), item.words.end());
    }
  }
  return words;
}

// The program of exactly these shapes.
EntryPtr FindOrMakeExact(JitState& state, const CallKey& key,
                         absl::Span<const Tensor* const> arguments, const TraceFn& trace,
                         const JitState::Request& request) {
  MissedCall call{internal::ShapesOf(arguments), trace, ElementsOf(arguments)};
  bool made = false;
  EntryPtr entry = FindOrMake(state, key, call, request, &made);
  if (!made) state.CountHit();
  return entry;
}

// The program of `parent` for the sizes of one call.
EntryPtr Sized(JitState& state, const CallKey& key, const EntryPtr& parent, const SizedCall& call,
               ArgumentElements elements) {
  const auto fill = [&](CacheEntry& made) {
    made.captured = parent->captured;
    made.leaves = parent->leaves;
    made.skeleton = parent->skeleton;
    made.parent = parent;
    made.sizes = call.sizes;
    made.elements = elements;
    codegen::Executable* const symbolic = parent->program->executable().get();
    if (symbolic == nullptr) return;
    parent->program->Touch();
    auto executable = symbolic->ForSizes(call.sizes);
    if (executable.ok()) executable = WithWeights(made.captured, *executable);
    if (!executable.ok()) ThrowStatus(executable.status(), state.name(), {});
    made.program = cache::ModuleCache::Global().Adopt(*std::move(executable));
  };
  bool made = false;
  return state.FindOrMake(key, {.sizing = true}, fill, &made);
}

// A miss of a function whose sizes may stay open.
class OpenMiss {
 public:
  OpenMiss(JitState& state, SizeRules& rules, const CallKey& key,
           absl::Span<const Tensor* const> arguments, const TraceFn& trace,
           const JitState::Request& request)
      : state_(state),
        rules_(rules),
        key_(key),
        arguments_(arguments),
        trace_(trace),
        request_(request) {
    request_.open = true;
  }

  EntryPtr Run() {
    for (;;) {
      const SizedCall placed = Placed(/*whole=*/false);
      if (!placed.symbolic()) return Exact(placed.fallback);
      if (TooWasteful(placed)) return Exact("its padding would be more than max_waste allows");
      if (const EntryPtr entry = RunPlaced(placed)) return entry;
    }
  }

 private:
  SizedCall Placed(bool whole) {
    StatusOr<SizedCall> placed = rules_.Place(arguments_, whole);
    if (!placed.ok()) ThrowStatus(placed.status(), state_.name(), {});
    return *std::move(placed);
  }

  // Ordinary code for the sizes of the call, or an ordinary error. `why`: although they may be
  // open; empty: they may not.
  EntryPtr Exact(std::string why) {
    if (!why.empty()) state_.CountFallback();
    request_.fallback = std::move(why);
    return FindOrMakeExact(state_, key_, arguments_, trace_, request_);
  }

  ArgumentElements Elements(const SizedCall& placed) const {
    return state_.options().compiler.padding == passes::Padding::kForced
               ? PaddedElementsOf(arguments_, placed.shapes)
               : ElementsOf(arguments_);
  }

  bool TooWasteful(const SizedCall& placed) const {
    const ArgumentElements elements = Elements(placed);
    const double all = static_cast<double>(elements.valid) + static_cast<double>(elements.padded);
    return static_cast<double>(elements.padded) > rules_.policy().max_waste * all;
  }

  // Null: no program can have these sizes open, and the rules take that into account from now on.
  EntryPtr RunPlaced(const SizedCall& placed) {
    const Words words = WithShapes(key_, placed.shapes);
    const bool exact = state_.on_miss() == OnMiss::kExact;
    const bool whole = state_.options().on_limit == policy::OnLimit::kLargestBucket &&
                       rules_.mode() == policy::Mode::kBucket && state_.AtLimit();
    if (!request_.warmup && (exact || whole) && state_.Find({words, key_.objects}) == nullptr) {
      return exact ? Exact("on_miss is exact") : RunWhole();
    }
    return RunOpen(words, placed);
  }

  // One program more, for all sizes that have buckets.
  EntryPtr RunWhole() {
    request_.beyond_limit = true;
    const SizedCall whole = Placed(/*whole=*/true);
    return whole.symbolic() ? RunOpen(WithShapes(key_, whole.shapes), whole)
                            : Exact(whole.fallback);
  }

  EntryPtr RunOpen(const Words& words, const SizedCall& placed) {
    MissedCall call{placed.shapes, trace_, {}, &placed};
    EntryPtr parent;
    bool made = false;
    request_.fallback = placed.fallback;
    try {
      parent = FindOrMake(state_, {words, key_.objects}, call, request_, &made);
    } catch (const Error& error) {
      if (!rules_.Force(call.forced, error.what())) throw;
      LogWarning(absl::StrCat("[jit] ", state_.name(),
                              ": sizes that were to stay open are exact: ", error.what()));
      state_.CountMiss(-1);
      if (rules_.automatic()) state_.CountFallback();  // the others stay open
      return nullptr;
    }
    const Status fits = ir::CheckAssumptions(parent->assumptions, placed.sizes);
    if (!fits.ok()) return Exact(std::string(fits.message()));
    EntryPtr entry = Sized(state_, key_, parent, placed, Elements(placed));
    if (!made) state_.CountHit();
    if (made && !placed.fallback.empty()) state_.CountFallback();
    return entry;
  }

  JitState& state_;
  SizeRules& rules_;
  const CallKey& key_;
  const absl::Span<const Tensor* const> arguments_;
  const TraceFn& trace_;
  JitState::Request request_;
};

}  // namespace

EntryPtr FindOrMakeFor(JitState& state, const CallKey& key,
                       absl::Span<const Tensor* const> arguments, const TraceFn& trace,
                       const JitState::Request& request) {
  if (const std::shared_ptr<SizeRules> rules = state.Sizes()) {
    return OpenMiss(state, *rules, key, arguments, trace, request).Run();
  }
  return FindOrMakeExact(state, key, arguments, trace, request);
}

}  // namespace runtime
}  // namespace swage
