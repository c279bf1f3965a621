// Proofs of inequalities that the bounds of single terms do not give: floordiv(seq,2) <= seq,
// min(seq,8) <= seq, seq <= max(seq,n).
#include "compiler/ir/dim_expr.h"

namespace swage::ir {
namespace {

// Each step removes one floordiv, max or min; more of them in one question are not expected.
constexpr int kSteps = 3;

bool NonPositive(const Poly& poly, int steps);

// poly - term.
bool Without(const Poly& poly, const DimTerm& term, Poly* rest) {
  *rest = poly;
  DimTerm negated = term;
  return !__builtin_mul_overflow(term.coefficient, -1, &negated.coefficient) &&
         rest->AddTerm(negated);
}

// floordiv(e, k) lies in [(e - k + 1) / k, e / k]: take the end that makes the sum larger, times k.
// A multiple of k that is at most k - 1 is at most 0.
bool ByFloorDiv(const Poly& rest, int64_t c, const DimNode& atom, int steps) {
  const std::optional<int64_t> k = atom.args[1].static_value();
  if (!k || *k <= 0) return false;
  Poly scaled;
  const Dim end = c > 0 ? atom.args[0] : atom.args[0] - (*k - 1);
  return !end.is_poisoned() && scaled.Add(rest, *k) && scaled.Add(Poly(end), c) &&
         scaled.Add(Poly(Dim(*k - 1)), -1) && NonPositive(scaled, steps);
}

// max is at least each argument and equal to one of them; min the other way around.
bool ByArguments(const Poly& rest, int64_t c, const DimNode& atom, int steps) {
  const bool all = (c > 0) == (atom.kind == DimKind::kMax);
  for (const Dim arg : atom.args) {
    Poly sum = rest;
    const bool holds = sum.Add(Poly(arg), c) && NonPositive(sum, steps);
    if (holds != all) return holds;
  }
  return all;
}

bool NonPositive(const Poly& poly, int steps) {
  if (BoundsOfTerms(poly.terms()).upper <= 0) return true;
  if (steps == 0) return false;
  for (const DimTerm& term : poly.terms()) {
    if (term.monomial.size() != 1) continue;
    const DimNode& atom = *term.monomial[0];
    Poly rest;
    if (!Without(poly, term, &rest)) continue;
    switch (atom.kind) {
      case DimKind::kFloorDiv:
        if (ByFloorDiv(rest, term.coefficient, atom, steps - 1)) return true;
        break;
      case DimKind::kMax:
      case DimKind::kMin:
        if (ByArguments(rest, term.coefficient, atom, steps - 1)) return true;
        break;
      default:
        break;
    }
  }
  return false;
}

}  // namespace

bool ProveAtMost(Dim a, Dim b, int64_t difference) {
  if (a.is_poisoned() || b.is_poisoned()) return false;
  Poly poly(a);
  return poly.Add(Poly(b), -1) && poly.Add(Poly(Dim(difference)), -1) && NonPositive(poly, kSteps);
}

}  // namespace swage::ir
