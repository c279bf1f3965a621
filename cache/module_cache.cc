#include "cache/module_cache.h"

#include <algorithm>
#include <utility>

namespace swage::cache {
namespace {

// Of the tables' own nodes, about.
constexpr int64_t kOverhead = 512;

void LetGo(std::list<Keeper> keepers) {
  for (const Keeper& keeper : keepers) keeper.let_go();
}

}  // namespace

ModuleCache::ModuleCache(MemoryBound* bound, int hash_bits)
    : bound_(bound), hash_mask_(~uint64_t{0} >> (64 - hash_bits)) {
  bound_->Add(this);
}

Hash128 ModuleCache::HashOf(const std::string& key) const {
  const Hash128 hash = HashBytes(key);
  return hash_mask_ == ~uint64_t{0} ? hash : Hash128{0, hash.low & hash_mask_};
}

ModuleCache& ModuleCache::Global() {
  static auto* const cache = new ModuleCache(&MemoryBound::Get());
  return *cache;
}

StatusOr<ProgramPtr> ModuleCache::Await(const SlotPtr& slot, std::unique_lock<std::mutex>& lock) {
  finished_.wait(lock, [&] { return slot->done; });
  if (slot->code != absl::StatusCode::kOk) return Status(slot->code, slot->message);
  slot->program->Touch();
  return slot->program;
}

void ModuleCache::Insert(const SlotPtr& slot, ExecutablePtr executable) {
  slot->program = std::make_shared<CachedProgram>(std::move(executable));
  CachedProgram& program = *slot->program;
  program.use().Raise(AdvanceUseTick());
  program.bytes_ = kOverhead + static_cast<int64_t>(slot->key.size());
  if (program.executable_ != nullptr) program.bytes_ += program.executable_->memory_bytes();
  stats_.bytes += program.bytes_;
  places_[&program] = order_.emplace(program.use().value(), slot);
}

StatusOr<ProgramPtr> ModuleCache::Get(const std::string& key, CompileFn compile, bool* hit) {
  const Hash128 hash = HashOf(key);
  SlotPtr slot;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    SlotPtr& found = slots_[hash];
    // Another key with the same hash: compiled without the cache.
    if (found != nullptr && found->key != key) {
      ++stats_.misses;
      lock.unlock();
      *hit = false;
      SWAGE_ASSIGN_OR_RETURN(ExecutablePtr executable, compile());
      return Adopt(std::move(executable));
    }
    *hit = found != nullptr;
    if (*hit) {
      ++stats_.hits;
      return Await(SlotPtr(found), lock);
    }
    ++stats_.misses;
    found = slot = std::make_shared<Slot>();
    slot->hash = hash;
    slot->key = key;
  }
  StatusOr<ExecutablePtr> made = compile();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    slot->done = true;
    if (made.ok()) {
      Insert(slot, *std::move(made));
    } else {
      slot->code = made.status().code();
      slot->message = std::string(made.status().message());
      slots_.erase(hash);
    }
    finished_.notify_all();
  }
  if (slot->program == nullptr) return made.status();
  bound_->Trim();
  return slot->program;
}

ProgramPtr ModuleCache::Peek(const std::string& key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto it = slots_.find(HashOf(key));
  if (it == slots_.end() || it->second->key != key) return nullptr;
  return it->second->program;
}

ProgramPtr ModuleCache::Adopt(ExecutablePtr executable) {
  auto slot = std::make_shared<Slot>();
  slot->keyed = false;
  slot->done = true;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Insert(slot, std::move(executable));
  }
  bound_->Trim();
  return slot->program;
}

bool ModuleCache::OnEvict(const ProgramPtr& program, Keeper keeper, KeeperId* id) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (program->evicted_) return false;
    program->bytes_ += keeper.bytes;
    stats_.bytes += keeper.bytes;
    *id = program->keepers_.insert(program->keepers_.end(), std::move(keeper));
  }
  MemoryBound::Get().Trim();
  return true;
}

void ModuleCache::Forget(const ProgramPtr& program, KeeperId id) {
  std::list<Keeper> gone;  // what it holds dies without the lock
  const std::lock_guard<std::mutex> lock(mutex_);
  if (program->evicted_) return;
  program->bytes_ -= id->bytes;
  stats_.bytes -= id->bytes;
  gone.splice(gone.begin(), program->keepers_, id);
}

std::list<Keeper> ModuleCache::TakeOut(Order::iterator it) {
  const SlotPtr slot = it->second;
  CachedProgram& program = *slot->program;
  order_.erase(it);
  places_.erase(&program);
  if (slot->keyed) slots_.erase(slot->hash);
  stats_.bytes -= program.bytes_;
  ++stats_.evictions;
  program.evicted_ = true;
  return std::move(program.keepers_);
}

ModuleCache::Order::iterator ModuleCache::Oldest() {
  for (;;) {
    const auto it = order_.begin();
    if (it == order_.end()) return it;
    const int64_t used = it->second->program->use().value();
    if (used <= it->first) return it;
    auto node = order_.extract(it);
    node.key() = used;
    places_[node.mapped()->program.get()] = order_.insert(std::move(node));
  }
}

int64_t ModuleCache::OldestUse() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto it = Oldest();
  return it == order_.end() ? kNothing : it->first;
}

void ModuleCache::EvictOldest() {
  ProgramPtr program;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto it = Oldest();
    if (it == order_.end()) return;
    program = it->second->program;
  }
  Evict(program);
}

void ModuleCache::Evict(const ProgramPtr& program) {
  std::list<Keeper> keepers;
  SlotPtr slot;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto place = places_.find(program.get());
    if (place == places_.end()) return;
    slot = place->second->second;
    keepers = TakeOut(place->second);
  }
  LetGo(std::move(keepers));
}

void ModuleCache::Clear() {
  for (;;) {
    ProgramPtr program;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (order_.empty()) return;
      program = order_.begin()->second->program;
    }
    Evict(program);
  }
}

int64_t ModuleCache::bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stats_.bytes;
}

ModuleCache::Stats ModuleCache::stats() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  Stats stats = stats_;
  stats.entries = static_cast<int64_t>(order_.size());
  return stats;
}

}  // namespace swage::cache
