// File: cache/policy/learn.h
//
// The best buckets for sizes that were seen, by dynamic programming: among all choices of buckets
// the one with the least padding, counting bucket - size for every call. Buckets sit on sizes that
// were seen, and the last one is the largest of them, or the max that is given.
//
//   SWAGE_ASSIGN_OR_RETURN(const BucketLearner learner,
//                          BucketLearner::Make({{3, 3}, {5, 1}, {8, 1}, {13, 1}}));
//   learner.Best(2).bounds;                 // 5, 13
//   learner.Best(2).padded;                 // 11
//   learner.BestWithCost(5).bounds;         // a bucket more must save 5: 3, 8, 13
//
// Each number of buckets takes time linear in the number of distinct sizes.
#ifndef SWAGE_CACHE_POLICY_LEARN_H_
#define SWAGE_CACHE_POLICY_LEARN_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"

namespace swage::policy {

// More learned buckets than this are refused.
inline constexpr int kMaxLearnedBuckets = 256;

struct SizeCount {
  int64_t size = 0;
  int64_t count = 0;
};

struct LearnedBuckets {
  std::vector<int64_t> bounds;  // strictly increasing
  int64_t padded = 0;           // the sum of bound - size over all calls
};

class BucketLearner {
 public:
  // `sizes` in any order, a size any number of times. Size 0 and sizes above `max` do not count.
  // InvalidArgument for negative numbers, nothing to learn from, or sums beyond 2^61.
  static StatusOr<BucketLearner> Make(std::span<const SizeCount> sizes,
                                      std::optional<int64_t> max = {});
  static StatusOr<BucketLearner> Make(std::initializer_list<SizeCount> sizes,
                                      std::optional<int64_t> max = {}) {
    return Make(std::span(sizes.begin(), sizes.size()), max);
  }

  // The number of sizes that a bucket can end at; so many buckets pad nothing.
  int distinct() const { return static_cast<int>(sizes_.size()); }
  int64_t calls() const { return counts_.back(); }

  // The best choice of min(k, distinct()) buckets; k is from 1 to kMaxLearnedBuckets.
  LearnedBuckets Best(int k) const;
  // For each number of buckets from 1 to min(k, distinct()).
  std::vector<LearnedBuckets> BestUpTo(int k) const;
  // The least of padded + cost * buckets; cost is at least 0.
  LearnedBuckets BestWithCost(int64_t cost) const;

 private:
  // padded[j]: the least padding of the sizes up to the j-th in so many buckets; first[j]: where
  // the last of these begins. Sizes that are fewer than the buckets have no entry.
  struct Row {
    std::vector<int64_t> padded;
    std::vector<int> first;
  };
  BucketLearner() = default;
  // The padding of a bucket over the sizes from the i-th to the j-th.
  int64_t Padding(int i, int j) const;
  Row OneBucket() const;
  Row OneBucketMore(const Row& before, int buckets) const;
  int64_t PaddedBy(const std::vector<int64_t>& bounds) const;

  std::vector<int64_t> sizes_;   // distinct, rising
  std::vector<int64_t> counts_;  // calls before the i-th size; one more than sizes
  std::vector<int64_t> sums_;    // their sizes added up
};

}  // namespace swage::policy

#endif  // SWAGE_CACHE_POLICY_LEARN_H_
