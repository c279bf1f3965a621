#include "base/memory_bound.h"

#include "base/env.h"
#include "base/log.h"

namespace swage {
namespace {

std::atomic<int64_t> use_tick{1};

int64_t InitialLimit() {
  const StatusOr<std::optional<int64_t>> wanted =
      GetEnvInt("SWAGE_CACHE_MEMORY_BYTES", 0, std::numeric_limits<int64_t>::max());
  if (!wanted.ok()) {
    LogWarning(absl::StrCat(wanted.status().message(), "; the default holds"));
    return MemoryBound::kDefaultLimit;
  }
  return wanted->value_or(MemoryBound::kDefaultLimit);
}

}  // namespace

int64_t UseTick() { return use_tick.load(std::memory_order_relaxed); }
int64_t AdvanceUseTick() { return use_tick.fetch_add(1, std::memory_order_relaxed) + 1; }

MemoryBound& MemoryBound::Get() {
  static auto* const bound = new MemoryBound(InitialLimit());
  return *bound;
}

void MemoryBound::Add(MemoryHolder* holder) {
  const std::lock_guard<std::mutex> lock(mutex_);
  holders_.push_back(holder);
}

std::vector<MemoryHolder*> MemoryBound::holders() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return holders_;
}

void MemoryBound::set_default_limit(int64_t bytes) {
  if (limit_was_set_ || GetEnv("SWAGE_CACHE_MEMORY_BYTES").has_value()) return;
  limit_.store(bytes, std::memory_order_relaxed);
  Trim();
}

void MemoryBound::set_limit(int64_t bytes) {
  limit_was_set_ = true;
  limit_.store(bytes, std::memory_order_relaxed);
  Trim();
}

// Whoever asks while a trim runs leaves it to that one, which looks again: what is given up may run
// destructors of users, and these may get here.
void MemoryBound::Trim() {
  if (asked_.fetch_add(1) != 0) return;
  int seen = 1;
  do {
    seen = asked_.load();
    TrimOnce();
  } while (asked_.fetch_sub(seen) != seen);
}

void MemoryBound::TrimOnce() {
  const std::vector<MemoryHolder*> all = holders();
  for (;;) {
    int64_t total = 0;
    for (const MemoryHolder* holder : all) total += holder->bytes();
    if (total <= limit()) return;
    MemoryHolder* oldest = nullptr;
    int64_t stamp = UseTick();  // what was used at this very count stays
    for (MemoryHolder* holder : all) {
      const int64_t use = holder->OldestUse();
      if (use >= stamp) continue;
      stamp = use;
      oldest = holder;
    }
    if (oldest == nullptr) return;
    oldest->EvictOldest();
  }
}

}  // namespace swage
