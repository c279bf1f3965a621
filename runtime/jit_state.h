// File: runtime/jit_state.h
//
// JitState: the cache and the counters of one jit function, shared by all calls of it.
//
// An entry is made by the thread that first asked (it is kPending meanwhile); the others wait.
// Ready entries stay until their program is evicted from the memory tier, or a better program
// replaces them. Calls that hit find them in their thread's WarmTable; the mutex guards the map of
// the rest. It is never held while user code or the compiler runs.
#ifndef SWAGE_RUNTIME_JIT_STATE_H_
#define SWAGE_RUNTIME_JIT_STATE_H_

#include <any>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "runtime/cache_entry.h"
#include "runtime/jit.h"
#include "runtime/miss_report.h"
#include "runtime/program.h"
#include "runtime/signature.h"
#include "runtime/size_rules.h"
#include "runtime/trace.h"

namespace swage::internal {

class JitState : public std::enable_shared_from_this<JitState> {
 public:
  JitState(std::string name, runtime::ResolvedOptions options);
  ~JitState();

  const std::string& name() const { return name_; }
  const runtime::ResolvedOptions& options() const { return options_; }
  uint64_t id() const { return id_; }

  // Which sizes stay open; null: none. Made again when the policies in force are others; rules that
  // do not fit them are logged, and the old ones stay.
  using MakeRules = std::function<StatusOr<std::unique_ptr<runtime::SizeRules>>()>;
  Status SetSizes(MakeRules make);
  std::shared_ptr<runtime::SizeRules> Sizes();
  const std::shared_ptr<CallCounters>& counters() const { return counters_; }

  OnMiss on_miss() const { return on_miss_.load(std::memory_order_relaxed); }
  void set_on_miss(OnMiss policy) { on_miss_.store(policy, std::memory_order_relaxed); }

  // The ready entry of this key, or null.
  EntryPtr Find(const CallKey& key);
  // Whether max_compiles keys are compiled.
  bool AtLimit() const;

  // Waits for or makes the entry. `fill` runs user code and the compiler in the calling thread;
  // what it throws passes through, and the next caller tries again. Throws swage::Error instead of
  // making it when OnMiss::kError or max_compiles forbid it.
  struct Request {
    bool warmup = false;  // asked for by name: OnMiss::kError does not forbid it
    // A program that is there gets other sizes: neither a hit nor a miss.
    bool sizing = false;
    bool beyond_limit = false;  // max_compiles does not forbid it
    bool open = false;          // of a function whose sizes may stay open
    std::string fallback = {};  // why it is compiled for exact sizes although they may
    const ParameterStarts* parameters = nullptr;
  };
  // `made`: whether it was not there.
  EntryPtr FindOrMake(const CallKey& key, const Request& request,
                      const std::function<void(CacheEntry&)>& fill, bool* made);
  // `fill` is done with user code; those who wait may wait for the compiler as long as it takes.
  void EndTrace(CacheEntry& entry);
  // The entries that are sizes of `parent`.
  std::vector<EntryPtr> SizesOf(const EntryPtr& parent) const;
  // Puts another program in the place of the one that `entry` has, unless it is gone.
  void Replace(const EntryPtr& entry, cache::ProgramPtr program);

  JitStats stats() const;
  MissReport explain() const;
  // One line for the log: why this key is compiled.
  std::string Reason() const;

  void CountCall() { counters_->calls.fetch_add(1, std::memory_order_relaxed); }
  void CountHit() { counters_->hits.fetch_add(1, std::memory_order_relaxed); }
  // A miss that is tried again otherwise is one.
  void CountMiss(int misses = 1) { misses_.fetch_add(misses, std::memory_order_relaxed); }
  void CountFallback() { fallbacks_.fetch_add(1, std::memory_order_relaxed); }
  void CountTrace() { traces_.fetch_add(1, std::memory_order_relaxed); }
  void CountCompile(const codegen::CompileReport& report, bool stand_in);
  // What the last compile did not find on disk; null: it was found, or there is no disk cache.
  std::shared_ptr<const KeyMaterial> MissedKey() const;
  // Which tier had the program of the last miss.
  void SetTier(std::string_view tier);
  // For tests: how long to wait for another thread's trace before it counts as a deadlock.
  static void SetTraceTimeoutForTest(int milliseconds);

 private:
  using Lock = std::unique_lock<std::shared_mutex>;

  EntryPtr Lookup(const CallKey& key, uint64_t hash) const;
  // Waits until `entry` is no longer pending; throws when that cannot happen.
  void Await(const EntryPtr& entry, uint64_t hash, Lock& lock);
  // Refuses a key that must not be made; writes the report. False: it may only be interpreted.
  bool Admit(const CallKey& key, uint64_t hash, const Request& request);
  [[noreturn]] void RefuseMiss(const CallKey& key) const;
  [[noreturn]] void RefuseCompile(const CallKey& key) const;
  void Register(const EntryPtr& entry);
  // Takes an entry out; those who wait for it or run it hold it. False: it was not there.
  bool Forget(const EntryPtr& entry, uint64_t hash);
  // Its program was evicted.
  void Drop(const EntryPtr& entry);
  // Compares a missed key with those that were compiled.
  void Explain(const CallKey& key, uint64_t hash, const Request& request);
  void WarnOfStatics(const std::vector<runtime::KeyItem>& items);
  void WarnOfSizes(const std::vector<runtime::KeyItem>& items);

  const uint64_t id_;
  const std::string name_;
  const runtime::ResolvedOptions options_;
  std::atomic<OnMiss> on_miss_;
  const std::shared_ptr<CallCounters> counters_;

  std::mutex sizes_mutex_;  // guards what follows
  std::shared_ptr<runtime::SizeRules> sizes_;
  uint64_t sizes_generation_ = 0;
  MakeRules make_sizes_;

  mutable std::shared_mutex mutex_;
  std::condition_variable_any finished_;
  std::list<EntryPtr> entries_;  // in order of their making
  absl::flat_hash_map<uint64_t, std::vector<std::list<EntryPtr>::iterator>> by_hash_;
  absl::flat_hash_set<uint64_t> evicted_;  // hashes of keys that were here
  MissReport report_;
  bool warned_of_statics_ = false, warned_of_sizes_ = false, warned_of_limit_ = false;
  int64_t compiles_made_ = 0;  // or being made: what max_compiles bounds
  int64_t evictions_ = 0, swapped_ = 0, sizings_ = 0, interpreted_ = 0;

  std::atomic<int64_t> misses_{0}, traces_{0}, fallbacks_{0};
  mutable std::mutex compile_mutex_;  // guards compiled_
  JitStats compiled_;
  std::shared_ptr<const KeyMaterial> missed_key_;  // guarded by compile_mutex_
};

}  // namespace swage::internal

#endif  // SWAGE_RUNTIME_JIT_STATE_H_
