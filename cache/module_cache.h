// File: cache/module_cache.h
//
// The memory tier: compiled modules of this process, shared by all jit functions and eager ops.
//
//   std::string key = absl::StrCat(device, options, ir::CanonicalText(module));
//   ModuleCache::Result result = ModuleCache::Global().Get(key, [&] { return Compile(...); });
//
// - Keys are compared in full, not by hash alone.
// - One compile per key however many threads ask; the others wait for it. A failed compile is
//   reported to all that waited and is tried again by whoever asks next.
// - At most `capacity` entries: the least recently used go first. An executable that is still held
//   lives on.
#ifndef SWAGE_CACHE_MODULE_CACHE_H_
#define SWAGE_CACHE_MODULE_CACHE_H_

#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "base/function_ref.h"
#include "base/hash.h"
#include "codegen/executable.h"

namespace swage::cache {

class ModuleCache {
 public:
  using ExecutablePtr = std::shared_ptr<codegen::Executable>;
  using CompileFn = FunctionRef<StatusOr<ExecutablePtr>()>;

  struct Stats {
    int64_t hits = 0;
    int64_t misses = 0;
    int64_t entries = 0;
  };

  explicit ModuleCache(size_t capacity) : capacity_(capacity) {}
  static ModuleCache& Global();

  // `*hit`: whether the executable was there (or another thread was making it).
  StatusOr<ExecutablePtr> Get(const std::string& key, CompileFn compile, bool* hit);
  void Clear();
  Stats stats() const;

 private:
  struct Slot {
    Hash128 hash;
    std::string key;
    bool done = false;
    // Code and text, not a Status: its shared counter gives false alarms of the thread sanitizer.
    absl::StatusCode code = absl::StatusCode::kOk;
    std::string message;
    ExecutablePtr executable;
  };
  using SlotPtr = std::shared_ptr<Slot>;

  StatusOr<ExecutablePtr> Await(const SlotPtr& slot, std::unique_lock<std::mutex>& lock);
  void Evict();

  const size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable finished_;
  std::list<SlotPtr> order_;  // most recently used first
  absl::flat_hash_map<Hash128, std::list<SlotPtr>::iterator> slots_;
  Stats stats_;
};

}  // namespace swage::cache

#endif  // SWAGE_CACHE_MODULE_CACHE_H_
