#include "compiler/analysis/arena_packer.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace swage::analysis {
namespace {

// Pairs of buffers that one order may look at.
constexpr int64_t kPairBudget = 4'000'000;

// Bytes rounded up, all sums checked before they are used: the total of all buffers fits in int64.
StatusOr<std::vector<int64_t>> RoundedSizes(absl::Span<const Lifetime> lifetimes,
                                            int64_t alignment) {
  std::vector<int64_t> sizes;
  sizes.reserve(lifetimes.size());
  int64_t total = 0;
  for (const Lifetime& life : lifetimes) {
    int64_t size = 0;
    SWAGE_RET_CHECK(life.bytes >= 0 && life.begin <= life.end);
    if (__builtin_add_overflow(life.bytes, alignment - 1, &size) ||
        __builtin_add_overflow(total, size / alignment * alignment, &total)) {
      return ResourceExhausted("[buffer-assignment] the temporaries need more than 2^63 bytes");
    }
    sizes.push_back(size / alignment * alignment);
  }
  return sizes;
}

// The places taken so far, found by time: an implicit tree over the buffers in order of their
// begin, each node with the latest end of the placed ones below it.
class PlacedByTime {
 public:
  explicit PlacedByTime(absl::Span<const Lifetime> lifetimes) : lifetimes_(lifetimes) {
    order_.resize(lifetimes.size());
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](size_t a, size_t b) { return lifetimes[a].begin < lifetimes[b].begin; });
    rank_.resize(order_.size());
    for (size_t i = 0; i < order_.size(); ++i) rank_[order_[i]] = i;
    while (leaves_ < order_.size()) leaves_ *= 2;
    latest_.assign(2 * leaves_, kNever);
  }

  void Place(size_t buffer) {
    size_t node = leaves_ + rank_[buffer];
    for (; node > 0; node /= 2) latest_[node] = std::max(latest_[node], lifetimes_[buffer].end);
  }

  // Calls fn(buffer) for each placed one that is alive together with `life`.
  template <typename Fn>
  void ForEachOverlap(const Lifetime& life, Fn&& fn) {
    stack_.assign(1, 1);
    while (!stack_.empty()) {
      const size_t node = stack_.back();
      stack_.pop_back();
      if (latest_[node] < life.begin || latest_[node] == kNever) continue;
      size_t first = node;
      while (first < leaves_) first *= 2;
      if (lifetimes_[order_[first - leaves_]].begin > life.end) continue;
      if (node >= leaves_) {
        fn(order_[node - leaves_]);
      } else {
        stack_.push_back(2 * node + 1);
        stack_.push_back(2 * node);
      }
    }
  }

 private:
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::min();

  absl::Span<const Lifetime> lifetimes_;
  std::vector<size_t> order_, rank_, stack_;
  size_t leaves_ = 1;
  std::vector<int64_t> latest_;
};

// Buffers in the given order, each into the smallest gap that holds it among those that are alive
// with it; nullopt when that takes too long.
std::optional<Packing> PackInOrder(absl::Span<const Lifetime> lifetimes,
                                   absl::Span<const int64_t> sizes,
                                   absl::Span<const size_t> order) {
  Packing result;
  result.offsets.assign(lifetimes.size(), 0);
  PlacedByTime placed(lifetimes);
  std::vector<std::pair<int64_t, int64_t>> taken;  // offset, end
  int64_t pairs = 0;
  for (size_t buffer : order) {
    if (sizes[buffer] == 0) continue;
    taken.clear();
    placed.ForEachOverlap(lifetimes[buffer], [&](size_t other) {
      taken.emplace_back(result.offsets[other], result.offsets[other] + sizes[other]);
    });
    pairs += static_cast<int64_t>(taken.size());
    if (pairs > kPairBudget) return std::nullopt;
    std::sort(taken.begin(), taken.end());
    int64_t end = 0, best = -1, best_gap = 0;
    for (const auto& [from, to] : taken) {
      const int64_t gap = from - end;
      if (gap >= sizes[buffer] && (best < 0 || gap < best_gap)) {
        best = end;
        best_gap = gap;
      }
      end = std::max(end, to);
    }
    result.offsets[buffer] = best >= 0 ? best : end;
    result.bytes = std::max(result.bytes, result.offsets[buffer] + sizes[buffer]);
    placed.Place(buffer);
  }
  return result;
}

// The free gaps of a block that grows at its end.
class FreeList {
 public:
  int64_t Take(int64_t size) {
    const auto fit = by_size_.lower_bound({size, 0});
    int64_t offset = 0, gap = 0;
    if (fit != by_size_.end()) {
      std::tie(gap, offset) = *fit;
      Erase(offset, gap);
    } else if (!by_offset_.empty() &&
               by_offset_.rbegin()->first + by_offset_.rbegin()->second == bytes_) {
      std::tie(offset, gap) = *by_offset_.rbegin();  // the gap at the end, made longer
      Erase(offset, gap);
      bytes_ = offset + size;
      gap = size;
    } else {
      offset = bytes_;
      bytes_ += size;
      gap = size;
    }
    if (gap > size) Insert(offset + size, gap - size);
    return offset;
  }

  void Return(int64_t offset, int64_t size) {
    auto next = by_offset_.lower_bound(offset);
    if (next != by_offset_.end() && next->first == offset + size) {
      const int64_t gap = next->second;
      Erase(offset + size, gap);
      size += gap;
      next = by_offset_.lower_bound(offset);
    }
    if (next != by_offset_.begin()) {
      const auto [before, gap] = *std::prev(next);
      if (before + gap == offset) {
        Erase(before, gap);
        offset = before;
        size += gap;
      }
    }
    Insert(offset, size);
  }

  int64_t bytes() const { return bytes_; }

 private:
  void Insert(int64_t offset, int64_t size) {
    by_offset_[offset] = size;
    by_size_.insert({size, offset});
  }
  void Erase(int64_t offset, int64_t size) {
    by_offset_.erase(offset);
    by_size_.erase({size, offset});
  }

  std::map<int64_t, int64_t> by_offset_;
  std::set<std::pair<int64_t, int64_t>> by_size_;
  int64_t bytes_ = 0;
};

Packing PackInTime(absl::Span<const Lifetime> lifetimes, absl::Span<const int64_t> sizes) {
  std::vector<size_t> by_begin, by_end;
  for (size_t i = 0; i < lifetimes.size(); ++i) {
    if (sizes[i] > 0) by_begin.push_back(i);
  }
  by_end = by_begin;
  std::stable_sort(by_begin.begin(), by_begin.end(), [&](size_t a, size_t b) {
    return lifetimes[a].begin != lifetimes[b].begin ? lifetimes[a].begin < lifetimes[b].begin
                                                    : sizes[a] > sizes[b];
  });
  std::stable_sort(by_end.begin(), by_end.end(),
                   [&](size_t a, size_t b) { return lifetimes[a].end < lifetimes[b].end; });
  Packing result;
  result.offsets.assign(lifetimes.size(), 0);
  FreeList free;
  size_t dead = 0;
  for (size_t buffer : by_begin) {
    for (; lifetimes[by_end[dead]].end < lifetimes[buffer].begin; ++dead) {
      free.Return(result.offsets[by_end[dead]], sizes[by_end[dead]]);
    }
    result.offsets[buffer] = free.Take(sizes[buffer]);
  }
  result.bytes = free.bytes();
  return result;
}

int64_t PeakOf(absl::Span<const Lifetime> lifetimes, absl::Span<const int64_t> sizes,
               int64_t* when) {
  std::vector<std::pair<int64_t, int64_t>> events;  // time, change; deaths come after the last use
  events.reserve(2 * lifetimes.size());
  for (size_t i = 0; i < lifetimes.size(); ++i) {
    events.emplace_back(lifetimes[i].begin, sizes[i]);
    if (lifetimes[i].end < std::numeric_limits<int64_t>::max()) {
      events.emplace_back(lifetimes[i].end + 1, -sizes[i]);
    }
  }
  std::sort(events.begin(), events.end());  // at equal times what is freed comes first
  int64_t live = 0, peak = 0;
  for (const auto& [time, change] : events) {
    live += change;
    if (live > peak) {
      peak = live;
      if (when != nullptr) *when = time;
    }
  }
  return peak;
}

}  // namespace

StatusOr<int64_t> PeakBytes(absl::Span<const Lifetime> lifetimes, int64_t alignment,
                            int64_t* when) {
  SWAGE_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, RoundedSizes(lifetimes, alignment));
  return PeakOf(lifetimes, sizes, when);
}

StatusOr<Packing> PackArena(absl::Span<const Lifetime> lifetimes, int64_t alignment) {
  SWAGE_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, RoundedSizes(lifetimes, alignment));
  const int64_t peak = PeakOf(lifetimes, sizes, nullptr);
  Packing best = PackInTime(lifetimes, sizes);
  std::vector<size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto life = [&](size_t i) { return lifetimes[i].end - lifetimes[i].begin; };
  for (const bool by_size : {true, false}) {
    if (best.bytes == peak) break;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      if (by_size && sizes[a] != sizes[b]) return sizes[a] > sizes[b];
      if (life(a) != life(b)) return life(a) > life(b);
      return sizes[a] > sizes[b];
    });
    std::optional<Packing> packing = PackInOrder(lifetimes, sizes, order);
    if (packing.has_value() && packing->bytes < best.bytes) best = *std::move(packing);
  }
  return best;
}

}  // namespace swage::analysis
