// File: cache/policy/bucket_sizes.h
//
// Buckets: the sizes that one compiled program stands for. A kind says how the upper bounds grow;
// with the smallest and largest size of a symbol they become a sorted list whose last bound is
// exactly that largest size. A bucket holds the sizes from the bound before it, plus one, to its
// own bound; the first one begins at the smallest size.
//
//   kind       bounds
//   list       `sizes`
//   linear     start, start + step, start + 2 step, ...   (start: default `step`)
//   pow2       powers of two from `start`                  (default 1)
//   geometric  start, then the larger of bound + 1 and ratio * bound; each rounded up to a multiple
//              of `align`                                  (defaults: start 1, align 1)
//   hybrid     powers of two below step, then multiples of step
//   exact      every size is a bucket of its own; there is no list of them
//
//   BucketSpec spec{.kind = BucketKind::kGeometric, .start = 16, .ratio = 1.5, .align = 16};
//   SWAGE_ASSIGN_OR_RETURN(const Buckets buckets, Buckets::Make(spec, 1, 64));
//   buckets.bounds();    // 16, 32, 48, 64
//   buckets.Find(33);    // {33, 48}
#ifndef SWAGE_CACHE_POLICY_BUCKET_SIZES_H_
#define SWAGE_CACHE_POLICY_BUCKET_SIZES_H_

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace swage::policy {

// More of them for one symbol are a mistake: nothing would ever hit.
inline constexpr int kMaxBuckets = 10'000;

enum class BucketKind { kList, kLinear, kPow2, kGeometric, kHybrid, kExact };
// "list", "linear", ...
std::string_view BucketKindName(BucketKind kind);

// What a kind needs; the fields of other kinds are not read.
struct BucketSpec {
  BucketKind kind = BucketKind::kGeometric;
  std::vector<int64_t> sizes = {};
  int64_t step = 0;
  int64_t start = 0;  // 0: the kind's default
  double ratio = 0;
  int64_t align = 1;
};

// What a symbol without buckets of its own gets: at most a third of a bucket is not used.
inline BucketSpec DefaultBucketSpec() {
  return {.kind = BucketKind::kGeometric, .start = 16, .ratio = 1.5, .align = 16};
}

// Sizes from `low` to `high`, both of them included.
struct SizeRange {
  int64_t low = 0;
  int64_t high = 0;
  friend bool operator==(const SizeRange&, const SizeRange&) = default;
};

// From the least to the greatest multiple of `step` in the range; low is above high when there is
// none.
SizeRange MultiplesIn(SizeRange range, int64_t step);

class Buckets {
 public:
  // Every size is a bucket of its own.
  Buckets() = default;
  // InvalidArgument says which field of `spec` is at fault: "step: must be at least 1, got 0".
  static StatusOr<Buckets> Make(const BucketSpec& spec, int64_t min, int64_t max);

  bool exact() const { return bounds_.empty(); }
  // Strictly increasing; empty when exact.
  const std::vector<int64_t>& bounds() const { return bounds_; }
  // The range of the bucket at `index` in bounds().
  SizeRange RangeAt(size_t index) const;
  // The range of the bucket that holds `size`, which must be one of the sizes that it was made for.
  SizeRange Find(int64_t size) const;

 private:
  Buckets(int64_t min, std::vector<int64_t> bounds) : min_(min), bounds_(std::move(bounds)) {}

  int64_t min_ = 0;
  std::vector<int64_t> bounds_;
};

// The share of a bucket that a size does not use: 1 - size / bucket. 64 in 256: 0.75.
double BucketWaste(int64_t size, int64_t bucket);

}  // namespace swage::policy

#endif  // SWAGE_CACHE_POLICY_BUCKET_SIZES_H_
