// File: runtime/jit_state.h
//
// JitState: the cache and the counters of one jit function, shared by all calls of it.
//
// Ready entries stay for good, so a call may use one without a lock once it has found it. The mutex
// guards the map; it is never held while user code or the compiler runs. An entry is made by the
// thread that first asked (it is kPending meanwhile); the others wait.
#ifndef SWAGE_RUNTIME_JIT_STATE_H_
#define SWAGE_RUNTIME_JIT_STATE_H_

#include <any>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "runtime/jit.h"
#include "runtime/program.h"
#include "runtime/signature.h"
#include "runtime/trace.h"

namespace swage::internal {

// A static argument without a byte form, of a call that is under way.
struct StaticObject {
  std::function<std::any()> copy;
  std::function<bool(const std::any&)> equals;
};

// The signature of a call.
struct CallKey {
  runtime::WordSpan words;
  absl::Span<const StaticObject> objects;
};

// Where a leaf of the result comes from.
struct LeafSource {
  enum class Kind : uint8_t { kUndefined, kOutput, kArgument };
  Kind kind = Kind::kUndefined;
  int index = 0;  // of the program's outputs; of its inputs, the captured ones last
};

// What a trace found out, beside the graph itself.
struct TraceOutcome {
  std::vector<Tensor> captured;        // hidden arguments, behind the declared ones
  std::vector<LeafSource> leaves;      // of the result
  std::vector<runtime::Node> outputs;  // nodes that are computed; only valid in the trace
  std::shared_ptr<const void> skeleton;
};

// Runs the user's function in `scope` on parameters like `arguments`, and sorts its result.
TraceOutcome RunTrace(runtime::TraceScope& scope, absl::Span<const Tensor* const> arguments,
                      const TraceFn& trace);

// "argument 1 (f32[32,64]): dimension 0 is 32, expected 31".
std::string ReasonText(const MissReport& report);

class CacheEntry {
 public:
  enum class Status : uint8_t { kPending, kReady, kFailed };

  CacheEntry(const CallKey& key);
  bool Matches(const CallKey& key) const;

  const std::vector<uint64_t>& words() const { return words_; }

  // Guarded by the state's mutex until kReady is seen; unchanging afterwards.
  Status status = Status::kPending;
  std::shared_ptr<codegen::Executable> executable;  // null: nothing is computed
  std::vector<int64_t> output_bytes;
  std::vector<Tensor> captured;
  std::vector<LeafSource> leaves;
  std::shared_ptr<const void> skeleton;

 private:
  std::vector<uint64_t> words_;
  std::vector<std::any> objects_;
};

class JitState {
 public:
  JitState(std::string name, runtime::ResolvedOptions options)
      : name_(std::move(name)), options_(std::move(options)) {}

  const std::string& name() const { return name_; }
  const runtime::ResolvedOptions& options() const { return options_; }

  // The ready entry of this key, or null. No lock when it is the last one that was found.
  CacheEntry* Find(const CallKey& key);
  // Waits for or makes the entry. `fill` runs user code and the compiler in the calling thread;
  // what it throws passes through, and the next caller tries again.
  CacheEntry* FindOrMake(const CallKey& key, const std::function<void(CacheEntry&)>& fill);

  JitStats stats() const;
  MissReport explain() const;
  // One line for the log: why this key is compiled.
  std::string Reason() const;

  void CountCall() { calls_.fetch_add(1, std::memory_order_relaxed); }
  void CountHit() { hits_.fetch_add(1, std::memory_order_relaxed); }
  void CountMiss() { misses_.fetch_add(1, std::memory_order_relaxed); }
  void CountTrace() { traces_.fetch_add(1, std::memory_order_relaxed); }
  void CountCompile(const codegen::CompileReport& report);

 private:
  using EntryPtr = std::shared_ptr<CacheEntry>;

  EntryPtr Lookup(const CallKey& key, uint64_t hash) const;
  // Takes a failed entry out; those who wait for it hold it.
  void Forget(const EntryPtr& entry, uint64_t hash);
  // Compares a missed key with those that are there.
  void Explain(const CallKey& key);
  void WarnOfStatics(const std::vector<runtime::KeyItem>& items);

  const std::string name_;
  const runtime::ResolvedOptions options_;

  std::atomic<CacheEntry*> last_{nullptr};
  mutable std::shared_mutex mutex_;
  std::condition_variable_any finished_;
  std::vector<EntryPtr> entries_;  // in order of their making
  absl::flat_hash_map<uint64_t, std::vector<EntryPtr>> by_hash_;
  MissReport report_;
  bool warned_of_statics_ = false;

  std::atomic<int64_t> calls_{0}, hits_{0}, misses_{0}, traces_{0};
  mutable std::mutex compile_mutex_;  // guards compiled_
  JitStats compiled_;
};

}  // namespace swage::internal

#endif  // SWAGE_RUNTIME_JIT_STATE_H_
