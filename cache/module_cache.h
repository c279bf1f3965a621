// File: cache/module_cache.h
//
// The memory tier: compiled modules of this process, shared by all jit functions and eager ops.
//
//   std::string key = absl::StrCat(device, options, ir::CanonicalText(module));
//   bool hit;
//   StatusOr<ProgramPtr> program = ModuleCache::Global().Get(key, [&] { return Compile(...); },
//   &hit);
//   (*program)->Touch();                  // before each run
//
// - Keys are compared in full, not by hash alone.
// - One compile per key however many threads ask; the others wait for it. A failed compile is
//   reported to all that waited and is tried again by whoever asks next.
// - Bounded in bytes together with the kernels (base/memory_bound.h): the least recently used go
//   first. Whoever keeps a program for long must let go of it when it is evicted: see OnEvict. One
//   that runs lives until the run is over.
#ifndef SWAGE_CACHE_MODULE_CACHE_H_
#define SWAGE_CACHE_MODULE_CACHE_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "base/function_ref.h"
#include "base/hash.h"
#include "base/memory_bound.h"
#include "codegen/executable.h"

namespace swage::cache {

// Something that keeps a program, and lets go of it when called.
struct Keeper {
  std::function<void()> let_go;
  int64_t bytes = 0;  // what it keeps itself, charged to the program
};

// An executable in the memory tier.
class CachedProgram {
 public:
  explicit CachedProgram(std::shared_ptr<codegen::Executable> executable)
      : executable_(std::move(executable)) {}

  // Null for a program that computes nothing.
  const std::shared_ptr<codegen::Executable>& executable() const { return executable_; }
  // It is used now. No lock, and no store unless something was cached since the last time.
  void Touch() { use().Touch(); }

 private:
  friend class ModuleCache;
  UseStamp& use() { return executable_ != nullptr ? executable_->use() : own_use_; }

  const std::shared_ptr<codegen::Executable> executable_;
  UseStamp own_use_;
  // Guarded by the cache's mutex.
  int64_t bytes_ = 0;
  bool evicted_ = false;
  std::list<Keeper> keepers_;
};
using ProgramPtr = std::shared_ptr<CachedProgram>;
using KeeperId = std::list<Keeper>::iterator;

class ModuleCache final : public MemoryHolder {
 public:
  using ExecutablePtr = std::shared_ptr<codegen::Executable>;
  using CompileFn = FunctionRef<StatusOr<ExecutablePtr>()>;

  struct Stats {
    int64_t hits = 0;
    int64_t misses = 0;
    int64_t entries = 0;
    int64_t bytes = 0;
    int64_t evictions = 0;
  };

  // `bound` decides when something is evicted; the cache must live as long. `hash_bits` is for
  // tests of keys that collide.
  explicit ModuleCache(MemoryBound* bound, int hash_bits = 64);
  static ModuleCache& Global();

  // `*hit`: whether the program was there (or another thread was making it).
  StatusOr<ProgramPtr> Get(const std::string& key, CompileFn compile, bool* hit);
  // The program of this key if it is ready, else null. Counts nothing.
  ProgramPtr Peek(const std::string& key);
  // A program without key, so that what its keepers keep is bounded too.
  ProgramPtr Adopt(ExecutablePtr executable);

  // `keeper` is called, once and without locks, when the program is evicted. False: it has been
  // already, and the keeper is not registered.
  bool OnEvict(const ProgramPtr& program, Keeper keeper, KeeperId* id);
  // Before the keeper goes away. Nothing happens when the program is evicted.
  void Forget(const ProgramPtr& program, KeeperId id);
  // Takes a program out as if it were the oldest.
  void Evict(const ProgramPtr& program);

  // Evicts everything that is ready.
  void Clear();
  Stats stats() const;

  int64_t bytes() const override;
  int64_t OldestUse() override;
  void EvictOldest() override;

 private:
  struct Slot {
    Hash128 hash;
    std::string key;
    bool keyed = true;  // it is in slots_
    bool done = false;
    // Code and text, not a Status: its shared counter gives false alarms of the thread sanitizer.
    absl::StatusCode code = absl::StatusCode::kOk;
    std::string message;
    ProgramPtr program;
  };
  using SlotPtr = std::shared_ptr<Slot>;
  // By the stamp at which the program was last looked at; a later use shows when it is the oldest.
  using Order = std::multimap<int64_t, SlotPtr>;

  StatusOr<ProgramPtr> Await(const SlotPtr& slot, std::unique_lock<std::mutex>& lock);
  void Insert(const SlotPtr& slot, ExecutablePtr executable);
  // Takes it out of the tables; the keepers are still to be called.
  std::list<Keeper> TakeOut(Order::iterator it);
  Order::iterator Oldest();

  Hash128 HashOf(const std::string& key) const;

  MemoryBound* const bound_;
  const uint64_t hash_mask_;
  mutable std::mutex mutex_;
  std::condition_variable finished_;
  Order order_;  // of ready slots
  absl::flat_hash_map<const CachedProgram*, Order::iterator> places_;
  absl::flat_hash_map<Hash128, SlotPtr> slots_;
  Stats stats_;
};

}  // namespace swage::cache

#endif  // SWAGE_CACHE_MODULE_CACHE_H_
