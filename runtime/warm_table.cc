#include "runtime/warm_table.h"

#include <algorithm>
#include <utility>

namespace swage::internal {
namespace {

struct Registry {
  std::mutex mutex;  // before a table's
  std::vector<WarmTable*> tables;
};

Registry& AllTables() {
  static auto* const registry = new Registry;
  return *registry;
}

// Read on every call, so without the detour that variables with destructors take.
__attribute__((tls_model("initial-exec"))) thread_local WarmTable* this_thread_table = nullptr;
__attribute__((tls_model("initial-exec"))) thread_local bool thread_ends = false;

struct TableOwner {
  std::unique_ptr<WarmTable> table = std::make_unique<WarmTable>();
  ~TableOwner() {
    thread_ends = true;
    this_thread_table = nullptr;
  }
};

WarmTable* MakeTable() {
  if (thread_ends) return nullptr;
  thread_local TableOwner owner;
  return this_thread_table = owner.table.get();
}

}  // namespace

WarmTable* WarmTable::OfThread() {
  WarmTable* const table = this_thread_table;
  return table != nullptr ? table : MakeTable();
}

WarmTable::WarmTable() {
  Registry& all = AllTables();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.tables.push_back(this);
}

WarmTable::~WarmTable() {
  {
    Registry& all = AllTables();
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.tables.erase(std::find(all.tables.begin(), all.tables.end(), this));
  }
  Graveyard removed;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Slot& slot : slots_) {
    if (slot.entry_ != nullptr) Empty(slot, &removed);
  }
}

size_t WarmTable::SlotOf(uint64_t state, uint64_t hash) {
  return static_cast<size_t>((hash ^ state * 0x9e3779b97f4a7c15) >> 57) % kSlots;
}

bool WarmTable::TryEnter(Slot& slot, uint64_t state, const CallKey& key) {
  if (slot.state_.load(std::memory_order_relaxed) != state) return false;
  int users = 0;
  if (!slot.users_.compare_exchange_strong(users, 1, std::memory_order_acquire,
                                           std::memory_order_relaxed)) {
    if (users <= 0) return false;
    slot.users_.store(users + 1, std::memory_order_relaxed);  // a call inside a call
  }
  // Only now is what the slot holds fixed.
  bool found = false;
  try {
    found = slot.state_.load(std::memory_order_relaxed) == state && slot.entry_->Matches(key) &&
            !slot.entry_->dead();
  } catch (...) {  // from a user's operator==
    Leave(&slot);
    throw;
  }
  if (found) {
    slot.hits_.store(slot.hits_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return true;
  }
  Leave(&slot);
  return false;
}

WarmTable::Slot* WarmTable::Enter(uint64_t state, const CallKey& key) {
  uint16_t& recent = recent_[state % kStates];
  if (TryEnter(slots_[recent], state, key)) return &slots_[recent];
  const size_t place = SlotOf(state, runtime::HashWords(key.words));
  if (place == recent || !TryEnter(slots_[place], state, key)) return nullptr;
  recent = static_cast<uint16_t>(place);
  return &slots_[place];
}

void WarmTable::Leave(Slot* slot) {
  const int users = slot->users_.load(std::memory_order_relaxed);
  if (users > 1 || !slot->entry_->dead()) {
    slot->users_.store(users - 1, std::memory_order_release);
    return;
  }
  Graveyard removed;
  const std::lock_guard<std::mutex> lock(mutex_);
  slot->users_.store(Slot::kTaken, std::memory_order_relaxed);
  Empty(*slot, &removed);
}

void WarmTable::Empty(Slot& slot, Graveyard* removed) {
  const int64_t hits = slot.hits_.exchange(0, std::memory_order_relaxed);
  slot.counters_->calls.fetch_add(hits, std::memory_order_relaxed);
  slot.counters_->hits.fetch_add(hits, std::memory_order_relaxed);
  slot.counters_->elements.Add(slot.entry_->elements, hits);
  removed->push_back({std::move(slot.entry_), std::move(slot.counters_)});
  slot.entry_ = nullptr;
  slot.state_.store(0, std::memory_order_relaxed);
  slot.users_.store(Slot::kVacant, std::memory_order_release);
}

template <typename Wanted>
void WarmTable::DropWhere(const Wanted& wanted, Graveyard* removed) {
  for (Slot& slot : slots_) {
    // With the mutex nobody else changes what the slot holds; a running call only reads it.
    if (slot.entry_ == nullptr || !wanted(slot)) continue;
    int idle = 0;
    if (slot.users_.compare_exchange_strong(idle, Slot::kTaken, std::memory_order_acquire)) {
      Empty(slot, removed);
    } else {
      stale_.store(true, std::memory_order_relaxed);
    }
  }
}

void WarmTable::Remember(uint64_t state, const EntryPtr& entry,
                         std::shared_ptr<CallCounters> counters) {
  const size_t place = SlotOf(state, runtime::HashWords(entry->words()));
  Graveyard removed;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stale_.exchange(false, std::memory_order_relaxed)) {
    DropWhere([](const Slot& slot) { return slot.entry_->dead(); }, &removed);
  }
  Slot& slot = slots_[place];
  if (slot.entry_ != nullptr) {
    int idle = 0;
    if (!slot.users_.compare_exchange_strong(idle, Slot::kTaken, std::memory_order_acquire)) return;
    Empty(slot, &removed);
  }
  slot.users_.store(Slot::kTaken, std::memory_order_relaxed);
  slot.entry_ = entry;
  slot.counters_ = std::move(counters);
  slot.state_.store(state, std::memory_order_relaxed);
  slot.users_.store(0, std::memory_order_release);
  recent_[state % kStates] = static_cast<uint16_t>(place);
}

template <typename Wanted>
void WarmTable::DropEverywhereWhere(const Wanted& wanted) {
  Graveyard removed;
  Registry& all = AllTables();
  const std::lock_guard<std::mutex> lock(all.mutex);
  for (WarmTable* table : all.tables) {
    const std::lock_guard<std::mutex> one(table->mutex_);
    table->DropWhere(wanted, &removed);
  }
}

void WarmTable::DropEverywhere(const CacheEntry* entry) {
  DropEverywhereWhere([entry](const Slot& slot) { return slot.entry_.get() == entry; });
}

void WarmTable::DropStateEverywhere(uint64_t state) {
  DropEverywhereWhere(
      [state](const Slot& slot) { return slot.state_.load(std::memory_order_relaxed) == state; });
}

WarmTable::Pending WarmTable::PendingOf(uint64_t state) {
  Pending pending;
  Registry& all = AllTables();
  const std::lock_guard<std::mutex> lock(all.mutex);
  for (WarmTable* table : all.tables) {
    const std::lock_guard<std::mutex> one(table->mutex_);
    for (const Slot& slot : table->slots_) {
      if (slot.state_.load(std::memory_order_relaxed) != state) continue;
      const int64_t hits = slot.hits_.load(std::memory_order_relaxed);
      pending.hits += hits;
      pending.elements.valid += hits * slot.entry_->elements.valid;
      pending.elements.padded += hits * slot.entry_->elements.padded;
    }
  }
  return pending;
}

}  // namespace swage::internal
