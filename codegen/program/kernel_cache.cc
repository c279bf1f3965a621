#include "codegen/program/kernel_cache.h"

#include <optional>
#include <utility>

namespace swage::codegen {

// Everything but `compiling` is guarded by the cache's mutex.
struct KernelCache::Entry {
  std::string key;
  Hash128 hash;
  std::mutex compiling;
  std::shared_ptr<const CompiledKernel> kernel;  // null until it is compiled
  std::weak_ptr<const CompiledKernel> lent;      // what users hold
  UseStamp use;
  int64_t bytes = 0;
  bool kept = true;  // it is in entries_
  std::optional<Unused::iterator> place;
};

struct KernelCache::LetGo {
  KernelCache* cache;
  EntryPtr entry;
  void operator()(const CompiledKernel*) {
    // Moved out: the entry's weak pointer keeps this deleter, which must not keep the entry.
    const EntryPtr mine = std::move(entry);
    cache->Release(mine);
  }
};

int64_t CompiledKernel::memory_bytes() const {
  return static_cast<int64_t>(sizeof(*this) + object.size() + ir.size() + assembly.size() +
                              source.size()) +
         (code != nullptr ? code->memory_bytes() : 0);
}

KernelCache::KernelCache(MemoryBound* bound, int hash_bits)
    : hash_mask_(~uint64_t{0} >> (64 - hash_bits)) {
  bound->Add(this);
}

Hash128 KernelCache::HashOf(const std::string& key) const {
  const Hash128 hash = HashBytes(key);
  return hash_mask_ == ~uint64_t{0} ? hash : Hash128{0, hash.low & hash_mask_};
}

KernelCache& KernelCache::Get() {
  static auto* const cache = new KernelCache(&MemoryBound::Get());
  return *cache;
}

KernelCache::KernelPtr KernelCache::Lend(const EntryPtr& entry) {
  entry->use.Touch();
  KernelPtr lent = entry->lent.lock();
  if (lent != nullptr) return lent;
  if (entry->place.has_value()) unused_.erase(*std::exchange(entry->place, std::nullopt));
  lent = KernelPtr(entry->kernel.get(), LetGo{this, entry});
  entry->lent = lent;
  return lent;
}

void KernelCache::Release(const EntryPtr& entry) {
  const std::lock_guard<std::mutex> lock(mutex_);
  // Lent again meanwhile, or forgotten: then the code dies with the entry.
  if (!entry->kept || entry->place.has_value() || !entry->lent.expired()) return;
  entry->place = unused_.emplace(entry->use.value(), entry);
}

const std::string* KernelCache::KeyOf(const KernelPtr& kernel) {
  const LetGo* let_go = std::get_deleter<LetGo>(kernel);
  return let_go != nullptr ? &let_go->entry->key : nullptr;
}

void KernelCache::RaiseUse(const KernelPtr& kernel, int64_t tick) {
  if (const LetGo* let_go = std::get_deleter<LetGo>(kernel)) let_go->entry->use.Raise(tick);
}

void KernelCache::Keep(const Hash128& hash, const EntryPtr& entry, CompiledKernel kernel) {
  entry->kernel = std::make_shared<const CompiledKernel>(std::move(kernel));
  entry->bytes = entry->kernel->memory_bytes() + static_cast<int64_t>(entry->key.size());
  // It may have been forgotten while it was compiled.
  const auto [it, fresh] = entries_.try_emplace(hash, entry);
  entry->kept = it->second == entry;
  if (entry->kept) stats_.bytes += entry->bytes;
}

StatusOr<KernelCache::Lookup> KernelCache::Find(const std::string& key,
                                                FunctionRef<StatusOr<CompiledKernel>()> compile) {
  const Hash128 hash = HashOf(key);
  EntryPtr entry;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    EntryPtr& slot = entries_[hash];
    if (slot == nullptr) {
      slot = std::make_shared<Entry>();
      slot->key = key;
      slot->hash = hash;
    }
    entry = slot;
    if (entry->key != key) {  // two texts with one 128-bit hash: the later one is never kept
      ++stats_.misses;
      lock.unlock();
      SWAGE_ASSIGN_OR_RETURN(CompiledKernel kernel, compile());
      return Lookup{std::make_shared<const CompiledKernel>(std::move(kernel)), false};
    }
    if (entry->kernel != nullptr) {
      ++stats_.hits;
      return Lookup{Lend(entry), true};
    }
  }
  const std::lock_guard<std::mutex> one_compile(entry->compiling);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (entry->kernel != nullptr) {
      ++stats_.hits;
      return Lookup{Lend(entry), true};
    }
    ++stats_.misses;
  }
  StatusOr<CompiledKernel> kernel = compile();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!kernel.ok()) {
    const auto it = entries_.find(hash);
    if (it != entries_.end() && it->second == entry) entries_.erase(it);
    return kernel.status();
  }
  Keep(hash, entry, *std::move(kernel));
  return Lookup{Lend(entry), false};
}

KernelCache::KernelPtr KernelCache::Peek(const std::string& key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto it = entries_.find(HashOf(key));
  if (it == entries_.end() || it->second->key != key || it->second->kernel == nullptr) {
    return nullptr;
  }
  return Lend(it->second);
}

int64_t KernelCache::bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stats_.bytes;
}

int64_t KernelCache::OldestUse() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return unused_.empty() ? kNothing : unused_.begin()->first;
}

void KernelCache::EvictOldest() {
  std::shared_ptr<const CompiledKernel> gone;  // its code is freed without the lock
  const std::lock_guard<std::mutex> lock(mutex_);
  if (unused_.empty()) return;
  const EntryPtr entry = unused_.begin()->second;
  unused_.erase(unused_.begin());
  entry->place.reset();
  entry->kept = false;
  gone = std::move(entry->kernel);
  stats_.bytes -= entry->bytes;
  ++stats_.evictions;
  entries_.erase(entry->hash);
}

KernelCache::Stats KernelCache::stats() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  Stats stats = stats_;
  stats.kernels = static_cast<int64_t>(entries_.size());
  stats.unused = static_cast<int64_t>(unused_.size());
  return stats;
}

void KernelCache::Clear() {
  absl::flat_hash_map<Hash128, EntryPtr> gone;
  Unused unused;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [hash, entry] : entries_) {
    entry->kept = false;
    entry->place.reset();
  }
  stats_.bytes = 0;
  gone.swap(entries_);
  unused.swap(unused_);
}

}  // namespace swage::codegen
