// File: codegen/emit/index_map.cc
#include "codegen/emit/index_map.h"

#include <algorithm>
#include <utility>

#include "absl/hash/hash.h"

namespace swage::emit {

using ir::Dim;
using ir::Ternary;

AxisSet Union(const AxisSet& a, const AxisSet& b) {
  AxisSet out;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

std::optional<Dim> ExactDiv(Dim a, Dim b) {
  if (b == Dim(1)) return a;
  if (a == b) return Dim(1);
  if (a == Dim(0)) return Dim(0);
  if (b == Dim(0) || a.is_poisoned() || b.is_poisoned()) return std::nullopt;
  if (a.is_static() && b.is_static()) {
    if (*a.static_value() % *b.static_value() != 0) return std::nullopt;
    return Dim(*a.static_value() / *b.static_value());
  }
  if (a.is_static()) return std::nullopt;
  Dim quotient = ir::FloorDiv(a, b);
  if (quotient.is_poisoned() || !(quotient * b == a)) return std::nullopt;
  return quotient;
}

namespace {

bool Nonnegative(Dim d) { return d.lower_bound() >= 0; }
bool Nonpositive(Dim d) { return d.upper_bound() <= 0; }

bool KnownInside(const std::optional<Dim>& low, const std::optional<Dim>& high, Dim end) {
  return low.has_value() && high.has_value() && Nonnegative(*low) &&
         ir::ProveLess(*high, end) == Ternary::kYes;
}

bool SameAtom(const Atom& a, const Atom& b) {
  return a.kind == b.kind && a.axis == b.axis && a.arg == b.arg && a.dim == b.dim &&
         a.value == b.value && a.index == b.index && a.guard == b.guard;
}

}  // namespace

IndexArena::IndexArena() {
  guards_.push_back({});  // kAlways
  InternRaw(Expr{{}, Dim(-1), {}});
  guards_.push_back({{0}, {}});  // kNever: -1 >= 0
  guard_table_[guards_[kAlways].exprs] = kAlways;
  guard_table_[guards_[kNever].exprs] = kNever;
}

AxisId IndexArena::AddAxis(Dim extent) {
  extents_.push_back(extent);
  return static_cast<AxisId>(extents_.size()) - 1;
}

void IndexArena::Sum::Add(AtomId atom, Dim coefficient) {
  for (Term& term : terms) {
    if (term.atom == atom) {
      term.coefficient += coefficient;
      return;
    }
  }
  terms.push_back({atom, coefficient});
}

void IndexArena::Sum::Add(const Expr& e, Dim factor) {
  for (const Term& term : e.terms) Add(term.atom, term.coefficient * factor);
  constant += e.constant * factor;
}

ExprId IndexArena::InternRaw(Expr expr) {
  size_t hash = absl::HashOf(expr.constant);
  for (const Term& term : expr.terms) hash = absl::HashOf(hash, term.atom, term.coefficient);
  std::vector<ExprId>& bucket = expr_table_[hash];
  for (ExprId id : bucket) {
    const Expr& other = exprs_[id];
    if (other.constant == expr.constant &&
        std::equal(other.terms.begin(), other.terms.end(), expr.terms.begin(), expr.terms.end(),
                   [](const Term& a, const Term& b) {
                     return a.atom == b.atom && a.coefficient == b.coefficient;
                   })) {
      return id;
    }
  }
  ExprId id = static_cast<ExprId>(exprs_.size());
  for (const Term& term : expr.terms) expr.axes = Union(expr.axes, atoms_[term.atom].axes);
  exprs_.push_back(std::move(expr));
  bucket.push_back(id);
  return id;
}

bool IndexArena::JoinQuotient(Sum* sum) {
  for (size_t i = 0; i < sum->terms.size(); ++i) {
    const Term remainder = sum->terms[i];
    if (remainder.coefficient == Dim(0)) continue;
    const Atom mod = atoms_[remainder.atom];
    if (mod.kind != AtomKind::kMod) continue;
    const Expr quotient = exprs_[FloorDiv(mod.arg, mod.dim)];
    if (quotient.terms.size() != 1 || !(quotient.terms[0].coefficient == Dim(1)) ||
        !(quotient.constant == Dim(0))) {
      continue;
    }
    for (Term& term : sum->terms) {
      if (term.atom != quotient.terms[0].atom) continue;
      if (!(term.coefficient == remainder.coefficient * mod.dim)) break;
      term.coefficient = Dim(0);
      sum->terms[i].coefficient = Dim(0);
      const Expr whole = exprs_[mod.arg];
      sum->Add(whole, remainder.coefficient);
      return true;
    }
  }
  return false;
}

ExprId IndexArena::Intern(Sum sum) {
  while (JoinQuotient(&sum)) {
  }
  Expr expr;
  expr.constant = sum.constant;
  for (const Term& term : sum.terms) {
    if (!(term.coefficient == Dim(0))) expr.terms.push_back(term);
  }
  std::sort(expr.terms.begin(), expr.terms.end(),
            [](const Term& a, const Term& b) { return a.atom < b.atom; });
  return InternRaw(std::move(expr));
}

AtomId IndexArena::InternAtom(Atom atom) {
  size_t hash = absl::HashOf(static_cast<int>(atom.kind), atom.axis, atom.arg, atom.dim, atom.value,
                             atom.index, atom.guard);
  std::vector<AtomId>& bucket = atom_table_[hash];
  for (AtomId id : bucket) {
    if (SameAtom(atoms_[id], atom)) return id;
  }
  AtomId id = static_cast<AtomId>(atoms_.size());
  atoms_.push_back(std::move(atom));
  bucket.push_back(id);
  return id;
}

ExprId IndexArena::OfAtom(AtomId atom) {
  Expr expr;
  expr.terms.push_back({atom, Dim(1)});
  expr.constant = Dim(0);
  return InternRaw(std::move(expr));
}

ExprId IndexArena::Constant(Dim value) { return InternRaw(Expr{{}, value, {}}); }

ExprId IndexArena::Axis(AxisId axis) {
  if (extents_[axis] == Dim(1)) return Constant(Dim(0));
  Atom atom;
  atom.kind = AtomKind::kAxis;
  atom.axis = axis;
  atom.axes = {axis};
  return OfAtom(InternAtom(std::move(atom)));
}

ExprId IndexArena::Add(ExprId a, ExprId b) {
  Sum sum;
  sum.Add(exprs_[a], Dim(1));
  sum.Add(exprs_[b], Dim(1));
  return Intern(std::move(sum));
}

ExprId IndexArena::Sub(ExprId a, ExprId b) {
  Sum sum;
  sum.Add(exprs_[a], Dim(1));
  sum.Add(exprs_[b], Dim(-1));
  return Intern(std::move(sum));
}

ExprId IndexArena::Scale(ExprId a, Dim factor) {
  Sum sum;
  sum.Add(exprs_[a], factor);
  return Intern(std::move(sum));
}

ExprId IndexArena::Without(ExprId a, absl::Span<const AtomId> atoms) {
  Expr rest;
  rest.constant = exprs_[a].constant;
  for (const Term& term : exprs_[a].terms) {
    if (std::find(atoms.begin(), atoms.end(), term.atom) == atoms.end()) rest.terms.push_back(term);
  }
  return InternRaw(std::move(rest));
}

bool IndexArena::SplitByFactor(ExprId e, Dim factor, Sum* quotient, Sum* rest) {
  for (const Term& term : exprs_[e].terms) {
    if (std::optional<Dim> q = ExactDiv(term.coefficient, factor)) {
      quotient->Add(term.atom, *q);
    } else {
      rest->Add(term.atom, term.coefficient);
    }
  }
  const Dim constant = exprs_[e].constant;
  if (std::optional<Dim> q = ExactDiv(constant, factor)) {
    quotient->constant += *q;
  } else if (constant.is_static() && factor.is_static() && factor != Dim(0)) {
    const int64_t c = *constant.static_value();
    const int64_t f = *factor.static_value();
    const int64_t r = ((c % f) + f) % f;
    quotient->constant += Dim((c - r) / f);
    rest->constant += Dim(r);
  } else {
    rest->constant += constant;
  }
  const ExprId r = Intern(*rest);
  return KnownInside(Lower(r), Upper(r), factor);
}

ExprId IndexArena::FloorDiv(ExprId a, Dim divisor) {
  if (divisor == Dim(1)) return a;
  {
    Sum quotient, rest;
    if (SplitByFactor(a, divisor, &quotient, &rest)) return Intern(std::move(quotient));
  }
  const Expr e = exprs_[a];
  if (e.terms.size() == 1 && e.terms[0].coefficient == Dim(1) && e.constant == Dim(0)) {
    const Atom inner = atoms_[e.terms[0].atom];
    if (inner.kind == AtomKind::kFloorDiv) return FloorDiv(inner.arg, inner.dim * divisor);
  }
  // floor((f*q + r) / (f*d)) = floor(q / d) for 0 <= r < f.
  for (const Term& term : e.terms) {
    if (term.coefficient == Dim(1) || term.coefficient == divisor) continue;
    std::optional<Dim> smaller = ExactDiv(divisor, term.coefficient);
    if (!smaller || !Nonnegative(term.coefficient)) continue;
    Sum quotient, rest;
    if (SplitByFactor(a, term.coefficient, &quotient, &rest)) {
      return FloorDiv(Intern(std::move(quotient)), *smaller);
    }
  }
  Atom atom;
  atom.kind = AtomKind::kFloorDiv;
  atom.arg = a;
  atom.dim = divisor;
  atom.axes = e.axes;
  return OfAtom(InternAtom(std::move(atom)));
}

ExprId IndexArena::Mod(ExprId a, Dim divisor) {
  if (divisor == Dim(1)) return Constant(Dim(0));
  {
    Sum quotient, rest;
    if (SplitByFactor(a, divisor, &quotient, &rest)) return Intern(std::move(rest));
  }
  const Expr e = exprs_[a];
  for (const Term& term : e.terms) {
    if (term.coefficient == Dim(1) || term.coefficient == divisor) continue;
    std::optional<Dim> smaller = ExactDiv(divisor, term.coefficient);
    if (!smaller || !Nonnegative(term.coefficient)) continue;
    Sum quotient, rest;
    if (SplitByFactor(a, term.coefficient, &quotient, &rest)) {
      ExprId high = Mod(Intern(std::move(quotient)), *smaller);
      return Add(Scale(high, term.coefficient), Intern(std::move(rest)));
    }
  }
  Atom atom;
  atom.kind = AtomKind::kMod;
  atom.arg = a;
  atom.dim = divisor;
  atom.axes = e.axes;
  return OfAtom(InternAtom(std::move(atom)));
}

ExprId IndexArena::Clamp(ExprId a, Dim high) {
  if (high == Dim(0)) return Constant(Dim(0));
  if (KnownInside(Lower(a), Upper(a), high + Dim(1))) return a;
  Atom atom;
  atom.kind = AtomKind::kClamp;
  atom.arg = a;
  atom.dim = high;
  atom.axes = exprs_[a].axes;
  return OfAtom(InternAtom(std::move(atom)));
}

ExprId IndexArena::Load(const ir::Instruction* value, IndexId index, GuardId guard) {
  Atom atom;
  atom.kind = AtomKind::kLoad;
  atom.value = value;
  atom.index = index;
  atom.guard = guard;
  atom.axes = Union(indices_[index].axes, guards_[guard].axes);
  return OfAtom(InternAtom(std::move(atom)));
}

IndexId IndexArena::InternList(std::vector<ExprId> exprs, std::vector<List>* lists,
                               absl::flat_hash_map<std::vector<ExprId>, int32_t>* table) {
  auto [it, added] = table->try_emplace(exprs, static_cast<int32_t>(lists->size()));
  if (added) {
    List list;
    for (ExprId e : exprs) list.axes = Union(list.axes, exprs_[e].axes);
    list.exprs = std::move(exprs);
    lists->push_back(std::move(list));
  }
  return it->second;
}

IndexId IndexArena::Index(absl::Span<const ExprId> exprs) {
  return InternList({exprs.begin(), exprs.end()}, &indices_, &index_table_);
}

GuardId IndexArena::Require(GuardId base, ExprId a) {
  if (base == kNever) return kNever;
  if (std::optional<Dim> low = Lower(a); low && Nonnegative(*low)) return base;
  if (std::optional<Dim> high = Upper(a); high && high->upper_bound() < 0) return kNever;
  std::vector<ExprId> conditions = guards_[base].exprs;
  auto at = std::lower_bound(conditions.begin(), conditions.end(), a);
  if (at != conditions.end() && *at == a) return base;
  conditions.insert(at, a);
  return InternList(std::move(conditions), &guards_, &guard_table_);
}

GuardId IndexArena::RequireInside(GuardId base, ExprId a, Dim extent) {
  return Require(Require(base, a), Sub(Constant(extent - Dim(1)), a));
}

std::optional<Dim> IndexArena::ConstantValue(ExprId id) const {
  if (!exprs_[id].terms.empty()) return std::nullopt;
  return exprs_[id].constant;
}

std::optional<Dim> IndexArena::AtomBound(AtomId id, bool upper) const {
  const Atom& atom = atoms_[id];
  switch (atom.kind) {
    case AtomKind::kAxis:
      return upper ? extents_[atom.axis] - Dim(1) : Dim(0);
    case AtomKind::kFloorDiv: {
      std::optional<Dim> arg = Bound(atom.arg, upper);
      if (!arg || (!upper && !Nonnegative(*arg))) return std::nullopt;
      if (!upper) return Dim(0);
      if (!Nonnegative(atom.dim)) return std::nullopt;
      Dim quotient = ir::FloorDiv(*arg, atom.dim);
      if (quotient.is_poisoned()) return std::nullopt;
      return quotient;
    }
    case AtomKind::kMod:
      return upper ? atom.dim - Dim(1) : Dim(0);
    case AtomKind::kClamp:
      return upper ? atom.dim : Dim(0);
    case AtomKind::kLoad:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Dim> IndexArena::Bound(ExprId id, bool upper) const {
  const Expr& e = exprs_[id];
  Dim bound = e.constant;
  for (const Term& term : e.terms) {
    bool at_upper;
    if (Nonnegative(term.coefficient)) {
      at_upper = upper;
    } else if (Nonpositive(term.coefficient)) {
      at_upper = !upper;
    } else {
      return std::nullopt;
    }
    std::optional<Dim> atom = AtomBound(term.atom, at_upper);
    if (!atom) return std::nullopt;
    bound += term.coefficient * *atom;
  }
  if (bound.is_poisoned()) return std::nullopt;
  return bound;
}

LaneStride IndexArena::StrideOf(ExprId id, AxisId lane_axis) const {
  const Expr& e = exprs_[id];
  LaneStride result;
  if (!std::binary_search(e.axes.begin(), e.axes.end(), lane_axis)) return result;
  for (const Term& term : e.terms) {
    const Atom& atom = atoms_[term.atom];
    if (!std::binary_search(atom.axes.begin(), atom.axes.end(), lane_axis)) continue;
    if (atom.kind != AtomKind::kAxis) {
      result.kind = LaneStride::kGeneral;
      return result;
    }
    result.kind = LaneStride::kLinear;
    result.stride = term.coefficient;
  }
  return result;
}

ExprId IndexArena::Linearise(absl::Span<const Dim> dims, IndexId index) {
  const std::vector<ExprId> exprs = indices_[index].exprs;
  Sum sum;
  Dim stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    sum.Add(exprs_[exprs[i]], stride);
    stride *= dims[i];
  }
  return Intern(std::move(sum));
}

IndexId IndexArena::Delinearise(absl::Span<const Dim> dims, ExprId offset) {
  std::vector<ExprId> exprs(dims.size());
  // Dims of extent 1 take no part; the outermost other one needs no remainder.
  size_t outermost = 0;
  while (outermost < dims.size() && dims[outermost] == Dim(1)) ++outermost;
  Dim stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    if (dims[i] == Dim(1)) {
      exprs[i] = Constant(Dim(0));
      continue;
    }
    ExprId quotient = FloorDiv(offset, stride);
    exprs[i] = i == outermost ? quotient : Mod(quotient, dims[i]);
    stride *= dims[i];
  }
  return Index(exprs);
}

std::string IndexArena::ToString(ExprId id) const {
  const Expr& e = exprs_[id];
  std::string out = e.constant.ToString();
  for (const Term& term : e.terms) {
    const Atom& atom = atoms_[term.atom];
    absl::StrAppend(&out, " + ", term.coefficient.ToString(), "*");
    switch (atom.kind) {
      case AtomKind::kAxis:
        absl::StrAppend(&out, "i", atom.axis);
        break;
      case AtomKind::kFloorDiv:
        absl::StrAppend(&out, "floordiv(", ToString(atom.arg), ", ", atom.dim.ToString(), ")");
        break;
      case AtomKind::kMod:
        absl::StrAppend(&out, "mod(", ToString(atom.arg), ", ", atom.dim.ToString(), ")");
        break;
      case AtomKind::kClamp:
        absl::StrAppend(&out, "clamp(", ToString(atom.arg), ", ", atom.dim.ToString(), ")");
        break;
      case AtomKind::kLoad:
        absl::StrAppend(&out, "load(", atom.value->name(), ")");
        break;
    }
  }
  return out;
}

}  // namespace swage::emit
