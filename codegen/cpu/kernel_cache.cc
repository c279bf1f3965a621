#include "codegen/cpu/kernel_cache.h"

namespace swage::cpu {

KernelCache& KernelCache::Get() {
  static auto* const cache = new KernelCache();
  return *cache;
}

StatusOr<KernelCache::Lookup> KernelCache::Find(const std::string& key,
                                                FunctionRef<StatusOr<CompiledKernel>()> compile) {
  const Hash128 hash = HashBytes(key);
  std::shared_ptr<Entry> entry;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    std::shared_ptr<Entry>& slot = entries_[hash];
    if (slot == nullptr) {
      slot = std::make_shared<Entry>();
      slot->key = key;
    }
    entry = slot;
  }
  if (entry->key != key) {  // two texts with one 128-bit hash: the later one is never kept
    SWAGE_ASSIGN_OR_RETURN(CompiledKernel kernel, compile());
    return Lookup{std::make_shared<const CompiledKernel>(std::move(kernel)), false};
  }
  std::lock_guard<std::mutex> lock(entry->compiling);
  if (entry->kernel != nullptr) return Lookup{entry->kernel, true};
  StatusOr<CompiledKernel> kernel = compile();
  if (!kernel.ok()) {
    std::lock_guard<std::mutex> forget(mutex_);
    auto it = entries_.find(hash);
    if (it != entries_.end() && it->second == entry) entries_.erase(it);
    return kernel.status();
  }
  entry->kernel = std::make_shared<const CompiledKernel>(*std::move(kernel));
  return Lookup{entry->kernel, false};
}

int64_t KernelCache::size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(entries_.size());
}

void KernelCache::Clear() {
  std::lock_guard<std::mutex> lock(mutex_);
  entries_.clear();
}

}  // namespace swage::cpu
