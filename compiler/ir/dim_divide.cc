// Division of dims: floordiv, ceildiv and mod with their simplifications, and max and min.
// Every rewrite here is exact for all integers (given the bounds it checks), never "for sizes that
// people use".
#include <algorithm>
#include <numeric>
#include <utility>

#include "compiler/ir/dim.h"
#include "compiler/ir/dim_expr.h"

namespace swage::ir {
namespace {

constexpr size_t kMaxOperands = 32;  // of one max or min

bool AlwaysPositive(Dim dim) { return dim.lower_bound() > 0; }
bool NeverZero(Dim dim) { return dim.lower_bound() > 0 || dim.upper_bound() < 0; }

bool Within(const Poly& poly, int64_t lower, int64_t upper) {
  const Interval bounds = BoundsOfTerms(poly.terms());
  return bounds.lower >= lower && bounds.upper <= upper;
}

// gcd of `divisor` and every coefficient that is not the constant's.
int64_t CommonFactor(const Poly& poly, int64_t divisor) {
  int64_t factor = divisor;
  for (const DimTerm& term : poly.terms()) {
    if (term.coefficient == kUnboundedBelow) return 1;
    if (!term.monomial.empty()) factor = std::gcd(factor, term.coefficient);
  }
  return factor;
}

// poly = divisor * quotient + rest for a static divisor > 0. A constant rests in [0, divisor);
// other coefficients are cut towards zero, which keeps the bounds of floordiv(rest, divisor) tight.
struct Split {
  Poly quotient, rest;
};
std::optional<Split> SplitByConstant(const Poly& poly, int64_t divisor) {
  Split split;
  for (const DimTerm& term : poly.terms()) {
    const int64_t q = term.monomial.empty() ? *FloorDivInt(term.coefficient, divisor)
                                            : term.coefficient / divisor;
    if (!split.quotient.AddTerm({q, term.monomial}) ||
        !split.rest.AddTerm({term.coefficient - q * divisor, term.monomial})) {
      return std::nullopt;
    }
  }
  return split;
}

// The same for a divisor of one term with symbols: each term of `poly` goes whole to one side.
std::optional<Split> SplitByTerm(const Poly& poly, const DimTerm& divisor) {
  Split split;
  for (const DimTerm& term : poly.terms()) {
    const std::optional<Monomial> monomial = DivideMonomial(term.monomial, divisor.monomial);
    const std::optional<int64_t> q = FloorDivInt(term.coefficient, divisor.coefficient);
    const bool divides = monomial && q && ModInt(term.coefficient, divisor.coefficient) == 0;
    if (!(divides ? split.quotient.AddTerm({*q, *monomial}) : split.rest.AddTerm(term))) {
      return std::nullopt;
    }
  }
  return split;
}

// a / b when b divides a exactly as polynomials: long division by leading terms.
std::optional<Poly> DivideExactly(Poly a, const Poly& b) {
  Poly quotient;
  const DimTerm& lead = b.terms().front();
  for (int steps = 0; !a.empty(); ++steps) {
    const DimTerm& top = a.terms().front();
    const std::optional<Monomial> monomial = DivideMonomial(top.monomial, lead.monomial);
    const std::optional<int64_t> q = FloorDivInt(top.coefficient, lead.coefficient);
    if (!monomial || !q || *q == kUnboundedBelow || steps > 2 * kMaxDimTerms ||
        ModInt(top.coefficient, lead.coefficient) != 0) {
      return std::nullopt;
    }
    Poly term, product;
    if (!term.AddTerm({*q, *monomial}) || !quotient.Add(term, 1) || !product.Multiply(term, b) ||
        !a.Add(product, -1)) {
      return std::nullopt;
    }
  }
  return quotient;
}

// rest is 1 * floordiv(x, m) + k with static m > 0: then floordiv(rest, b) = floordiv(x + k*m,
// m*b).
std::optional<Dim> FlattenNested(const Poly& rest, int64_t divisor) {
  const DimTerm& top = rest.terms().front();
  const bool only = rest.terms().size() == (rest.constant() != 0 ? 2u : 1u);
  if (!only || top.coefficient != 1 || top.monomial.size() != 1) return std::nullopt;
  const DimNode& inner = *top.monomial[0];
  if (inner.kind != DimKind::kFloorDiv) return std::nullopt;
  const std::optional<int64_t> m = inner.args[1].static_value();
  if (!m || *m <= 0) return std::nullopt;
  const Dim numerator = inner.args[0] + Dim(rest.constant()) * Dim(*m);
  const Dim flat = Dim(*m) * Dim(divisor);
  if (numerator.is_poisoned() || flat.is_poisoned()) return std::nullopt;
  return FloorDiv(numerator, flat);
}

Dim FloorDivByConstant(const Poly& a, int64_t b) {
  const int64_t factor = CommonFactor(a, b);
  if (factor > 1) {
    // floor((g*x + c) / (g*m)) = floor((x + floor(c/g)) / m)
    Poly reduced;
    for (const DimTerm& term : a.terms()) {
      if (!reduced.AddTerm({*FloorDivInt(term.coefficient, factor), term.monomial})) {
        return Dim::Poisoned();
      }
    }
    return FloorDiv(reduced.ToDim(), Dim(b / factor));
  }
  std::optional<Split> split = SplitByConstant(a, b);
  if (!split) return Dim::Poisoned();
  const Dim quotient = split->quotient.ToDim();
  if (Within(split->rest, 0, b - 1)) return quotient;
  if (std::optional<Dim> flat = FlattenNested(split->rest, b)) return quotient + *flat;
  return quotient + InternAtom(DimKind::kFloorDiv, {split->rest.ToDim(), Dim(b)});
}

// Drops the integer factor and the positive atoms that every term of a and b shares.
void CancelCommon(Poly* a, Poly* b) {
  int64_t factor = 0;
  Monomial common = b->terms().front().monomial;
  for (const Poly* side : {a, b}) {
    for (const DimTerm& term : side->terms()) {
      if (term.coefficient == kUnboundedBelow) return;
      factor = std::gcd(factor, term.coefficient);
      Monomial shared;
      std::set_intersection(common.begin(), common.end(), term.monomial.begin(),
                            term.monomial.end(), std::back_inserter(shared), NodeBefore);
      common = shared;
    }
  }
  Monomial positive;
  for (const DimNode* atom : common) {
    if (atom->bounds.lower > 0) positive.push_back(atom);
  }
  if (factor <= 1 && positive.empty()) return;
  for (Poly* side : {a, b}) {
    Poly reduced;
    for (const DimTerm& term : side->terms()) {
      reduced.AddTerm({term.coefficient / factor, *DivideMonomial(term.monomial, positive)});
    }
    *side = std::move(reduced);
  }
}

Dim FloorDivBySymbolic(Poly a, Poly b) {
  if (std::optional<Poly> exact = DivideExactly(a, b)) return exact->ToDim();
  CancelCommon(&a, &b);
  const Dim divisor = b.ToDim();
  if (divisor.is_static()) return FloorDiv(a.ToDim(), divisor);
  Dim quotient = 0;
  if (b.terms().size() == 1) {
    std::optional<Split> split = SplitByTerm(a, b.terms()[0]);
    if (!split) return Dim::Poisoned();
    quotient = split->quotient.ToDim();
    a = std::move(split->rest);
  }
  if (AlwaysPositive(divisor) && Within(a, 0, divisor.lower_bound() - 1)) return quotient;
  return quotient + InternAtom(DimKind::kFloorDiv, {a.ToDim(), divisor});
}

// mod(c * mod(x, k*b) + ..., b) = mod(c * x + ..., b), and every coefficient is taken modulo b.
std::optional<Poly> ReduceModulo(const Poly& a, int64_t b) {
  Poly reduced;
  for (const DimTerm& term : a.terms()) {
    const int64_t coefficient = *ModInt(term.coefficient, b);
    const DimNode* atom = term.monomial.size() == 1 ? term.monomial[0] : nullptr;
    if (atom != nullptr && atom->kind == DimKind::kMod) {
      const std::optional<int64_t> inner = atom->args[1].static_value();
      if (inner && *inner > 0 && *inner % b == 0) {
        Poly plain(atom->args[0]);
        std::optional<Poly> simpler = ReduceModulo(plain, b);
        if (!simpler || !reduced.Add(*simpler, coefficient)) return std::nullopt;
        continue;
      }
    }
    if (!reduced.AddTerm({coefficient, term.monomial})) return std::nullopt;
  }
  Poly result;  // sums of the above may have passed b again
  for (const DimTerm& term : reduced.terms()) {
    if (!result.AddTerm({*ModInt(term.coefficient, b), term.monomial})) return std::nullopt;
  }
  return result;
}

Dim ModByConstant(const Poly& a, int64_t b) {
  if (Within(a, 0, b - 1)) return a.ToDim();
  std::optional<Poly> rest = ReduceModulo(a, b);
  if (!rest) return Dim::Poisoned();
  if (Within(*rest, 0, b - 1)) return rest->ToDim();
  const int64_t factor = CommonFactor(*rest, b);
  if (factor > 1) {
    // (g*x + c) mod (g*m) = g * ((x + floor(c/g)) mod m) + c mod g
    Poly reduced;
    for (const DimTerm& term : rest->terms()) {
      if (!reduced.AddTerm({term.coefficient / factor, term.monomial})) return Dim::Poisoned();
    }
    return Dim(factor) * Mod(reduced.ToDim(), Dim(b / factor)) + Dim(rest->constant() % factor);
  }
  return InternAtom(DimKind::kMod, {rest->ToDim(), Dim(b)});
}

Dim ModBySymbolic(Poly a, const Poly& b, Dim divisor) {
  if (DivideExactly(a, b)) return 0;
  if (b.terms().size() == 1) {
    std::optional<Split> split = SplitByTerm(a, b.terms()[0]);
    if (!split) return Dim::Poisoned();
    a = std::move(split->rest);
  }
  if (AlwaysPositive(divisor) && Within(a, 0, divisor.lower_bound() - 1)) return a.ToDim();
  return InternAtom(DimKind::kMod, {a.ToDim(), divisor});
}

Dim Extreme(DimKind kind, Dim a, Dim b) {
  if (a.is_poisoned() || b.is_poisoned()) return Dim::Poisoned();
  std::vector<Dim> flat;
  for (Dim dim : {a, b}) {
    if (!dim.is_static() && dim.node()->kind == kind) {
      flat.insert(flat.end(), dim.node()->args.begin(), dim.node()->args.end());
    } else {
      flat.push_back(dim);
    }
  }
  std::vector<Dim> kept;  // those that no other is known to cover
  const auto covers = [kind](Dim x, Dim y) {
    return (kind == DimKind::kMax ? ProveLessEqual(y, x) : ProveLessEqual(x, y)) == Ternary::kYes;
  };
  for (Dim dim : flat) {
    if (std::any_of(kept.begin(), kept.end(), [&](Dim k) { return covers(k, dim); })) continue;
    std::erase_if(kept, [&](Dim k) { return covers(dim, k); });
    kept.push_back(dim);
  }
  if (kept.size() == 1) return kept[0];
  if (kept.size() > kMaxOperands) return Dim::Poisoned();
  std::sort(kept.begin(), kept.end(), [](Dim x, Dim y) {  // at most one is static: it goes last
    if (x.is_static() || y.is_static()) return !x.is_static();
    return NodeBefore(x.node(), y.node());
  });
  return InternAtom(kind, std::move(kept));
}

}  // namespace

Dim FloorDiv(Dim a, Dim b) {
  if (a.is_poisoned() || b.is_poisoned() || b == Dim(0)) return Dim::Poisoned();
  const std::optional<int64_t> divisor = b.static_value();
  if (const std::optional<int64_t> value = a.static_value(); value && divisor) {
    const std::optional<int64_t> quotient = FloorDivInt(*value, *divisor);
    return quotient ? Dim(*quotient) : Dim::Poisoned();
  }
  if (divisor) {
    if (*divisor == 1) return a;
    return *divisor < 0 ? FloorDiv(Dim(0) - a, Dim(0) - b) : FloorDivByConstant(Poly(a), *divisor);
  }
  if (!NeverZero(b)) return InternAtom(DimKind::kFloorDiv, {a, b});
  return FloorDivBySymbolic(Poly(a), Poly(b));
}

std::optional<Dim> ExactQuotient(Dim a, Dim b) {
  if (a.is_poisoned() || b.is_poisoned() || b == Dim(0)) return std::nullopt;
  const std::optional<Poly> quotient = DivideExactly(Poly(a), Poly(b));
  if (!quotient.has_value()) return std::nullopt;
  const Dim dim = quotient->ToDim();
  return dim.is_poisoned() ? std::nullopt : std::optional<Dim>(dim);
}

Dim CeilDiv(Dim a, Dim b) {
  if (AlwaysPositive(b) && !(a.is_static() && b.is_static())) return FloorDiv(a + b - Dim(1), b);
  if (a.is_static() && b.is_static() && !(b == Dim(0))) {
    const std::optional<int64_t> quotient = FloorDivInt(*a.static_value(), *b.static_value());
    if (!quotient) return Dim::Poisoned();
    return *quotient * *b.static_value() == *a.static_value() ? Dim(*quotient) : Dim(*quotient + 1);
  }
  return Dim(0) - FloorDiv(Dim(0) - a, b);
}

Dim Mod(Dim a, Dim b) {
  if (a.is_poisoned() || b.is_poisoned() || b == Dim(0)) return Dim::Poisoned();
  const std::optional<int64_t> divisor = b.static_value();
  if (const std::optional<int64_t> value = a.static_value(); value && divisor) {
    return Dim(*ModInt(*value, *divisor));
  }
  if (divisor) {
    if (*divisor == 1) return Dim(0);
    return *divisor < 0 ? Dim(0) - Mod(Dim(0) - a, Dim(0) - b) : ModByConstant(Poly(a), *divisor);
  }
  if (!NeverZero(b)) return InternAtom(DimKind::kMod, {a, b});
  return ModBySymbolic(Poly(a), Poly(b), b);
}

Dim Max(Dim a, Dim b) {
  if (a.is_static() && b.is_static()) return std::max(*a.static_value(), *b.static_value());
  return Extreme(DimKind::kMax, a, b);
}

Dim Min(Dim a, Dim b) {
  if (a.is_static() && b.is_static()) return std::min(*a.static_value(), *b.static_value());
  return Extreme(DimKind::kMin, a, b);
}

}  // namespace swage::ir
