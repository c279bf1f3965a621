#include "compiler/ir/decision_extent.h"

#include <algorithm>
#include <cmath>

namespace swage::ir {
namespace {

constexpr int64_t kWithoutBound = 1024;

thread_local const std::vector<SizeHint>* innermost = nullptr;

int64_t DecisionSize(const Symbol& symbol) {
  if (innermost != nullptr) {
    for (const SizeHint& hint : *innermost) {
      if (hint.symbol == symbol.name) return std::clamp(hint.size, symbol.min, symbol.max);
    }
  }
  if (symbol.max == kUnbounded) return std::max(kWithoutBound, symbol.min);
  const double low = static_cast<double>(std::max<int64_t>(1, symbol.min));
  const double mean = std::sqrt(low * static_cast<double>(symbol.max));
  return std::clamp(static_cast<int64_t>(std::llround(mean)), symbol.min, symbol.max);
}

}  // namespace

int64_t DecisionExtent(Dim dim) {
  if (dim.is_static()) return *dim.static_value();
  if (dim.symbol() != nullptr) return DecisionSize(*dim.symbol());
  std::vector<const Symbol*> symbols;
  dim.CollectSymbols(&symbols);
  SymbolBinding sizes;
  for (const Symbol* symbol : symbols) sizes.Bind(symbol, DecisionSize(*symbol)).IgnoreError();
  const StatusOr<int64_t> value = dim.Evaluate(sizes);
  // A difference may be negative in the middle of the ranges, where it never is for real sizes.
  if (value.ok()) return std::max({*value, dim.lower_bound(), int64_t{0}});
  const int64_t bound = dim.upper_bound();
  return bound == kUnbounded ? kWithoutBound : bound;
}

SizeHints::SizeHints(std::vector<SizeHint> hints) : hints_(std::move(hints)), outer_(innermost) {
  innermost = &hints_;
}

SizeHints::~SizeHints() { innermost = outer_; }

}  // namespace swage::ir
