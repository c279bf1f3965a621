#include "cache/policy/learn.h"

#include <algorithm>
#include <map>

namespace swage::policy {
namespace {

constexpr int64_t kMaxSum = int64_t{1} << 61;

// The padding of a bucket from the i-th to the j-th size is
//   size_j * (counts_{j+1} - counts_i) - (sums_{j+1} - sums_i),
// so with best_i for all before it, the best beginning i for size_j is the lowest at x = size_j of
// the lines best_i + sums_i - counts_i * x. Their slopes fall with i and x rises with j, so lines
// enter on one side of the lower hull and leave on the other.
class LowerHull {
 public:
  void Add(int id, int64_t slope, int64_t offset) {
    const Line line{id, slope, offset};
    while (lines_.size() >= begin_ + 2 && Hidden(lines_[lines_.size() - 2], lines_.back(), line)) {
      lines_.pop_back();
    }
    lines_.push_back(line);
  }
  // The id of the lowest line at x, which never falls between calls.
  int Lowest(int64_t x) {
    while (begin_ + 1 < lines_.size() && At(lines_[begin_ + 1], x) <= At(lines_[begin_], x)) {
      ++begin_;
    }
    return lines_[begin_].id;
  }

 private:
  struct Line {
    int id;
    int64_t slope;
    int64_t offset;
  };
  using Wide = __int128;

  static Wide At(const Line& line, int64_t x) { return Wide{line.slope} * x + line.offset; }
  // Whether `b` is nowhere below both others; slopes fall from a to c.
  static bool Hidden(const Line& a, const Line& b, const Line& c) {
    return (Wide{c.offset} - a.offset) * (Wide{a.slope} - b.slope) <=
           (Wide{b.offset} - a.offset) * (Wide{a.slope} - c.slope);
  }

  std::vector<Line> lines_;
  size_t begin_ = 0;
};

Status CheckSums(const std::map<int64_t, int64_t>& counts) {
  int64_t calls = 0, product;
  for (const auto& [size, count] : counts) {
    if (__builtin_add_overflow(calls, count, &calls)) calls = kMaxSum;
  }
  if (__builtin_mul_overflow(counts.rbegin()->first, std::max<int64_t>(calls, 1), &product) ||
      product > kMaxSum) {
    return InvalidArgument("[learn] ", calls, " calls of sizes up to ", counts.rbegin()->first,
                           " are too many to add up");
  }
  return OkStatus();
}

}  // namespace

StatusOr<BucketLearner> BucketLearner::Make(std::span<const SizeCount> sizes,
                                            std::optional<int64_t> max) {
  std::map<int64_t, int64_t> counts;
  for (const SizeCount& entry : sizes) {
    if (entry.size < 0 || entry.count < 0) {
      return InvalidArgument("[learn] sizes and counts are at least 0, got ", entry.count, " of ",
                             entry.size);
    }
    if (entry.size == 0 || entry.count == 0 || (max.has_value() && entry.size > *max)) continue;
    int64_t& count = counts[entry.size];
    if (__builtin_add_overflow(count, entry.count, &count)) {
      return InvalidArgument("[learn] too many calls of size ", entry.size, " to count");
    }
  }
  if (max.has_value() && *max > 0) counts.try_emplace(*max, 0);
  if (counts.empty()) return InvalidArgument("[learn] no sizes to learn from");
  SWAGE_RETURN_IF_ERROR(CheckSums(counts));
  BucketLearner learner;
  learner.counts_ = {0};
  learner.sums_ = {0};
  for (const auto& [size, count] : counts) {
    learner.sizes_.push_back(size);
    learner.counts_.push_back(learner.counts_.back() + count);
    learner.sums_.push_back(learner.sums_.back() + size * count);
  }
  return learner;
}

int64_t BucketLearner::Padding(int i, int j) const {
  return sizes_[j] * (counts_[j + 1] - counts_[i]) - (sums_[j + 1] - sums_[i]);
}

BucketLearner::Row BucketLearner::OneBucket() const {
  Row row{std::vector<int64_t>(sizes_.size()), std::vector<int>(sizes_.size())};
  for (int j = 0; j < distinct(); ++j) row.padded[j] = Padding(0, j);
  return row;
}

BucketLearner::Row BucketLearner::OneBucketMore(const Row& before, int buckets) const {
  Row row{std::vector<int64_t>(sizes_.size()), std::vector<int>(sizes_.size())};
  LowerHull hull;
  for (int j = buckets - 1; j < distinct(); ++j) {
    hull.Add(j, -counts_[j], before.padded[j - 1] + sums_[j]);
    row.first[j] = hull.Lowest(sizes_[j]);
    row.padded[j] = before.padded[row.first[j] - 1] + Padding(row.first[j], j);
  }
  return row;
}

int64_t BucketLearner::PaddedBy(const std::vector<int64_t>& bounds) const {
  int64_t padded = 0;
  int first = 0;
  for (const int64_t bound : bounds) {
    const int last =
        static_cast<int>(std::lower_bound(sizes_.begin(), sizes_.end(), bound) - sizes_.begin());
    padded += Padding(first, last);
    first = last + 1;
  }
  return padded;
}

std::vector<LearnedBuckets> BucketLearner::BestUpTo(int k) const {
  SWAGE_CHECK(k >= 1 && k <= kMaxLearnedBuckets);
  k = std::min(k, distinct());
  std::vector<std::vector<int>> firsts;
  std::vector<LearnedBuckets> best;
  Row row = OneBucket();
  for (int buckets = 1; buckets <= k; ++buckets) {
    if (buckets > 1) row = OneBucketMore(row, buckets);
    firsts.push_back(row.first);
    LearnedBuckets& choice = best.emplace_back();
    choice.padded = row.padded.back();
    choice.bounds.resize(buckets);
    int last = distinct() - 1;
    for (int i = buckets - 1; i >= 0; --i) {
      choice.bounds[i] = sizes_[last];
      last = firsts[i][last] - 1;
    }
  }
  return best;
}

LearnedBuckets BucketLearner::Best(int k) const { return BestUpTo(k).back(); }

LearnedBuckets BucketLearner::BestWithCost(int64_t cost) const {
  SWAGE_CHECK(cost >= 0);
  // Beyond what one bucket pads, a second one never pays; so sums stay in range.
  cost = std::min(cost, Padding(0, distinct() - 1) + 1);
  std::vector<int64_t> best(sizes_.size() + 1);  // of the sizes before the j-th
  std::vector<int> first(sizes_.size());
  LowerHull hull;
  for (int j = 0; j < distinct(); ++j) {
    hull.Add(j, -counts_[j], best[j] + sums_[j]);
    first[j] = hull.Lowest(sizes_[j]);
    best[j + 1] = best[first[j]] + Padding(first[j], j) + cost;
  }
  LearnedBuckets choice;
  for (int j = distinct() - 1; j >= 0; j = first[j] - 1) choice.bounds.push_back(sizes_[j]);
  std::reverse(choice.bounds.begin(), choice.bounds.end());
  choice.padded = PaddedBy(choice.bounds);
  return choice;
}

}  // namespace swage::policy
