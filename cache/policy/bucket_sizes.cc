#include "cache/policy/bucket_sizes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace swage::policy {
namespace {

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();

int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? kLargest : sum;
}

int64_t AlignUp(int64_t size, int64_t align) {
  const int64_t over = size % align;
  return over == 0 ? size : SaturatingAdd(size, align - over);
}

// ratio * size, rounded up; a ratio such as 1.1 is not exact, so a hair above a whole number is it.
int64_t Scaled(int64_t size, double ratio) {
  const double scaled = static_cast<double>(size) * ratio;
  if (scaled >= 9.2e18) return kLargest;
  return static_cast<int64_t>(std::ceil(scaled * (1 - 1e-12)));
}

int64_t DoublingOf(int64_t size) { return size > kLargest / 2 ? kLargest : 2 * size; }

int64_t FirstBound(const BucketSpec& spec) {
  switch (spec.kind) {
    case BucketKind::kLinear:
      return spec.start > 0 ? spec.start : spec.step;
    case BucketKind::kGeometric:
      return AlignUp(spec.start > 0 ? spec.start : 1, spec.align);
    case BucketKind::kPow2:
      return spec.start > 0 ? spec.start : 1;
    case BucketKind::kHybrid:
    case BucketKind::kList:
    case BucketKind::kExact:
      return 1;
  }
  return 1;
}

int64_t NextBound(const BucketSpec& spec, int64_t bound) {
  switch (spec.kind) {
    case BucketKind::kLinear:
      return SaturatingAdd(bound, spec.step);
    case BucketKind::kGeometric:
      return AlignUp(std::max(SaturatingAdd(bound, 1), Scaled(bound, spec.ratio)), spec.align);
    case BucketKind::kHybrid:
      return bound >= spec.step ? SaturatingAdd(bound, spec.step)
                                : std::min(DoublingOf(bound), spec.step);
    case BucketKind::kPow2:
    case BucketKind::kList:
    case BucketKind::kExact:
      return DoublingOf(bound);
  }
  return kLargest;
}

Status AtLeastOne(std::string_view field, int64_t value) {
  if (value >= 1) return OkStatus();
  return InvalidArgument(ToAbsl(field), ": must be at least 1, got ", value);
}

Status CheckSizes(const std::vector<int64_t>& sizes, int64_t min, int64_t max) {
  if (sizes.empty()) return InvalidArgument("sizes: must not be empty");
  SWAGE_RETURN_IF_ERROR(AtLeastOne("sizes", sizes[0]));
  for (size_t i = 1; i < sizes.size(); ++i) {
    if (sizes[i] <= sizes[i - 1]) {
      return InvalidArgument("sizes: not strictly increasing: ", sizes[i], " after ", sizes[i - 1]);
    }
  }
  if (sizes[0] < min) return InvalidArgument("sizes: ", sizes[0], " is below min (", min, ")");
  if (sizes.back() > max) {
    return InvalidArgument("sizes: ", sizes.back(), " is above max (", max, ")");
  }
  return OkStatus();
}

Status CheckSpec(const BucketSpec& spec, int64_t min, int64_t max) {
  switch (spec.kind) {
    case BucketKind::kList:
      return CheckSizes(spec.sizes, min, max);
    case BucketKind::kLinear:
    case BucketKind::kHybrid:
      SWAGE_RETURN_IF_ERROR(AtLeastOne("step", spec.step));
      break;
    case BucketKind::kGeometric:
      if (!(spec.ratio > 1) || !std::isfinite(spec.ratio)) {
        return InvalidArgument("ratio: must be a number above 1, got ", spec.ratio);
      }
      SWAGE_RETURN_IF_ERROR(AtLeastOne("align", spec.align));
      break;
    case BucketKind::kPow2:
      if (spec.start != 0 && (spec.start < 0 || !std::has_single_bit(uint64_t(spec.start)))) {
        return InvalidArgument("start: must be a power of two, got ", spec.start);
      }
      break;
    case BucketKind::kExact:
      break;
  }
  if (spec.start < 0) return AtLeastOne("start", spec.start);
  return OkStatus();
}

}  // namespace

std::string_view BucketKindName(BucketKind kind) {
  switch (kind) {
    case BucketKind::kList:
      return "list";
    case BucketKind::kLinear:
      return "linear";
    case BucketKind::kPow2:
      return "pow2";
    case BucketKind::kGeometric:
      return "geometric";
    case BucketKind::kHybrid:
      return "hybrid";
    case BucketKind::kExact:
      return "exact";
  }
  return "";
}

StatusOr<Buckets> Buckets::Make(const BucketSpec& spec, int64_t min, int64_t max) {
  SWAGE_RET_CHECK(0 <= min && min <= max);
  SWAGE_RETURN_IF_ERROR(CheckSpec(spec, min, max));
  if (spec.kind == BucketKind::kExact) return Buckets();
  std::vector<int64_t> bounds;
  if (spec.kind == BucketKind::kList) {
    bounds = spec.sizes;
  } else {
    // A bound below the smallest size would hold nothing.
    int64_t bound = FirstBound(spec);
    if (spec.kind == BucketKind::kLinear && bound < min) {
      bound = SaturatingAdd(bound, AlignUp(min - bound, spec.step));
    } else if (spec.kind == BucketKind::kHybrid && spec.step < min) {
      bound = AlignUp(min, spec.step);
    }
    int steps = 0;
    for (; bound < max && steps <= kMaxBuckets; bound = NextBound(spec, bound), ++steps) {
      if (bound >= min) bounds.push_back(bound);
    }
    if (steps > kMaxBuckets) {
      return InvalidArgument("needs more than ", kMaxBuckets, " buckets to reach max (", max, ")");
    }
  }
  if (bounds.empty() || bounds.back() < max) bounds.push_back(max);
  return Buckets(min, std::move(bounds));
}

SizeRange Buckets::RangeAt(size_t index) const {
  return {index == 0 ? min_ : bounds_[index - 1] + 1, bounds_[index]};
}

SizeRange Buckets::Find(int64_t size) const {
  if (exact()) return {size, size};
  const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), size);
  SWAGE_CHECK(at != bounds_.end());
  return RangeAt(static_cast<size_t>(at - bounds_.begin()));
}

SizeRange MultiplesIn(SizeRange range, int64_t step) {
  return {AlignUp(range.low, step), range.high / step * step};
}

double BucketWaste(int64_t size, int64_t bucket) {
  return bucket == 0 ? 0 : 1 - static_cast<double>(size) / static_cast<double>(bucket);
}

}  // namespace swage::policy
