// One call of a jit function.
#include "runtime/call_frame.h"

#include <new>
#include <optional>

#include "runtime/error.h"
#include "runtime/ir_types.h"
#include "runtime/jit_state.h"
#include "runtime/miss.h"
#include "runtime/nested.h"
#include "runtime/placement.h"
#include "runtime/shape_record.h"
#include "runtime/tensor_impl.h"
#include "runtime/warm_table.h"

namespace swage::internal {

using runtime::Donate;
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
  uint64_t moved = 0;  // bit i: tensor i was moved in; only the first 64 may be
  std::vector<StaticObject> objects;
  CacheEntry* entry = nullptr;
  WarmTable::Slot* slot = nullptr;  // which pins the entry; or else
  EntryPtr owned;
  runtime::NestedTrace* nested = nullptr;  // instead of an entry, inside another trace
  bool any_traced = false;
  absl::InlinedVector<Tensor, 4> leaves;

  // The arguments that were moved in, but for those that are results themselves.
  uint64_t GivenAway() const {
    uint64_t given = moved;
    if (given == 0) return 0;
    for (const LeafSource& leaf : entry->leaves) {
      if (leaf.kind == LeafSource::Kind::kArgument && leaf.index < 64) {
        given &= ~(uint64_t{1} << leaf.index);
      }
    }
    return given;
  }

  // The same tensor where results of this function are.
  Tensor AtHome(const Tensor& tensor) const {
    const runtime::Backend& backend = *state.options().backend;
    const StatusOr<codegen::MemorySpace*> memory = backend.memory(backend);
    if (!memory.ok()) ThrowStatus(memory.status(), state.name(), {});
    StatusOr<Tensor> placed = runtime::CopyTo(tensor, *memory);
    if (!placed.ok()) ThrowStatus(placed.status(), state.name(), {});
    return *std::move(placed);
  }

  // Runs what is owned, and finds it faster the next time.
  void Use(WarmTable* table) {
    entry = owned.get();
    state.counters()->elements.Add(entry->elements);
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

void CallFrame::AddTensor(const Tensor& tensor, bool movable) {
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
  if (movable && s_->tensors.size() < 64) s_->moved |= uint64_t{1} << s_->tensors.size();
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

void CallFrame::Miss(const TraceFn& trace, const ParameterStarts& parameters) {
  if (TraceScope::Current() != nullptr) {
    s_->nested = runtime::FindOrTraceNested(s_->state, s_->key(), s_->tensors, &trace);
    return;
  }
  s_->owned =
      runtime::FindOrMakeFor(s_->state, s_->key(), s_->tensors, trace, {.parameters = &parameters});
  s_->Use(WarmTable::OfThread());
}

void CallFrame::WarmUp(const TraceFn& trace, const ParameterStarts& parameters) {
  if (TraceScope::Current() != nullptr) {
    ThrowStatus(InvalidArgument("got warmup() inside a jit function, expected it outside"),
                s_->state.name(), {});
  }
  RequireConcrete(s_->tensors, s_->state.name());
  if (s_->state.Find(s_->key()) != nullptr) return;
  runtime::FindOrMakeFor(s_->state, s_->key(), s_->tensors, trace,
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
  std::optional<runtime::ExecutableRun> run;
  entry.program->Touch();
  if (codegen::Executable* const executable = entry.program->executable().get()) {
    run.emplace(*executable, entry.interpreted ? runtime::CopyOut::kYes : runtime::CopyOut::kNo);
    const auto add = [&](const Tensor& tensor, Donate donate) {
      const Status added = run->Add(tensor, donate);
      if (!added.ok()) ThrowStatus(added, s_->state.name(), {});
    };
    const uint64_t given = s_->GivenAway();
    for (size_t i = 0; i < s_->tensors.size(); ++i) {
      add(*s_->tensors[i], i < 64 && (given >> i & 1) != 0 ? Donate::kYes : Donate::kNo);
    }
    for (const Tensor& tensor : entry.captured) add(tensor, Donate::kNo);
    const runtime::CallTimer timer;
    const Status ran = run->Run();
    if (!ran.ok()) {
      ThrowStatus(swage::Annotate(ran, absl::StrCat("; while running ", s_->state.name())),
                  s_->state.name(), {});
    }
    if (run->donated() > 0) {
      s_->state.counters()->donations.fetch_add(run->donated(), std::memory_order_relaxed);
    }
    timer.Record(s_->state.name(), s_->tensors);
  }
  const int declared = static_cast<int>(s_->tensors.size());
  for (const LeafSource& leaf : entry.leaves) {
    switch (leaf.kind) {
      case LeafSource::Kind::kUndefined:
        s_->leaves.emplace_back();
        break;
      case LeafSource::Kind::kOutput:
        // The interpreter runs on the host, whatever the device.
        s_->leaves.push_back(entry.interpreted ? s_->AtHome(run->results()[leaf.index])
                                               : run->results()[leaf.index]);
        break;
      case LeafSource::Kind::kArgument:
        s_->leaves.push_back(s_->AtHome(leaf.index < declared
                                            ? *s_->tensors[leaf.index]
                                            : entry.captured[leaf.index - declared]));
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
