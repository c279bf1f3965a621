// File: base/memory_bound.h
//
// One bound, in bytes, over everything that the process caches in memory, and the clock by which
// the least recently used is found.
//
//   class Cache : public MemoryHolder { ... };          // says what it holds, gives up its oldest
//   MemoryBound::Get().Add(&cache);
//   MemoryBound::Get().Trim();                          // after something was added
//
// - The clock counts additions. A use stores the current count, so a use costs a read of the clock
//   and, only when something was added since the last use, a store.
// - What was used at the current count is never given up: a single thing larger than the bound
//   stays until the next addition.
// - All of it is thread-safe. Trim calls holders without a lock of its own, one thread at a time.
#ifndef SWAGE_BASE_MEMORY_BOUND_H_
#define SWAGE_BASE_MEMORY_BOUND_H_

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <vector>

namespace swage {

// The count of additions.
int64_t UseTick();
// One more; returns the new count.
int64_t AdvanceUseTick();

// When something was used last.
class UseStamp {
 public:
  void Touch() { Raise(UseTick()); }
  void Raise(int64_t tick) {
    if (value_.load(std::memory_order_relaxed) < tick) {
      value_.store(tick, std::memory_order_relaxed);
    }
  }
  int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> value_{0};
};

class MemoryHolder {
 public:
  static constexpr int64_t kNothing = std::numeric_limits<int64_t>::max();

  // What it holds; what is in use counts.
  virtual int64_t bytes() const = 0;
  // The stamp of what EvictOldest would give up; kNothing when there is nothing.
  virtual int64_t OldestUse() = 0;
  virtual void EvictOldest() = 0;

 protected:
  ~MemoryHolder() = default;
};

class MemoryBound {
 public:
  static constexpr int64_t kDefaultLimit = int64_t{1} << 30;

  // The process's; never destroyed. Its limit is SWAGE_CACHE_MEMORY_BYTES or kDefaultLimit.
  static MemoryBound& Get();
  explicit MemoryBound(int64_t limit) : limit_(limit) {}

  // `holder` must live as long as the bound.
  void Add(MemoryHolder* holder);
  // Gives up the least recently used, whoever holds it, until the bound is met.
  void Trim();

  void set_limit(int64_t bytes);
  // What a configuration file asks for: of no effect behind set_limit or the environment variable.
  void set_default_limit(int64_t bytes);
  int64_t limit() const { return limit_.load(std::memory_order_relaxed); }

 private:
  void TrimOnce();
  std::vector<MemoryHolder*> holders() const;

  std::atomic<int64_t> limit_;
  std::atomic<bool> limit_was_set_{false};
  std::atomic<int> asked_{0};  // trims asked for and not done
  mutable std::mutex mutex_;
  std::vector<MemoryHolder*> holders_;  // guarded by mutex_
};

}  // namespace swage

#endif  // SWAGE_BASE_MEMORY_BOUND_H_
