#include "runtime/nested.h"

#include <algorithm>

#include "runtime/miss.h"
#include "runtime/tensor_impl.h"

namespace swage::runtime {

using internal::CallKey;
using internal::JitState;
using internal::LeafSource;

uint64_t NestedTraces::HashOf(const JitState* state, const CallKey& key) {
  return HashWords(key.words) ^ reinterpret_cast<uintptr_t>(state);
}

NestedTrace* NestedTraces::Find(const JitState* state, const CallKey& key) {
  const auto it = by_hash_.find(HashOf(state, key));
  if (it == by_hash_.end()) return nullptr;
  for (const auto& trace : it->second) {
    if (trace->state == state && trace->entry.Matches(key)) return trace.get();
  }
  return nullptr;
}

NestedTrace* NestedTraces::Add(const JitState* state, const CallKey& key) {
  std::vector<std::unique_ptr<NestedTrace>>& same = by_hash_[HashOf(state, key)];
  same.push_back(std::make_unique<NestedTrace>(state, key));
  return same.back().get();
}

void NestedTraces::Remove(NestedTrace* trace) {
  for (auto& [hash, same] : by_hash_) {
    const auto it = std::find_if(same.begin(), same.end(),
                                 [&](const auto& owned) { return owned.get() == trace; });
    if (it == same.end()) continue;
    same.erase(it);
    return;
  }
}

NestedTraces& NestedTraces::Of(TraceScope& scope) {
  std::shared_ptr<NestedTraces>& traces = scope.trace_module()->nested();
  if (traces == nullptr) traces = std::make_shared<NestedTraces>();
  return *traces;
}

namespace {

void TraceNested(JitState& state, NestedTrace* nested, TraceScope& outer,
                 absl::Span<const Tensor* const> arguments, const internal::TraceFn& trace) {
  state.CountTrace();
  std::shared_ptr<TraceScope> scope = TraceScope::Open(outer.trace_module(), state.name());
  internal::TraceOutcome outcome = internal::RunTrace(*scope, internal::ShapesOf(arguments), trace);
  scope->Close();
  nested->entry.captured = std::move(outcome.captured);
  nested->entry.leaves = std::move(outcome.leaves);
  nested->entry.skeleton = std::move(outcome.skeleton);
  nested->output_count = outcome.outputs.size();
  ir::Computation* computation = scope->computation();
  if (outcome.outputs.empty()) {
    const Status removed = scope->module()->RemoveComputation(computation);
    if (!removed.ok()) ThrowStatus(removed, state.name(), {});
    return;
  }
  Graph graph(computation, scope->trace_module()->combiners());
  computation->set_root(outcome.outputs.size() == 1 ? outcome.outputs[0]
                                                    : graph.Tuple(outcome.outputs));
  nested->computation = computation;
}

}  // namespace

NestedTrace* FindOrTraceNested(JitState& state, const CallKey& key,
                               absl::Span<const Tensor* const> arguments,
                               const internal::TraceFn* trace) {
  TraceScope& outer = *TraceScope::Current();
  NestedTraces& traces = NestedTraces::Of(outer);
  if (NestedTrace* found = traces.Find(&state, key); found != nullptr) {
    if (!found->open) return found;
    ThrowStatus(InvalidArgument("got a call of ", state.name(), KeyText(ReadKey(key.words)),
                                " inside itself with the same arguments, expected others: a "
                                "recursion must change a static argument and end"),
                state.name(), {});
  }
  if (trace == nullptr) return nullptr;
  NestedTrace* nested = traces.Add(&state, key);
  try {
    TraceNested(state, nested, outer, arguments, *trace);
  } catch (...) {
    traces.Remove(nested);
    throw;
  }
  nested->open = false;
  return nested;
}

std::vector<Tensor> CallNested(const JitState& state, const NestedTrace& nested,
                               absl::Span<const Tensor* const> arguments) {
  TraceScope& scope = *TraceScope::Current();
  std::vector<const Tensor*> inputs(arguments.begin(), arguments.end());
  for (const Tensor& captured : nested.entry.captured) inputs.push_back(&captured);
  std::vector<Tensor> outputs;
  if (nested.computation != nullptr) {
    std::vector<Node> operands;
    for (const Tensor* input : inputs) {
      const StatusOr<Node> node = scope.Lift(*input);
      if (!node.ok()) ThrowStatus(node.status(), state.name(), {});
      operands.push_back(*node);
    }
    const int64_t first_id = scope.module()->NextId();
    Graph graph(scope.computation(), scope.trace_module()->combiners());
    const Node call = graph.Call(nested.computation, operands);
    for (size_t i = 0; i < nested.output_count && graph.status().ok(); ++i) {
      const Node output =
          nested.output_count == 1 ? call : graph.TupleElement(call, static_cast<int64_t>(i));
      if (output != nullptr) outputs.push_back(scope.Wrap(output, state.name(), {}));
    }
    if (!graph.status().ok()) ThrowStatus(graph.status(), state.name(), {});
    scope.Annotate(first_id, absl::StrCat("jit(", state.name(), ")"), {});
  }
  std::vector<Tensor> leaves;
  for (const LeafSource& leaf : nested.entry.leaves) {
    switch (leaf.kind) {
      case LeafSource::Kind::kUndefined:
        leaves.emplace_back();
        break;
      case LeafSource::Kind::kOutput:
        leaves.push_back(outputs[leaf.index]);
        break;
      case LeafSource::Kind::kArgument:
        leaves.push_back(*inputs[leaf.index]);
        break;
    }
  }
  return leaves;
}

}  // namespace swage::runtime
