// File: runtime/miss.h
//
// What a jit call does whose key is not there: trace and compile, or set up a program of open sizes
// for the sizes of the call.
#ifndef SWAGE_RUNTIME_MISS_H_
#define SWAGE_RUNTIME_MISS_H_

#include "absl/types/span.h"
#include "runtime/cache_entry.h"
#include "runtime/jit_state.h"

namespace swage::internal {

// What a trace found out, beside the graph itself.
struct TraceOutcome {
  std::vector<Tensor> captured;        // hidden arguments, behind the declared ones
  std::vector<LeafSource> leaves;      // of the result
  std::vector<runtime::Node> outputs;  // nodes that are computed; only valid in the trace
  std::shared_ptr<const void> skeleton;
};

// Runs the user's function in `scope` on parameters of these shapes, and sorts its result.
TraceOutcome RunTrace(runtime::TraceScope& scope, absl::Span<const ir::Shape> shapes,
                      const TraceFn& trace);

}  // namespace swage::internal

namespace swage::runtime {

// The entry that a call with this key runs, made if it is not there; `arguments` are concrete.
// Throws swage::Error, and what the user's function throws.
internal::EntryPtr FindOrMakeFor(internal::JitState& state, const internal::CallKey& key,
                                 absl::Span<const Tensor* const> arguments,
                                 const internal::TraceFn& trace,
                                 const internal::JitState::Request& request);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_MISS_H_
