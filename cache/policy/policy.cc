#include "cache/policy/policy.h"

#include <algorithm>
#include <set>

#include "cache/policy/glob.h"

namespace swage::policy {
namespace {

// The buckets above max: the multiples of overflow_multiple.
SizeRange MultipleAbove(int64_t max, int64_t multiple, int64_t size) {
  const int64_t below = (size - 1) / multiple * multiple;
  const int64_t high = below > kUnbounded - multiple ? kUnbounded : below + multiple;
  return {std::max(max, below) + 1, high};
}

// Calls `visit` with one size for each axis, for every combination, until it returns false.
template <typename Visit>
bool ForEachCombination(const WarmupSet& set, Visit visit) {
  std::vector<int64_t> sizes(set.axes.size());
  std::vector<size_t> at(set.axes.size());
  for (const WarmupAxis& axis : set.axes) {
    if (axis.sizes.empty()) return true;
  }
  while (true) {
    for (size_t i = 0; i < sizes.size(); ++i) sizes[i] = set.axes[i].sizes[at[i]];
    if (!visit(sizes)) return false;
    size_t i = sizes.size();
    while (i > 0 && ++at[i - 1] == set.axes[i - 1].sizes.size()) at[--i] = 0;
    if (i == 0) return true;
  }
}

// Visits every program of the warm-up once: visit(set, sizes).
template <typename Visit>
void ForEachProgram(const FunctionPolicy& function, Mode mode, Visit visit) {
  using Key = std::vector<std::pair<std::string_view, int64_t>>;
  std::set<Key> seen;
  for (const WarmupSet& set : function.warmup) {
    const bool go_on = ForEachCombination(set, [&](const std::vector<int64_t>& sizes) {
      Key key;
      for (size_t i = 0; i < sizes.size(); ++i) {
        const SymbolPolicy* symbol = function.FindSymbol(set.axes[i].symbol);
        key.emplace_back(set.axes[i].symbol,
                         symbol != nullptr ? BoundOf(function, mode, *symbol, sizes[i]) : sizes[i]);
      }
      std::sort(key.begin(), key.end());
      return !seen.insert(std::move(key)).second || visit(set, sizes);
    });
    if (!go_on) return;
  }
}

}  // namespace

std::string_view ModeName(Mode mode) {
  switch (mode) {
    case Mode::kExact:
      return "exact";
    case Mode::kBucket:
      return "bucket";
    case Mode::kSymbolic:
      return "symbolic";
  }
  return "";
}

std::string_view OverflowName(Overflow overflow) {
  switch (overflow) {
    case Overflow::kExact:
      return "exact";
    case Overflow::kError:
      return "error";
    case Overflow::kMultiple:
      return "multiple";
  }
  return "";
}

std::string_view UnpaddableName(Unpaddable unpaddable) {
  switch (unpaddable) {
    case Unpaddable::kExact:
      return "exact";
    case Unpaddable::kError:
      return "error";
  }
  return "";
}

std::string_view OnLimitName(OnLimit on_limit) {
  switch (on_limit) {
    case OnLimit::kError:
      return "error";
    case OnLimit::kLargestBucket:
      return "largest-bucket";
    case OnLimit::kInterpret:
      return "interpret";
  }
  return "";
}

std::string_view OnMissName(OnMiss on_miss) {
  switch (on_miss) {
    case OnMiss::kWait:
      return "wait";
    case OnMiss::kBackground:
      return "background";
    case OnMiss::kError:
      return "error";
    case OnMiss::kExact:
      return "exact";
  }
  return "";
}

StatusOr<SymbolPolicy> DefaultSymbol(std::string_view name, int64_t min, int64_t max) {
  if (min < 0 || min > max) {
    return InvalidArgument("[buckets] the range of '", ToAbsl(name),
                           "' must have 0 <= min <= max, got ", min, " and ", max);
  }
  SymbolPolicy symbol{.name = std::string(name), .min = min, .max = max};
  SWAGE_ASSIGN_OR_RETURN(symbol.buckets, Buckets::Make(DefaultBucketSpec(), min, max));
  return symbol;
}

const SymbolPolicy* FunctionPolicy::FindSymbol(std::string_view name) const {
  const auto at = std::lower_bound(symbols.begin(), symbols.end(), name,
                                   [](const auto& symbol, std::string_view wanted) {
                                     return std::string_view(symbol->name) < wanted;
                                   });
  return at != symbols.end() && (*at)->name == name ? at->get() : nullptr;
}

StatusOr<Placement> PlaceSize(const FunctionPolicy& function, Mode mode, const SymbolPolicy& symbol,
                              int64_t size) {
  const Placement exact{{size, size}, /*fallback=*/mode != Mode::kExact};
  if (mode == Mode::kExact) return exact;
  if (size < symbol.min) {
    if (size == 0) return exact;
    return InvalidArgument("[buckets] '", symbol.name, "' is ", size, ", which is below its min (",
                           symbol.min, ")");
  }
  if (size % symbol.multiple_of != 0) {
    return InvalidArgument("[buckets] '", symbol.name, "' is ", size,
                           ", which is not a multiple of ", symbol.multiple_of,
                           ": the remainder is ", size % symbol.multiple_of);
  }
  if (size <= symbol.max) {
    if (mode == Mode::kSymbolic) return Placement{{symbol.min, symbol.max}};
    return Placement{symbol.buckets.Find(size)};
  }
  switch (function.overflow) {
    case Overflow::kExact:
      return exact;
    case Overflow::kMultiple:
      return Placement{MultipleAbove(symbol.max, function.overflow_multiple, size)};
    case Overflow::kError:
      break;
  }
  return InvalidArgument("[buckets] '", symbol.name, "' is ", size, ", which is above its max (",
                         symbol.max, "), and overflow is 'error'");
}

int64_t BoundOf(const FunctionPolicy& function, Mode mode, const SymbolPolicy& symbol,
                int64_t size) {
  const StatusOr<Placement> place = PlaceSize(function, mode, symbol, size);
  return place.ok() ? place->range.high : size;
}

int64_t CountPrograms(const SymbolPolicy& symbol, Mode mode) {
  if (mode == Mode::kSymbolic) return 1;
  if (mode == Mode::kBucket && !symbol.buckets.exact()) {
    return static_cast<int64_t>(symbol.buckets.bounds().size());
  }
  const SizeRange sizes = MultiplesIn({symbol.min, symbol.max}, symbol.multiple_of);
  const int64_t steps = (sizes.high - sizes.low) / symbol.multiple_of;
  return steps == kUnbounded ? steps : steps + 1;
}

std::vector<int64_t> SizeOfEachProgram(const SymbolPolicy& symbol, Mode mode) {
  const int64_t step = symbol.multiple_of;
  const SizeRange all = MultiplesIn({symbol.min, symbol.max}, step);
  if (mode == Mode::kSymbolic) return {all.high};
  std::vector<int64_t> sizes;
  if (mode == Mode::kExact || symbol.buckets.exact()) {
    const int64_t count = CountPrograms(symbol, mode);
    for (int64_t i = 0; i < count; ++i) sizes.push_back(all.low + i * step);
    return sizes;
  }
  for (size_t i = 0; i < symbol.buckets.bounds().size(); ++i) {
    const SizeRange range = MultiplesIn(symbol.buckets.RangeAt(i), step);
    if (range.low <= range.high) sizes.push_back(range.high);
  }
  return sizes;
}

int64_t CountWarmup(const FunctionPolicy& function, Mode mode, int64_t limit) {
  int64_t count = 0;
  ForEachProgram(function, mode,
                 [&](const WarmupSet&, const std::vector<int64_t>&) { return ++count < limit; });
  return count;
}

std::vector<std::map<std::string, int64_t>> WarmupSizes(const FunctionPolicy& function, Mode mode) {
  std::vector<std::map<std::string, int64_t>> programs;
  ForEachProgram(function, mode, [&](const WarmupSet& set, const std::vector<int64_t>& sizes) {
    std::map<std::string, int64_t>& program = programs.emplace_back();
    for (size_t i = 0; i < sizes.size(); ++i) program[set.axes[i].symbol] = sizes[i];
    return true;
  });
  return programs;
}

std::shared_ptr<const PolicySet> PolicySet::None() {
  static const auto none = std::make_shared<const PolicySet>(
      std::make_shared<const FunctionPolicy>(), Functions(), std::vector<std::string>());
  return none;
}

PolicySet::PolicySet(std::shared_ptr<const FunctionPolicy> defaults, Functions functions,
                     std::vector<std::string> warnings)
    : defaults_(std::move(defaults)),
      functions_(std::move(functions)),
      warnings_(std::move(warnings)) {
  std::stable_sort(functions_.begin(), functions_.end(), [](const auto& a, const auto& b) {
    return GlobRank(a->pattern) > GlobRank(b->pattern);
  });
  for (const auto& function : functions_) {
    if (!IsGlob(function->pattern)) exact_.emplace(function->pattern, function);
  }
}

std::shared_ptr<const FunctionPolicy> PolicySet::Find(std::string_view function) const {
  const auto at = exact_.find(function);
  if (at != exact_.end()) return at->second;
  for (const auto& candidate : functions_) {
    if (IsGlob(candidate->pattern) && GlobMatches(candidate->pattern, function)) return candidate;
  }
  return defaults_;
}

}  // namespace swage::policy
