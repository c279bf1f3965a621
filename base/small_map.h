// File: base/small_map.h
//
// SmallMap: a map for places where most maps hold one or two entries and a few hold thousands. The
// entries lie in one array, which is searched from its start while they are few and through an
// index when they are many. Iteration is in the order of insertion, but for erasures, which move
// the last entry into the gap: the same in every run, where a hash map of pointers is not.
#ifndef SWAGE_BASE_SMALL_MAP_H_
#define SWAGE_BASE_SMALL_MAP_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"

namespace swage {

template <typename K, typename V, size_t kInline = 2>
class SmallMap {
 public:
  using Entry = std::pair<K, V>;
  using Entries = absl::InlinedVector<Entry, kInline>;

  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  typename Entries::const_iterator begin() const { return entries_.begin(); }
  typename Entries::const_iterator end() const { return entries_.end(); }

  // Null when there is none. Valid until the map changes.
  const V* Find(const K& key) const {
    const size_t slot = SlotOf(key);
    return slot == entries_.size() ? nullptr : &entries_[slot].second;
  }
  V* Find(const K& key) { return const_cast<V*>(std::as_const(*this).Find(key)); }

  // The value of the key, which is `value` when it was not there; and whether it is new.
  std::pair<V*, bool> Insert(const K& key, V value) {
    const size_t slot = SlotOf(key);
    if (slot < entries_.size()) return {&entries_[slot].second, false};
    entries_.emplace_back(key, std::move(value));
    if (index_ != nullptr) {
      index_->emplace(key, static_cast<uint32_t>(slot));
    } else if (entries_.size() > kScanned) {
      index_ = std::make_unique<Index>();
      for (size_t i = 0; i < entries_.size(); ++i) {
        index_->emplace(entries_[i].first, static_cast<uint32_t>(i));
      }
    }
    return {&entries_.back().second, true};
  }

  bool Erase(const K& key) {
    const size_t slot = SlotOf(key);
    if (slot == entries_.size()) return false;
    if (index_ != nullptr) index_->erase(key);
    if (slot + 1 < entries_.size()) {
      entries_[slot] = std::move(entries_.back());
      if (index_ != nullptr) (*index_)[entries_[slot].first] = static_cast<uint32_t>(slot);
    }
    entries_.pop_back();
    return true;
  }

 private:
  using Index = absl::flat_hash_map<K, uint32_t>;
  static constexpr size_t kScanned = 8;

  // size() when the key is not there.
  size_t SlotOf(const K& key) const {
    if (index_ != nullptr) {
      const auto found = index_->find(key);
      return found == index_->end() ? entries_.size() : found->second;
    }
    size_t slot = 0;
    while (slot < entries_.size() && !(entries_[slot].first == key)) ++slot;
    return slot;
  }

  Entries entries_;
  std::unique_ptr<Index> index_;  // once there have been more than kScanned
};

}  // namespace swage

#endif  // SWAGE_BASE_SMALL_MAP_H_
