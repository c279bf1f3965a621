#include "cache/module_cache.h"

namespace swage::cache {

ModuleCache& ModuleCache::Global() {
  constexpr size_t kCapacity = 8192;
  static ModuleCache* const cache = new ModuleCache(kCapacity);
  return *cache;
}

StatusOr<ModuleCache::ExecutablePtr> ModuleCache::Await(const SlotPtr& slot,
                                                        std::unique_lock<std::mutex>& lock) {
  finished_.wait(lock, [&] { return slot->done; });
  if (slot->code != absl::StatusCode::kOk) return Status(slot->code, slot->message);
  return slot->executable;
}

StatusOr<ModuleCache::ExecutablePtr> ModuleCache::Get(const std::string& key, CompileFn compile,
                                                      bool* hit) {
  const Hash128 hash = HashBytes(key);
  SlotPtr slot;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    auto it = slots_.find(hash);
    // Another key with the same hash: compiled without the cache.
    if (it != slots_.end() && (*it->second)->key != key) {
      ++stats_.misses;
      lock.unlock();
      *hit = false;
      return compile();
    }
    if (it != slots_.end()) {
      ++stats_.hits;
      *hit = true;
      order_.splice(order_.begin(), order_, it->second);
      const SlotPtr found = *it->second;
      return Await(found, lock);
    }
    ++stats_.misses;
    *hit = false;
    slot = std::make_shared<Slot>();
    slot->hash = hash;
    slot->key = key;
    order_.push_front(slot);
    slots_[hash] = order_.begin();
    Evict();
  }
  StatusOr<ExecutablePtr> made = compile();
  const std::lock_guard<std::mutex> lock(mutex_);
  slot->done = true;
  if (made.ok()) {
    slot->executable = *made;
  } else {
    slot->code = made.status().code();
    slot->message = std::string(made.status().message());
    auto it = slots_.find(hash);
    if (it != slots_.end() && *it->second == slot) {
      order_.erase(it->second);
      slots_.erase(it);
    }
  }
  finished_.notify_all();
  return made;
}

void ModuleCache::Evict() {
  for (auto it = order_.end(); order_.size() > capacity_ && it != order_.begin();) {
    --it;
    if (!(*it)->done) continue;  // somebody waits for it
    slots_.erase((*it)->hash);
    it = order_.erase(it);
  }
}

void ModuleCache::Clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto it = order_.begin(); it != order_.end();) {
    if (!(*it)->done) {
      ++it;
      continue;
    }
    slots_.erase((*it)->hash);
    it = order_.erase(it);
  }
}

ModuleCache::Stats ModuleCache::stats() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  Stats stats = stats_;
  stats.entries = static_cast<int64_t>(order_.size());
  return stats;
}

}  // namespace swage::cache
