// File: runtime/nested.h
//
// Jit functions that are called while another is traced: each becomes a computation of the module,
// traced once per (function, signature), and every call of it a `call` instruction.
#ifndef SWAGE_RUNTIME_NESTED_H_
#define SWAGE_RUNTIME_NESTED_H_

#include <any>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "runtime/jit_state.h"

namespace swage::runtime {

// One function and signature of the module.
struct NestedTrace {
  NestedTrace(const internal::JitState* owner, const internal::CallKey& key)
      : state(owner), entry(key) {}

  const internal::JitState* state;
  internal::CacheEntry entry;  // key, captured tensors, leaves, skeleton
  bool open = true;            // its function is running
  ir::Computation* computation = nullptr;
  size_t output_count = 0;
};

class NestedTraces {
 public:
  NestedTrace* Find(const internal::JitState* state, const internal::CallKey& key);
  NestedTrace* Add(const internal::JitState* state, const internal::CallKey& key);
  void Remove(NestedTrace* trace);

  // Of the module that `scope` builds.
  static NestedTraces& Of(TraceScope& scope);

 private:
  static uint64_t HashOf(const internal::JitState* state, const internal::CallKey& key);
  absl::flat_hash_map<uint64_t, std::vector<std::unique_ptr<NestedTrace>>> by_hash_;
};

// Finds the computation of this call in the module being traced, or traces it.
NestedTrace* FindOrTraceNested(internal::JitState& state, const internal::CallKey& key,
                               absl::Span<const Tensor* const> arguments,
                               const internal::TraceFn* trace);

// Adds the call; returns the result's leaves.
std::vector<Tensor> CallNested(const internal::JitState& state, const NestedTrace& nested,
                               absl::Span<const Tensor* const> arguments);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_NESTED_H_
