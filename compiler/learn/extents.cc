#include "compiler/learn/extents.h"

#include <algorithm>
#include <numeric>

#include "compiler/ir/dim_expr.h"

namespace swage::learn {
namespace {

using ir::Dim;
using ir::DimTerm;
using ir::Symbol;

std::vector<const Symbol*> SymbolsIn(Dim dim) {
  std::vector<const Symbol*> symbols;
  dim.CollectSymbols(&symbols);
  return symbols;
}

Dim DimOf(const Symbol& symbol) { return Dim::Symbol(symbol.name, symbol.min, symbol.max); }

// The terms of an equation `sum == 0`, without what all of them share.
std::vector<DimTerm> Reduced(Dim difference) {
  std::vector<DimTerm> terms = ir::Poly(difference).terms();
  int64_t divisor = 0;
  for (const DimTerm& term : terms) divisor = std::gcd(divisor, term.coefficient);
  for (DimTerm& term : terms) term.coefficient /= divisor;
  for (size_t i = 0; i < terms[0].monomial.size();) {
    const ir::Monomial factor = {terms[0].monomial[i]};
    std::vector<DimTerm> divided = terms;
    bool shared = true;
    for (DimTerm& term : divided) {
      const std::optional<ir::Monomial> rest = ir::DivideMonomial(term.monomial, factor);
      shared = shared && rest.has_value();
      if (rest) term.monomial = *rest;
    }
    if (shared) {
      terms = std::move(divided);
    } else {
      ++i;
    }
  }
  return terms;
}

Dim SumOf(absl::Span<const DimTerm> terms, size_t without, int64_t factor) {
  Dim sum = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    if (i == without) continue;
    Dim product = Dim(terms[i].coefficient) * factor;
    for (const ir::DimNode* atom : terms[i].monomial) product *= ir::DimNode::ToDim(atom);
    sum += product;
  }
  return sum;
}

}  // namespace

ir::Symbol Extents::NameOf(size_t i) const {
  static constexpr const char* kNames[] = {"n", "m", "k"};
  ir::Symbol named;
  if (i < options_.symbols.size()) named = options_.symbols[i];
  if (!named.name.empty()) return named;
  named.name = i < 3 ? kNames[i] : absl::StrCat("d", i);
  const auto taken = [&](const ir::Symbol& other) { return other.name == named.name; };
  while (std::any_of(options_.symbols.begin(), options_.symbols.end(), taken)) named.name += "_";
  return named;
}

Dim Extents::NewSymbol(std::string_view name, const Values& values) {
  const Dim dim = Dim::Symbol(name);
  values_[dim.symbol()] = values;
  return dim;
}

Dim Extents::OfParameter(const Values& values) {
  if (IsConstant(values)) return values[0];
  for (const Dim parameter : parameters_) {
    if (values_.at(parameter.symbol()) == values) return parameter;
  }
  parameters_.push_back(NewSymbol(NameOf(parameters_.size()).name, values));
  return parameters_.back();
}

Dim Extents::Of(const Values& values, const std::function<Place()>& place) {
  if (IsConstant(values)) return values[0];
  if (const int64_t least = *std::min_element(values.begin(), values.end()); least < 0) {
    // Symbols are not negative: the negated, or else the shifted extent is one.
    const bool negate = *std::max_element(values.begin(), values.end()) <= 0;
    Values positive = values;
    for (int64_t& value : positive) {
      if (__builtin_sub_overflow(negate ? 0 : value, negate ? value : least, &value)) {
        return Dim::Poisoned();
      }
    }
    const Dim dim = Of(positive, place);
    if (negate) return Dim(0) - dim;
    if (!unknowns_.empty() && dim.symbol() == unknowns_.back().symbol) {
      unknowns_.back().has_sign = true;
    }
    return dim + least;
  }
  const std::vector<Root> roots = Roots();
  const auto same = std::find_if(roots.begin(), roots.end(),
                                 [&](const Root& root) { return root.values == values; });
  if (same != roots.end()) {
    const Choice choice = learn::Choose(FindCandidates(values, roots, {}), lowerings_);
    if (choice.dim == same->dim) return same->dim;
  }
  const Dim dim = NewSymbol(absl::StrCat("size.", values_.size()), values);
  unknowns_.push_back({dim.symbol(), values, place(), false});
  return dim;
}

ir::Shape Extents::Now(ir::Shape shape) const {
  if (shape.is_tuple()) {
    for (int i = 0; i < shape.tuple_size(); ++i) {
      *shape.mutable_tuple_shape(i) = Now(shape.tuple_shape(i));
    }
  } else if (shape.is_array()) {
    for (int i = 0; i < shape.rank(); ++i) {
      if (!shape.dim(i).is_static()) shape.set_dim(i, Now(shape.dim(i)));
    }
  }
  return shape;
}

StatusOr<Values> Extents::ValuesOf(Dim dim) const {
  Values result;
  const std::vector<const Symbol*> symbols = SymbolsIn(dim);
  for (size_t i = 0; i < lowerings_; ++i) {
    ir::SymbolBinding binding;
    for (const Symbol* symbol : symbols) {
      const auto values = values_.find(symbol);
      SWAGE_RET_CHECK(values != values_.end(), symbol->name);
      SWAGE_RETURN_IF_ERROR(binding.Bind(symbol, values->second[i]));
    }
    SWAGE_ASSIGN_OR_RETURN(result.emplace_back(), dim.Evaluate(binding));
  }
  return result;
}

bool Extents::SameValues(Dim a, Dim b) const {
  const StatusOr<Values> left = ValuesOf(a), right = ValuesOf(b);
  return left.ok() && right.ok() && *left == *right;
}

bool Extents::RequireEqual(Dim a, Dim b) {
  if (!SameValues(a, b)) return false;
  if (!SolveEquation(a, b)) equations_.push_back({a, b, place_()});
  return true;
}

bool Extents::RequireAtMost(Dim a, Dim b) {
  const StatusOr<Values> left = ValuesOf(a), right = ValuesOf(b);
  if (!left.ok() || !right.ok()) return false;
  for (size_t i = 0; i < lowerings_; ++i) {
    if ((*left)[i] > (*right)[i]) return false;
  }
  inequalities_.push_back({a, b, place_()});
  return true;
}

bool Extents::IsUnknown(const Symbol* symbol) const {
  return std::any_of(unknowns_.begin(), unknowns_.end(),
                     [&](const Unknown& unknown) { return unknown.symbol == symbol; });
}

void Extents::Define(const Symbol* symbol, Dim dim) {
  for (auto& [other, expression] : solved_) expression = expression.Substitute({{symbol, dim}});
  solved_.emplace_back(symbol, dim);
}

bool Extents::SolveEquation(Dim a, Dim b) {
  const Dim difference = Now(a) - Now(b);
  if (difference == Dim(0)) return true;
  if (difference.is_static() || difference.is_poisoned()) return false;
  const std::vector<DimTerm> terms = Reduced(difference);
  const Symbol* best = nullptr;
  Dim expression;
  for (size_t i = 0; i < terms.size(); ++i) {
    const DimTerm& term = terms[i];
    if (term.monomial.size() != 1 || term.monomial[0]->kind != ir::DimKind::kSymbol) continue;
    if (term.coefficient != 1 && term.coefficient != -1) continue;
    const Dim rest = SumOf(terms, i, -term.coefficient);
    const Symbol* symbol = &term.monomial[0]->symbol;
    const std::vector<const Symbol*> others = SymbolsIn(rest);
    if (rest.is_poisoned() || std::find(others.begin(), others.end(), symbol) != others.end()) {
      continue;
    }
    // Unknowns go first: the sizes of the parameters stay independent if they can.
    const bool better = best == nullptr || (IsUnknown(symbol) && !IsUnknown(best)) ||
                        (IsUnknown(symbol) == IsUnknown(best) && CostOf(rest) < CostOf(expression));
    if (!better) continue;
    best = symbol;
    expression = rest;
  }
  if (best == nullptr) return SolveRatio(SumOf(terms, terms.size(), 1));
  Define(best, expression);
  return true;
}

// a*x == b*y without common divisor: x is b*t and y is a*t.
bool Extents::SolveRatio(Dim difference) {
  const std::vector<DimTerm> terms = ir::Poly(difference).terms();
  if (terms.size() != 2) return false;
  for (const DimTerm& term : terms) {
    if (term.monomial.size() != 1 || term.monomial[0]->kind != ir::DimKind::kSymbol) return false;
  }
  const Symbol *x = &terms[0].monomial[0]->symbol, *y = &terms[1].monomial[0]->symbol;
  const int64_t a = terms[0].coefficient, b = -terms[1].coefficient;
  if (x == y || (a < 0) != (b < 0)) return false;
  Values values = values_.at(x);
  for (int64_t& value : values) value /= std::abs(b);
  const Dim t = NewSymbol(absl::StrCat("size.", values_.size()), values);
  unknowns_.push_back({t.symbol(), values, place_(), false});
  Define(x, Dim(std::abs(b)) * t);
  Define(y, Dim(std::abs(a)) * t);
  return true;
}

void Extents::RetryEquations() {
  for (bool changed = true; changed;) {
    const size_t before = equations_.size();
    std::erase_if(equations_, [&](const Condition& condition) {
      place_ = [place = condition.place] { return place; };
      return SolveEquation(condition.a, condition.b);
    });
    changed = equations_.size() != before;
  }
}

std::vector<Root> Extents::Roots() const {
  std::vector<Root> roots;
  absl::flat_hash_set<const Symbol*> seen;
  for (const Dim parameter : parameters_) {
    for (const Symbol* symbol : SymbolsIn(Now(parameter))) {
      if (seen.insert(symbol).second) roots.push_back({DimOf(*symbol), values_.at(symbol)});
    }
  }
  return roots;
}

std::string Extents::RootsText() const {
  std::string text;
  for (const Root& root : Roots()) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", root.dim.ToString(), " (",
                    ValuesText(root.values), ")");
  }
  return text.empty() ? "sizes, and no parameter's size varies" : text;
}

// Solves the unknown whose answer is the clearest.
Status Extents::SolveBest() {
  const std::vector<Root> roots = Roots();
  absl::flat_hash_set<const Symbol*> live;
  for (const Root& root : roots) live.insert(root.dim.symbol());
  std::vector<Root> known;
  for (const Root& extent : known_) {
    const std::vector<const Symbol*> symbols = SymbolsIn(Now(extent.dim));
    const bool solved = std::all_of(symbols.begin(), symbols.end(),
                                    [&](const Symbol* symbol) { return live.contains(symbol); });
    if (solved && !symbols.empty()) known.push_back({Now(extent.dim), extent.values});
  }
  absl::flat_hash_set<const Symbol*> solved;
  for (const auto& [symbol, dim] : solved_) solved.insert(symbol);
  const Symbol* best = nullptr;
  Choice best_choice;
  Status refused;
  for (const Unknown& unknown : unknowns_) {
    if (live.contains(unknown.symbol) || solved.contains(unknown.symbol)) continue;
    Choice choice = learn::Choose(FindCandidates(unknown.values, roots, known), lowerings_);
    if (!choice.dim.has_value()) {
      if (refused.ok()) {
        refused = InvalidArgument("[learn] ", unknown.place, ": got ", ValuesText(unknown.values),
                                  ", expected an expression of ", RootsText(), ": ", choice.why);
      }
      continue;
    }
    if (best != nullptr && choice.cost >= best_choice.cost) continue;
    best = unknown.symbol;
    best_choice = std::move(choice);
  }
  if (best == nullptr) return SolveDivision(roots, solved) ? OkStatus() : refused;
  Define(best, *best_choice.dim);
  return OkStatus();
}

// Where floordiv(n,2) and ceildiv(n,2) both fit, since every lowered n is even: n is even, 2 times
// the unknown, which takes its place as the size.
bool Extents::SolveDivision(absl::Span<const Root> roots,
                            const absl::flat_hash_set<const Symbol*>& solved) {
  for (const Unknown& unknown : unknowns_) {
    if (solved.contains(unknown.symbol) || unknown.values[0] == 0) continue;
    for (const Root& root : roots) {
      const int64_t ratio = root.values[0] / unknown.values[0];
      bool exact = ratio >= 2 && root.dim.symbol() != unknown.symbol;
      for (size_t i = 0; i < lowerings_ && exact; ++i) {
        int64_t product;
        exact = !__builtin_mul_overflow(ratio, unknown.values[i], &product) &&
                product == root.values[i];
      }
      if (!exact) continue;
      Define(root.dim.symbol(), Dim(ratio) * Dim::Symbol(unknown.symbol->name));
      return true;
    }
  }
  return false;
}

Status Extents::Solve(absl::Span<const Dim> known) {
  solving_ = true;
  absl::flat_hash_set<Dim> seen;
  for (const Dim dim : known) {
    if (dim.is_static() || !seen.insert(dim).second) continue;
    SWAGE_ASSIGN_OR_RETURN(Values values, ValuesOf(dim));
    known_.push_back({dim, std::move(values)});
  }
  for (size_t before = solved_.size() + 1; before != solved_.size();) {
    before = solved_.size();
    RetryEquations();
    SWAGE_RETURN_IF_ERROR(SolveBest());
  }
  RetryEquations();
  if (!equations_.empty()) {
    const Condition& open = equations_[0];
    return InvalidArgument("[learn] ", open.place, ": needs ", Now(open.a).ToString(), " to equal ",
                           Now(open.b).ToString(), " for every size, with ", RootsText(),
                           "; it does at the lowered sizes only");
  }
  for (Root& root : known_) root.dim = Now(root.dim);
  return OkStatus();
}

StatusOr<Dim> Extents::Choose(const Values& values, const std::function<Place()>& place) const {
  if (IsConstant(values)) return Dim(values[0]);
  const std::vector<Root> roots = Roots();
  const Choice choice = learn::Choose(FindCandidates(values, roots, known_), lowerings_);
  if (choice.dim.has_value()) return *choice.dim;
  return InvalidArgument("[learn] ", place(), ": got ", ValuesText(values),
                         ", expected an expression of ", RootsText(), ": ", choice.why);
}

Dim Extents::Ranged(Dim dim) const {
  std::vector<std::pair<const Symbol*, Dim>> values;
  for (const Named& name : names_) values.emplace_back(name.symbol, DimOf(name.named));
  return Now(dim).Substitute(values);
}

std::string Extents::RangesText() const {
  std::string text;
  for (const Named& name : names_) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", ir::SymbolWithRange(name.named, false));
  }
  return text;
}

// Moves one end of the range of one symbol no further than the lowered sizes until a <= b is
// proven.
Status Extents::Narrow(const Condition& condition) {
  const auto holds = [&] {
    return ir::ProveLessEqual(Ranged(condition.a), Ranged(condition.b)) == ir::Ternary::kYes;
  };
  if (holds()) return OkStatus();
  const std::vector<const Symbol*> symbols = SymbolsIn(Now(condition.b) - Now(condition.a));
  for (Named& name : names_) {
    if (std::find(symbols.begin(), symbols.end(), name.symbol) == symbols.end()) continue;
    const Values& values = values_.at(name.symbol);
    const ir::Symbol before = name.named;
    // Invariant of both searches: it holds at `good`, not at `bad`.
    int64_t bad = before.min, good = *std::min_element(values.begin(), values.end());
    name.named.min = good;
    if (good > bad && holds()) {
      while (good - bad > 1) {
        name.named.min = bad + (good - bad) / 2;
        (holds() ? good : bad) = name.named.min;
      }
      name.named.min = good;
      return OkStatus();
    }
    name.named = before;
    bad = before.max, good = *std::max_element(values.begin(), values.end());
    name.named.max = good;
    if (good < bad && holds()) {
      while (bad - good > 1) {
        name.named.max = good + (bad - good) / 2;
        (holds() ? good : bad) = name.named.max;
      }
      name.named.max = good;
      return OkStatus();
    }
    name.named = before;
  }
  return InvalidArgument("[learn] ", condition.place, ": needs ", Ranged(condition.a).ToString(),
                         " to be at most ", Ranged(condition.b).ToString(),
                         ", which no range of one size gives (", RangesText(), ")");
}

Status Extents::NarrowRanges() {
  std::vector<Condition> conditions = inequalities_;
  // Proofs took every symbol to be no less than 0, also those that were solved since.
  for (const auto& [symbol, dim] : solved_) {
    const auto unknown = std::find_if(unknowns_.begin(), unknowns_.end(),
                                      [&](const Unknown& u) { return u.symbol == symbol; });
    if (unknown == unknowns_.end()) {
      conditions.push_back({0, dim, "a parameter"});
    } else if (!unknown->has_sign) {
      conditions.push_back({0, dim, unknown->place});
    }
  }
  for (const Root& extent : known_) {
    conditions.push_back({0, extent.dim, absl::StrCat("the extent ", extent.dim.ToString())});
  }
  for (const Condition& condition : conditions) {
    const Status narrowed = Narrow(condition);
    if (narrowed.ok()) continue;
    // What was equal in every lowering is taken to be equal always: a slice that ends where its
    // operand does.
    const bool equal = SameValues(Now(condition.a), Now(condition.b));
    if (!equal || !SolveEquation(condition.a, condition.b)) return narrowed;
    for (Root& extent : known_) extent.dim = Now(extent.dim);
    NameRoots();
    return NarrowRanges();
  }
  return OkStatus();
}

void Extents::NameRoots() {
  names_.clear();
  for (const Root& root : Roots()) {
    names_.push_back({root.dim.symbol(), NameOf(names_.size())});
  }
}

Status Extents::Name(LearnReport* report) {
  NameRoots();
  SWAGE_RETURN_IF_ERROR(NarrowRanges());
  const std::vector<Root> roots = Roots();
  for (size_t i = 0; i < roots.size(); ++i) {
    const ir::Symbol& named = names_[i].named;
    for (const int64_t value : roots[i].values) {
      if (value >= named.min && value <= named.max) continue;
      return InvalidArgument("[learn] a lowering has ", value, " for '",
                             ir::SymbolWithRange(named, false), "', which is outside its range");
    }
    report->symbols.push_back({"", ValuesText(roots[i].values), ir::SymbolWithRange(named, false)});
  }
  for (auto& [symbol, dim] : solved_) dim = Ranged(dim);
  for (const Named& name : names_) {
    const Dim dim = DimOf(name.named);
    solved_.emplace_back(name.symbol, dim);
    if (dim.symbol() == nullptr) continue;
    std::vector<int64_t> values = values_.at(name.symbol);  // before the map may grow
    values_[dim.symbol()] = std::move(values);
  }
  for (Root& root : known_) root.dim = Now(root.dim);
  for (const Unknown& unknown : unknowns_) {
    report->extents.push_back(
        {unknown.place, ValuesText(unknown.values), Now(DimOf(*unknown.symbol)).ToString()});
  }
  return OkStatus();
}

}  // namespace swage::learn
