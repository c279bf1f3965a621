#include "compiler/learn/candidates.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "compiler/ir/dim_expr.h"

namespace swage::learn {
namespace {

using ir::Dim;

constexpr int64_t kPairSlope = 4;  // of expressions of two sizes
constexpr size_t kMaxRoots = 12;   // more are looked at one by one only
constexpr int64_t kMaxDivisor = 128;
// An answer with as many fitted numbers as there are lowerings was never checked; it may be this
// long at most: 4*n+3.
constexpr double kMaxUncheckedCost = 6.5;
// Another candidate is nearly as short when it is at most this many times as long.
constexpr double kClear = 2;

double CostOfNumber(int64_t value) {
  return (value < 0 ? 0.5 : 0.0) + 1 + std::log2(std::abs(static_cast<double>(value)));
}

double CostOfAtom(const ir::DimNode& node) {
  if (node.kind == ir::DimKind::kSymbol) return 1;
  double cost = 1;
  for (const Dim arg : node.args) {
    cost += arg.is_static() ? CostOfNumber(*arg.static_value()) - 1 : CostOf(arg);
  }
  return cost;
}

// Collects what fits.
class Search {
 public:
  Search(const Values& values, absl::Span<const Root> roots) : values_(values), roots_(roots) {}

  std::vector<Candidate> Run(absl::Span<const Root> known) {
    for (const Root& root : known) {
      if (root.values == values_) Found(root.dim, 0);
    }
    for (const Root& root : roots_) {
      Affine(root.dim, root.values);
      Divided(root);
    }
    const size_t count = std::min(roots_.size(), kMaxRoots);
    for (size_t i = 0; i < count; ++i) {
      for (size_t j = i; j < count; ++j) Pair(i, j);
    }
    for (size_t i = 0; i < count; ++i) {
      for (size_t j = i; j < count; ++j) {
        for (size_t k = j; k < count; ++k) Triple(i, j, k);
      }
    }
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
    return std::move(found_);
  }

 private:
  void Found(Dim dim, int parameters) {
    if (dim.is_poisoned() || dim.is_static()) return;
    for (Candidate& candidate : found_) {
      if (candidate.dim != dim) continue;
      candidate.parameters = std::min(candidate.parameters, parameters);
      return;
    }
    found_.push_back({dim, CostOf(dim), parameters});
  }

  // a * x + b for the values of x; nullopt where they overflow.
  static std::optional<int64_t> At(int64_t a, int64_t x, int64_t b) {
    int64_t value;
    if (__builtin_mul_overflow(a, x, &value) || __builtin_add_overflow(value, b, &value)) {
      return std::nullopt;
    }
    return value;
  }

  void Affine(Dim x, const Values& xs) {
    size_t other = 1;
    while (other < xs.size() && xs[other] == xs[0]) ++other;
    if (other == xs.size()) return;
    int64_t dx, dv;
    if (__builtin_sub_overflow(xs[other], xs[0], &dx) ||
        __builtin_sub_overflow(values_[other], values_[0], &dv) ||
        dv == std::numeric_limits<int64_t>::min() || dv % dx != 0) {
      return;
    }
    const int64_t a = dv / dx;
    if (a == 0) return;
    int64_t b;
    if (__builtin_mul_overflow(a, xs[0], &b) || __builtin_sub_overflow(values_[0], b, &b)) return;
    for (size_t i = 0; i < xs.size(); ++i) {
      if (At(a, xs[i], b) != values_[i]) return;
    }
    Found(Dim(a) * x + b, (a != 1) + (b != 0));
  }

  // floordiv(x+b,r), with b only where there are lowerings enough to check it.
  void Divided(const Root& x) {
    for (int64_t r = 2; r <= kMaxDivisor; ++r) {
      const int64_t far = values_.size() > 2 ? kMaxDivisor : 0;
      for (int64_t b = -far; b <= std::max(far, r - 1); ++b) {
        if (far == 0 && b != 0 && b != r - 1) continue;
        bool fits = true;
        for (size_t i = 0; i < values_.size() && fits; ++i) {
          int64_t shifted;
          fits = !__builtin_add_overflow(x.values[i], b, &shifted) &&
                 ir::FloorDivInt(shifted, r) == values_[i];
        }
        if (fits) Found(ir::FloorDiv(x.dim + b, r), 1 + (b != 0 && b != r - 1));
      }
    }
  }

  // a*x+b*y+c and a*x*y+b.
  void Pair(size_t i, size_t j) {
    const Root &x = roots_[i], &y = roots_[j];
    Values product(values_.size());
    bool valid = true;
    for (size_t k = 0; k < values_.size(); ++k) {
      valid = valid && !__builtin_mul_overflow(x.values[k], y.values[k], &product[k]);
    }
    if (valid) Affine(x.dim * y.dim, product);
    if (i == j) return;
    for (int64_t a = -kPairSlope; a <= kPairSlope; ++a) {
      for (int64_t b = -kPairSlope; b <= kPairSlope; ++b) {
        if (a != 0 && b != 0) Sum({{a, &x}, {b, &y}});
      }
    }
  }

  // x+y+z+c, and a*x*y*z.
  void Triple(size_t i, size_t j, size_t k) {
    const Root &x = roots_[i], &y = roots_[j], &z = roots_[k];
    Values product(values_.size());
    bool valid = true;
    for (size_t l = 0; l < values_.size(); ++l) {
      valid = valid && !__builtin_mul_overflow(x.values[l], y.values[l], &product[l]) &&
              !__builtin_mul_overflow(product[l], z.values[l], &product[l]);
    }
    if (valid && product[0] != 0 && values_[0] % product[0] == 0) {
      const int64_t a = values_[0] / product[0];
      for (size_t l = 0; l < values_.size(); ++l) {
        valid = valid && At(a, product[l], 0) == values_[l];
      }
      if (valid) Found(Dim(a) * x.dim * y.dim * z.dim, a != 1);
    }
    if (i != j && j != k) Sum({{1, &x}, {1, &y}, {1, &z}});
  }

  // A sum of sizes and one number.
  void Sum(std::initializer_list<std::pair<int64_t, const Root*>> terms) {
    std::optional<int64_t> offset;
    for (size_t k = 0; k < values_.size(); ++k) {
      int64_t sum = 0, rest;
      for (const auto& [factor, root] : terms) {
        const std::optional<int64_t> next = At(factor, root->values[k], sum);
        if (!next) return;
        sum = *next;
      }
      if (__builtin_sub_overflow(values_[k], sum, &rest)) return;
      if (offset.value_or(rest) != rest) return;
      offset = rest;
    }
    Dim dim = *offset;
    int parameters = *offset != 0;
    for (const auto& [factor, root] : terms) {
      dim += Dim(factor) * root->dim;
      parameters += factor != 1;
    }
    Found(dim, parameters);
  }

  const Values& values_;
  const absl::Span<const Root> roots_;
  std::vector<Candidate> found_;
};

}  // namespace

std::string ListText(absl::Span<const std::string> items) {
  std::string text;
  for (size_t i = 0; i < items.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : i + 1 == items.size() ? " and " : ", ", items[i]);
  }
  return text;
}

std::string ValuesText(const Values& values) {
  std::vector<std::string> texts;
  for (const int64_t value : values) texts.push_back(absl::StrCat(value));
  return ListText(texts);
}

bool IsConstant(const Values& values) {
  return std::all_of(values.begin(), values.end(), [&](int64_t v) { return v == values[0]; });
}

double CostOf(Dim dim) {
  if (const std::optional<int64_t> value = dim.static_value()) {
    return *value == 0 ? 0 : CostOfNumber(*value);
  }
  const ir::DimNode& node = *dim.node();
  if (node.kind != ir::DimKind::kPoly) return CostOfAtom(node);
  double cost = 0;
  for (const ir::DimTerm& term : node.terms) {
    if (term.monomial.empty()) {
      cost += CostOfNumber(term.coefficient);
      continue;
    }
    if (term.coefficient != 1) cost += CostOfNumber(term.coefficient) - 0.5;
    for (const ir::DimNode* atom : term.monomial) cost += CostOfAtom(*atom);
  }
  return cost;
}

std::vector<Candidate> FindCandidates(const Values& values, absl::Span<const Root> roots,
                                      absl::Span<const Root> known) {
  return Search(values, roots).Run(known);
}

Choice Choose(absl::Span<const Candidate> candidates, size_t lowerings) {
  Choice choice;
  if (candidates.empty()) {
    choice.why = "no simple expression fits";
    return choice;
  }
  const Candidate& best = candidates[0];
  if (candidates.size() > 1 && candidates[1].cost <= kClear * best.cost) {
    choice.why = absl::StrCat(best.dim.ToString(), " and ", candidates[1].dim.ToString(),
                              " both fit; add a lowering at other sizes");
    return choice;
  }
  const int count = static_cast<int>(lowerings);
  if (best.parameters > count || (best.parameters == count && best.cost > kMaxUncheckedCost)) {
    choice.why = absl::StrCat("only ", best.dim.ToString(),
                              " fits, which nothing confirms; add a lowering at other sizes");
    return choice;
  }
  choice.dim = best.dim;
  choice.cost = best.cost;
  return choice;
}

}  // namespace swage::learn
