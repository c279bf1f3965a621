// File: runtime/warm_table.h
//
// WarmTable: the entries that one thread used last, so that a call that hits writes nothing that
// other threads read or write.
//
//   WarmTable* table = WarmTable::OfThread();
//   WarmTable::Slot* slot = table->Enter(state_id, key);   // null: look in the jit state
//   ... run slot->entry() ...
//   table->Leave(slot);
//
// - Between Enter and Leave the entry is pinned. Calls may nest.
// - Another thread may drop an entry from every table (eviction); slots that run it are passed
//   over, and their threads let go of it when they are done.
// - A slot counts its hits; Flush and dropping add them to the entry's jit function.
#ifndef SWAGE_RUNTIME_WARM_TABLE_H_
#define SWAGE_RUNTIME_WARM_TABLE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/cache_entry.h"

namespace swage::internal {

class WarmTable {
 public:
  class alignas(64) Slot {
   public:
    CacheEntry* entry() const { return entry_.get(); }

   private:
    friend class WarmTable;
    // How many calls run in it; kVacant, or kTaken while its content changes. Only the owning
    // thread changes a positive count; 0 is left by compare-and-swap.
    static constexpr int kVacant = -1, kTaken = -2;
    std::atomic<int> users_{kVacant};
    std::atomic<uint64_t> state_{0};  // id of the jit state; a hint outside users_ > 0
    std::atomic<int64_t> hits_{0};
    // Changed with the table's mutex and users_ == kTaken.
    EntryPtr entry_;
    std::shared_ptr<CallCounters> counters_;
  };

  // This thread's; null while the thread ends.
  static WarmTable* OfThread();

  // A slot whose entry is alive and has this key.
  Slot* Enter(uint64_t state, const CallKey& key);
  void Leave(Slot* slot);
  // Puts `entry` where the next Enter finds it.
  void Remember(uint64_t state, const EntryPtr& entry, std::shared_ptr<CallCounters> counters);

  // Takes an entry out of the tables of all threads.
  static void DropEverywhere(const CacheEntry* entry);
  // Takes out all of a jit state's.
  static void DropStateEverywhere(uint64_t state);
  // The hits of a jit state that no counter has yet, and their elements.
  struct Pending {
    int64_t hits = 0;
    runtime::ArgumentElements elements;
  };
  static Pending PendingOf(uint64_t state);

  WarmTable();
  ~WarmTable();

 private:
  static constexpr size_t kSlots = 128;
  static constexpr size_t kStates = 64;

  // What was in a slot; it dies when no lock is held, since destructors of users may run.
  struct Removed {
    EntryPtr entry;
    std::shared_ptr<CallCounters> counters;
  };
  using Graveyard = std::vector<Removed>;

  static size_t SlotOf(uint64_t state, uint64_t hash);
  bool TryEnter(Slot& slot, uint64_t state, const CallKey& key);
  // Empties a slot that is kTaken.
  void Empty(Slot& slot, Graveyard* removed);
  template <typename Wanted>
  void DropWhere(const Wanted& wanted, Graveyard* removed);
  template <typename Wanted>
  static void DropEverywhereWhere(const Wanted& wanted);

  std::mutex mutex_;  // for changing what a slot holds
  // Somebody could not drop an entry because it ran.
  std::atomic<bool> stale_{false};
  std::array<Slot, kSlots> slots_;
  std::array<uint16_t, kStates> recent_{};  // by state id: the slot it used last
};

}  // namespace swage::internal

#endif  // SWAGE_RUNTIME_WARM_TABLE_H_
