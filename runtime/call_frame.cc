// One call of a jit function.
#include "runtime/call_frame.h"

#include <new>

#include "base/log.h"
#include "runtime/background.h"
#include "runtime/error.h"
#include "runtime/ir_types.h"
#include "runtime/jit_state.h"
#include "runtime/nested.h"
#include "runtime/tensor_impl.h"
#include "runtime/warm_table.h"

namespace swage::internal {

using runtime::Node;
using runtime::ThrowStatus;
using runtime::TraceScope;

// On the stack of the caller; the inline sizes hold the calls that ordinary functions make.
struct CallFrame::Storage {
  explicit Storage(JitState& owner) : state(owner) {}

  CallKey key() const { return {words, objects}; }

  JitState& state;
  runtime::Words words;
  absl::InlinedVector<const Tensor*, 12> tensors;
  std::vector<StaticObject> objects;
  CacheEntry* entry = nullptr;
  WarmTable::Slot* slot = nullptr;  // which pins the entry; or else
  EntryPtr owned;
  runtime::NestedTrace* nested = nullptr;  // instead of an entry, inside another trace
  bool any_traced = false;
  absl::InlinedVector<Tensor, 4> leaves;

  // Runs what is owned, and finds it faster the next time.
  void Use(WarmTable* table) {
    entry = owned.get();
    if (table != nullptr) table->Remember(state.id(), owned, state.counters());
  }
};

CallFrame::CallFrame(JitState& state) {
  static_assert(sizeof(Storage) <= sizeof(storage_));
  s_ = new (storage_) Storage(state);
}

CallFrame::~CallFrame() {
  if (s_->slot != nullptr) WarmTable::OfThread()->Leave(s_->slot);
  s_->~Storage();
}

void CallFrame::AddTensor(const Tensor& tensor, bool) {
  const std::string_view name = s_->state.name();
  if (!tensor.defined()) {
    ThrowStatus(
        InvalidArgument("got an undefined Tensor (default-constructed or moved from) as tensor "
                        "argument ",
                        s_->tensors.size(), ", expected a value"),
        name, {});
  }
  s_->any_traced = s_->any_traced || tensor.impl()->traced();
  runtime::AppendTensor(&s_->words, tensor.impl()->shape());
  s_->tensors.push_back(&tensor);
}

void CallFrame::AddStructure(Structure kind, int64_t value) {
  runtime::AppendStructure(&s_->words, kind, value);
}

void CallFrame::AddStatic(const std::type_info& type, const void* bytes, size_t size,
                          bool arithmetic) {
  runtime::AppendStatic(&s_->words, type, bytes, size, arithmetic);
}

void CallFrame::AddStaticObject(size_t hash, const std::function<std::any()>& copy,
                                const std::function<bool(const std::any&)>& equals) {
  runtime::AppendObject(&s_->words, hash);
  s_->objects.push_back({copy, equals});
}

namespace {

// Outside a trace every argument is concrete.
void RequireConcrete(absl::Span<const Tensor* const> tensors, std::string_view name) {
  for (const Tensor* tensor : tensors) {
    if (!tensor->impl()->traced()) continue;
    ThrowStatus(InvalidArgument("got a traced ", tensor->impl()->shape().ToString(false), " of ",
                                tensor->impl()->op(), runtime::LineText(tensor->impl()->where()),
                                " outside the jit call that made it, expected a concrete tensor"),
                name, {});
  }
}

}  // namespace

bool CallFrame::Find() {
  if (TraceScope::Current() != nullptr) {
    s_->state.CountCall();
    s_->nested = runtime::FindOrTraceNested(s_->state, s_->key(), s_->tensors, nullptr);
    return s_->nested != nullptr;
  }
  if (s_->any_traced) RequireConcrete(s_->tensors, s_->state.name());
  WarmTable* const table = WarmTable::OfThread();
  if (table != nullptr) s_->slot = table->Enter(s_->state.id(), s_->key());
  if (s_->slot != nullptr) {  // which counts the hit
    s_->entry = s_->slot->entry();
    return true;
  }
  s_->state.CountCall();
  s_->owned = s_->state.Find(s_->key());
  if (s_->owned == nullptr) return false;
  s_->state.CountHit();
  s_->Use(table);
  return true;
}

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

namespace {

// What a miss is to be traced for.
struct MissedCall {
  std::vector<ir::Shape> shapes;  // of the arguments
  const TraceFn& trace;
  // After a failure: the symbols that needed numbers.
  std::vector<const ir::Symbol*> forced = {};
};

// Traces and compiles what `entry` will run. Of a stand-in, returns what it stands in for.
std::unique_ptr<ir::Module> Fill(JitState& state, const CallKey& key, MissedCall& call,
                                 runtime::Effort effort, CacheEntry& entry) {
  state.CountTrace();
  auto module = std::make_shared<runtime::TraceModule>(state.name());
  std::shared_ptr<TraceScope> scope = TraceScope::Open(module, state.name());
  // A call of itself with this key finds it open.
  runtime::NestedTraces::Of(*scope).Add(&state, key);
  TraceOutcome outcome;
  try {
    outcome = RunTrace(*scope, call.shapes, call.trace);
  } catch (...) {
    call.forced = scope->forced();
    throw;
  }
  scope->Close();
  entry.captured = std::move(outcome.captured);
  entry.leaves = std::move(outcome.leaves);
  entry.skeleton = std::move(outcome.skeleton);
  entry.assumptions = scope->assumptions();
  state.EndTrace(entry);
  if (outcome.outputs.empty()) {
    state.SetTier(runtime::kCompiledTier);
    return nullptr;
  }
  ir::Computation* computation = scope->computation();
  runtime::Graph graph(computation, module->combiners());
  computation->set_root(outcome.outputs.size() == 1 ? outcome.outputs[0]
                                                    : graph.Tuple(outcome.outputs));
  module->module()->set_entry(computation);
  StatusOr<runtime::Compiled> compiled =
      runtime::CompileModule(std::move(*module).Take(), state.options(), state.Reason(), effort);
  if (!compiled.ok()) {
    if (compiled.status().code() == absl::StatusCode::kUnimplemented) {
      for (const ir::Shape& shape : call.shapes) {
        for (const ir::Dim dim : shape.dims()) dim.CollectSymbols(&call.forced);
      }
    }
    ThrowStatus(Annotate(compiled.status(), absl::StrCat("; while compiling ", state.name())),
                state.name(), {});
  }
  if (!compiled->cached()) {
    state.CountCompile(compiled->executable().report(), compiled->unfinished != nullptr);
  }
  state.SetTier(compiled->tier);
  entry.program = std::move(compiled->program);
  return std::move(compiled->unfinished);
}

// What a background compile is for. It keeps neither alive: they hold types of the user, whose
// library may be unloaded meanwhile.
struct Unfinished {
  std::weak_ptr<JitState> state;
  std::weak_ptr<CacheEntry> entry;
  runtime::ResolvedOptions options;
};

// Compiles what an entry stands in for, and puts it in its place.
void Finish(const Unfinished& unfinished, std::unique_ptr<ir::Module> module) {
  if (const EntryPtr entry = unfinished.entry.lock(); entry == nullptr || entry->dead()) return;
  StatusOr<runtime::Compiled> compiled = runtime::CompileModule(
      std::move(module), unfinished.options, "in the background, for a stand-in");
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
    if (!executable.ok()) continue;  // the stand-in stays
    state->Replace(sized, cache::ModuleCache::Global().Adopt(*std::move(executable)));
  }
  state->Replace(entry, std::move(compiled->program));
}

void FinishInBackground(JitState& state, const EntryPtr& entry,
                        std::unique_ptr<ir::Module> module) {
  // std::function copies what it holds.
  auto shared = std::make_shared<std::unique_ptr<ir::Module>>(std::move(module));
  const Unfinished unfinished{state.weak_from_this(), entry, state.options()};
  const auto job = [unfinished, shared] { Finish(unfinished, std::move(*shared)); };
  if (!runtime::BackgroundCompiler::Get().Add(job)) job();
}

EntryPtr FindOrMake(JitState& state, const CallKey& key, MissedCall& call,
                    const JitState::Request& request) {
  const bool stand_in = state.on_miss() == OnMiss::kBackground && !request.warmup;
  const runtime::Effort effort = stand_in ? runtime::Effort::kQuick : runtime::Effort::kFull;
  std::unique_ptr<ir::Module> unfinished;
  EntryPtr entry = state.FindOrMake(
      key, request, [&](CacheEntry& made) { unfinished = Fill(state, key, call, effort, made); });
  if (unfinished != nullptr) FinishInBackground(state, entry, std::move(unfinished));
  return entry;
}

// The key with other shapes of its tensors.
runtime::Words WithShapes(const CallKey& key, absl::Span<const ir::Shape> shapes) {
  runtime::Words words;
  size_t next = 0;
  for (const runtime::KeyItem& item : runtime::ReadKey(key.words)) {
    if (item.kind == runtime::KeyItem::Kind::kTensor) {
      runtime::AppendTensor(&words, shapes[next++]);
    } else {
      words.insert(words.end(), item.words.begin(), item.words.end());
    }
  }
  return words;
}

// The program of `parent` for the sizes of one call.
EntryPtr Sized(JitState& state, const CallKey& key, const EntryPtr& parent,
               const ir::SymbolBinding& sizes) {
  return state.FindOrMake(key, {.sizing = true}, [&](CacheEntry& made) {
    made.captured = parent->captured;
    made.leaves = parent->leaves;
    made.skeleton = parent->skeleton;
    made.parent = parent;
    made.sizes = sizes;
    codegen::Executable* const symbolic = parent->program->executable().get();
    if (symbolic == nullptr) return;
    parent->program->Touch();
    auto executable = symbolic->ForSizes(sizes);
    if (!executable.ok()) ThrowStatus(executable.status(), state.name(), {});
    made.program = cache::ModuleCache::Global().Adopt(*std::move(executable));
  });
}

// As FindOrMake, of a function whose sizes may stay open.
EntryPtr FindOrMakeOpen(JitState& state, runtime::SizeRules& rules, const CallKey& key,
                        absl::Span<const Tensor* const> arguments, const TraceFn& trace,
                        const JitState::Request& request) {
  for (;;) {
    const StatusOr<runtime::SizedCall> placed = rules.Place(arguments);
    if (!placed.ok()) ThrowStatus(placed.status(), state.name(), {});
    MissedCall call{placed->shapes, trace};
    if (!placed->symbolic()) return FindOrMake(state, key, call, request);
    const runtime::Words words = WithShapes(key, placed->shapes);
    EntryPtr parent;
    try {
      parent = FindOrMake(state, {words, key.objects}, call, request);
    } catch (const Error& error) {
      if (!rules.Force(call.forced)) throw;
      LogWarning(absl::StrCat("[jit] ", state.name(),
                              ": sizes that were to stay open are exact: ", error.what()));
      state.CountFallback();
      continue;
    }
    const Status fits = ir::CheckAssumptions(parent->assumptions, placed->sizes);
    if (fits.ok()) return Sized(state, key, parent, placed->sizes);
    // Ordinary code for these sizes, or an ordinary error.
    state.CountFallback();
    call.shapes = ShapesOf(arguments);
    return FindOrMake(state, key, call, request);
  }
}

// Of the arguments of a call outside any trace.
EntryPtr FindOrMakeFor(JitState& state, const CallKey& key,
                       absl::Span<const Tensor* const> arguments, const TraceFn& trace,
                       const JitState::Request& request) {
  if (const std::shared_ptr<runtime::SizeRules> rules = state.Sizes()) {
    return FindOrMakeOpen(state, *rules, key, arguments, trace, request);
  }
  MissedCall call{ShapesOf(arguments), trace};
  return FindOrMake(state, key, call, request);
}

}  // namespace

void CallFrame::Miss(const TraceFn& trace, const ParameterStarts& parameters) {
  if (TraceScope::Current() != nullptr) {
    s_->nested = runtime::FindOrTraceNested(s_->state, s_->key(), s_->tensors, &trace);
    return;
  }
  s_->owned = FindOrMakeFor(s_->state, s_->key(), s_->tensors, trace, {.parameters = &parameters});
  s_->Use(WarmTable::OfThread());
}

void CallFrame::WarmUp(const TraceFn& trace, const ParameterStarts& parameters) {
  if (TraceScope::Current() != nullptr) {
    ThrowStatus(InvalidArgument("got warmup() inside a jit function, expected it outside"),
                s_->state.name(), {});
  }
  RequireConcrete(s_->tensors, s_->state.name());
  if (s_->state.Find(s_->key()) != nullptr) return;
  FindOrMakeFor(s_->state, s_->key(), s_->tensors, trace,
                {.warmup = true, .parameters = &parameters});
}

const void* CallFrame::Run() {
  if (s_->nested != nullptr) {
    for (Tensor& leaf : runtime::CallNested(s_->state, *s_->nested, s_->tensors)) {
      s_->leaves.push_back(std::move(leaf));
    }
    return s_->nested->entry.skeleton.get();
  }
  const CacheEntry& entry = *s_->entry;
  absl::InlinedVector<const void*, 16> inputs;
  absl::InlinedVector<void*, 8> outputs;
  absl::InlinedVector<Tensor, 4> made;
  entry.program->Touch();
  if (codegen::Executable* const executable = entry.program->executable().get()) {
    for (const Tensor* tensor : s_->tensors) inputs.push_back(tensor->impl()->buffer()->data());
    for (const Tensor& tensor : entry.captured) inputs.push_back(tensor.impl()->buffer()->data());
    for (const ir::Shape& shape : executable->output_shapes()) {
      StatusOr<runtime::FreshTensor> fresh = runtime::NewTensor(shape);
      if (!fresh.ok()) ThrowStatus(fresh.status(), s_->state.name(), {});
      outputs.push_back(fresh->data);
      made.push_back(std::move(fresh->tensor));
    }
    const Status ran = executable->Run(inputs, outputs);
    if (!ran.ok()) {
      ThrowStatus(swage::Annotate(ran, absl::StrCat("; while running ", s_->state.name())),
                  s_->state.name(), {});
    }
  }
  const int declared = static_cast<int>(s_->tensors.size());
  for (const LeafSource& leaf : entry.leaves) {
    switch (leaf.kind) {
      case LeafSource::Kind::kUndefined:
        s_->leaves.emplace_back();
        break;
      case LeafSource::Kind::kOutput:
        s_->leaves.push_back(made[leaf.index]);
        break;
      case LeafSource::Kind::kArgument:
        s_->leaves.push_back(leaf.index < declared ? *s_->tensors[leaf.index]
                                                   : entry.captured[leaf.index - declared]);
        break;
    }
  }
  return entry.skeleton.get();
}

Tensor CallFrame::TakeOutput(int i) { return std::move(s_->leaves[i]); }

void RequireScalar(const Tensor& tensor, DType dtype) {
  runtime::RequireDefined(tensor, "Scalar", {});
  const ir::Shape& shape = tensor.impl()->shape();
  if (shape.rank() == 0 && runtime::FromIr(shape.dtype()) == dtype) return;
  ThrowStatus(
      InvalidArgument("got ", shape.ToString(false), ", expected ", ToAbsl(DTypeName(dtype)), "[]"),
      "Scalar", {});
}

}  // namespace swage::internal
