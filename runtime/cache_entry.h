// File: runtime/cache_entry.h
//
// CacheEntry: one key of a jit function, and what runs for it. Filled by the thread that missed,
// unchanging once it is ready. A dead entry (evicted, replaced, or of a jit object that is gone) is
// not used for new calls; those that run it hold it.
#ifndef SWAGE_RUNTIME_CACHE_ENTRY_H_
#define SWAGE_RUNTIME_CACHE_ENTRY_H_

#include <any>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "cache/module_cache.h"
#include "compiler/ir/assumptions.h"
#include "runtime/argument_elements.h"
#include "runtime/signature.h"
#include "runtime/tensor.h"

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

// Calls of one jit function that were counted before their thread's table forgot them.
struct CallCounters {
  std::atomic<int64_t> calls{0}, hits{0}, donations{0};
  runtime::ElementCounters elements;
};

class CacheEntry {
 public:
  enum class Status : uint8_t { kPending, kReady, kFailed };

  CacheEntry(const CallKey& key);
  // The same key and result, run by another program.
  CacheEntry(const CacheEntry& other, cache::ProgramPtr program);
  bool Matches(const CallKey& key) const;

  const std::vector<uint64_t>& words() const { return words_; }
  // What it keeps itself, in bytes.
  int64_t bytes() const;

  bool dead() const { return dead_.load(std::memory_order_acquire); }
  void Die() { dead_.store(true, std::memory_order_release); }

  // Guarded by the state's mutex until kReady is seen; unchanging afterwards.
  Status status = Status::kPending;
  cache::ProgramPtr program;  // null: no entry of the cache (a nested trace)
  std::vector<Tensor> captured;
  std::vector<LeafSource> leaves;
  std::shared_ptr<const void> skeleton;
  // Of a program with symbols: what its sizes must be like.
  std::vector<ir::Assumption> assumptions;
  // Of one of its sizes: itself, and the values of its symbols.
  std::shared_ptr<CacheEntry> parent;
  ir::SymbolBinding sizes;
  runtime::ArgumentElements elements;
  bool interpreted = false;  // since no more may be compiled

  // Guarded by the state's mutex.
  std::optional<cache::KeeperId> keeper;  // registered with the program
  bool tracing = true;                    // while it is pending: user code runs
  std::thread::id maker;                  // while it is pending
  int64_t process = 0;                    // the process that makes it

 private:
  std::vector<uint64_t> words_;
  std::vector<std::any> objects_;
  std::atomic<bool> dead_{false};
};
using EntryPtr = std::shared_ptr<CacheEntry>;

}  // namespace swage::internal

#endif  // SWAGE_RUNTIME_CACHE_ENTRY_H_
