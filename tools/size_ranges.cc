#include "tools/size_ranges.h"

#include <algorithm>

#include "cache/policy/bucket_sizes.h"
#include "compiler/ir/extent_walk.h"

namespace swage::tools {
namespace {

StatusOr<policy::SizeRange> BucketOf(const ir::Symbol& symbol, int64_t value) {
  SWAGE_ASSIGN_OR_RETURN(
      const policy::Buckets buckets,
      policy::Buckets::Make(policy::DefaultBucketSpec(), symbol.min, symbol.max));
  return buckets.Find(value);
}

StatusOr<policy::SizeRange> PaddedRangeOf(const ir::Symbol& symbol, int64_t value) {
  int64_t bound = 1;
  while (bound <= value) bound *= 2;
  return policy::SizeRange{symbol.min, std::min(bound, symbol.max)};
}

}  // namespace

StatusOr<SizeRanges> SizeRangesOf(const ir::SymbolBinding& sizes, std::string_view mode) {
  SizeRanges ranges;
  if (mode == "symbolic") return ranges;
  for (const auto& [symbol, value] : sizes.values()) {
    SWAGE_ASSIGN_OR_RETURN(const policy::SizeRange range, mode == "pad"
                                                              ? PaddedRangeOf(*symbol, value)
                                                              : BucketOf(*symbol, value));
    ranges.emplace_back(symbol, ir::Dim::Symbol(symbol->name, range.low, range.high));
  }
  return ranges;
}

std::unique_ptr<ir::Module> InRanges(const ir::Module& module, const SizeRanges& ranges) {
  std::unique_ptr<ir::Module> ranged = module.Clone();
  const auto substitute = [&](ir::Dim& dim) { dim = dim.Substitute(ranges); };
  ir::ExtentWalk(substitute).Walk(ranged.get());
  return ranged;
}

}  // namespace swage::tools
