#include "compiler/ir/dim.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "compiler/ir/dim_expr.h"
#include "compiler/ir/symbol_scope.h"

namespace swage::ir {
namespace {

bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

Dim ToDimIf(bool ok, const Poly& poly) { return ok ? poly.ToDim() : Dim::Poisoned(); }

const PrintSymbol& PrintName() {
  static const PrintSymbol* print =
      new PrintSymbol([](const Symbol& symbol, bool inside, std::string* out) {
        out->append(symbol.name.empty() ? SymbolWithRange(symbol, inside) : symbol.name);
      });
  return *print;
}

// Bounds of a - b, seen as one polynomial so that what is common cancels.
Interval BoundsOfDifference(Dim a, Dim b) {
  if (a.is_poisoned() || b.is_poisoned()) return {};
  Poly difference(a);
  if (difference.Add(Poly(b), -1)) return BoundsOfTerms(difference.terms());
  const Interval x = BoundsOf(a), y = BoundsOf(b);
  return AddIntervals(x, MulIntervals(y, {-1, -1}));
}

void CollectFrom(Dim dim, std::vector<const Symbol*>* out) {
  if (dim.is_static()) return;
  const DimNode& node = *dim.node();
  if (node.kind == DimKind::kSymbol) {
    if (std::find(out->begin(), out->end(), &node.symbol) == out->end()) {
      out->push_back(&node.symbol);
    }
  }
  for (Dim arg : node.args) CollectFrom(arg, out);
  for (const DimTerm& term : node.terms) {
    for (const DimNode* atom : term.monomial) CollectFrom(DimNode::ToDim(atom), out);
  }
}

Status EvaluateOverflow(Dim dim) {
  return InvalidArgument("[dim] ", dim.ToString(), " overflows int64 for the given sizes");
}

}  // namespace

bool IsSymbolName(std::string_view name) {
  if (name.empty() || !IsNameStart(name[0])) return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return IsNameStart(c) || (c >= '0' && c <= '9') || c == '.'; });
}

Status CheckSymbol(std::string_view name, int64_t min, int64_t max) {
  if (name.size() > 256 || (!name.empty() && !IsSymbolName(name))) {
    return InvalidArgument(
        "[symbol] a symbol's name is a letter or '_', then letters, digits, '_' or ",
        "'.', at most 256; got '", ToAbsl(name.substr(0, 64)), "'");
  }
  if (min < 0 || min > max) {
    return InvalidArgument("[symbol] the range of '", ToAbsl(name),
                           "' must have 0 <= min <= max, got ", min, " and ", max);
  }
  return OkStatus();
}

Dim Dim::Symbol(std::string_view name, int64_t min, int64_t max) {
  if (!CheckSymbol(name, min, max).ok()) return Poisoned();
  if (min == max) return Dim(min);
  return InternSymbol({std::string(name), min, max});
}

Dim Dim::Poisoned() {
  static const DimNode* node = [] {
    DimNode* poisoned = new DimNode;
    poisoned->key = "overflow";
    return poisoned;
  }();
  return Dim(FromNode{}, node);
}

bool Dim::is_poisoned() const { return node_ != nullptr && node_->kind == DimKind::kPoisoned; }

const ir::Symbol* Dim::symbol() const {
  return node_ != nullptr && node_->kind == DimKind::kSymbol ? &node_->symbol : nullptr;
}

int64_t Dim::lower_bound() const { return BoundsOf(*this).lower; }
int64_t Dim::upper_bound() const { return BoundsOf(*this).upper; }

void Dim::CollectSymbols(std::vector<const ir::Symbol*>* out) const { CollectFrom(*this, out); }

std::string Dim::ToString() const {
  std::string out;
  AppendDimText(*this, false, PrintName(), &out);
  return out;
}

std::string Dim::ToString(SymbolScope& scope) const {
  std::string out;
  AppendDimText(
      *this, false,
      [&scope](const ir::Symbol& symbol, bool inside, std::string* text) {
        text->append(scope.DeclareForPrinting(symbol) || symbol.name.empty()
                         ? SymbolWithRange(symbol, inside)
                         : symbol.name);
      },
      &out);
  return out;
}

Dim Dim::AddSlow(Dim a, Dim b) {
  if (a.is_poisoned() || b.is_poisoned()) return Poisoned();
  Poly sum(a);
  return ToDimIf(sum.Add(Poly(b), 1), sum);
}

Dim Dim::SubSlow(Dim a, Dim b) {
  if (a.is_poisoned() || b.is_poisoned()) return Poisoned();
  Poly difference(a);
  return ToDimIf(difference.Add(Poly(b), -1), difference);
}

Dim Dim::MulSlow(Dim a, Dim b) {
  if (a.is_poisoned() || b.is_poisoned()) return Poisoned();
  Poly product;
  return ToDimIf(product.Multiply(Poly(a), Poly(b)), product);
}

Ternary ProveEqual(Dim a, Dim b) {
  if (a.is_poisoned() || b.is_poisoned()) return Ternary::kUnknown;
  if (a == b) return Ternary::kYes;
  const Interval difference = BoundsOfDifference(a, b);
  return difference.lower > 0 || difference.upper < 0 ? Ternary::kNo : Ternary::kUnknown;
}

Ternary ProveLessEqual(Dim a, Dim b) {
  const Interval difference = BoundsOfDifference(a, b);
  if (difference.upper <= 0) return Ternary::kYes;
  if (difference.lower > 0) return Ternary::kNo;
  if (ProveAtMost(a, b, 0)) return Ternary::kYes;
  return ProveAtMost(b, a, -1) ? Ternary::kNo : Ternary::kUnknown;
}

Ternary ProveLess(Dim a, Dim b) {
  const Interval difference = BoundsOfDifference(a, b);
  if (difference.upper < 0) return Ternary::kYes;
  if (difference.lower >= 0) return Ternary::kNo;
  if (ProveAtMost(a, b, -1)) return Ternary::kYes;
  return ProveAtMost(b, a, 0) ? Ternary::kNo : Ternary::kUnknown;
}

namespace {

StatusOr<int64_t> EvaluateTerms(Dim dim, const SymbolBinding& binding) {
  __int128 sum = 0;
  for (const DimTerm& term : dim.node()->terms) {
    __int128 product = term.coefficient;
    for (const DimNode* atom : term.monomial) {
      SWAGE_ASSIGN_OR_RETURN(const int64_t value, DimNode::ToDim(atom).Evaluate(binding));
      if (__builtin_mul_overflow(product, value, &product)) return EvaluateOverflow(dim);
    }
    if (__builtin_add_overflow(sum, product, &sum)) return EvaluateOverflow(dim);
  }
  const int64_t value = static_cast<int64_t>(sum);
  if (value != sum) return EvaluateOverflow(dim);
  return value;
}

StatusOr<int64_t> EvaluateAtom(Dim dim, const SymbolBinding& binding) {
  const DimNode& node = *dim.node();
  SWAGE_ASSIGN_OR_RETURN(int64_t a, node.args[0].Evaluate(binding));
  for (size_t i = 1; i < node.args.size(); ++i) {
    SWAGE_ASSIGN_OR_RETURN(const int64_t b, node.args[i].Evaluate(binding));
    if (node.kind == DimKind::kMax) {
      a = std::max(a, b);
    } else if (node.kind == DimKind::kMin) {
      a = std::min(a, b);
    } else {
      const auto result = node.kind == DimKind::kMod ? ModInt(a, b) : FloorDivInt(a, b);
      if (b == 0) return InvalidArgument("[dim] ", dim.ToString(), " divides by zero");
      if (!result) return EvaluateOverflow(dim);
      a = *result;
    }
  }
  return a;
}

}  // namespace

StatusOr<int64_t> Dim::Evaluate(const SymbolBinding& binding) const {
  if (node_ == nullptr) return value_;
  switch (node_->kind) {
    case DimKind::kPoisoned:
      return InvalidArgument("[dim] the size overflows int64 or its expression is too large");
    case DimKind::kSymbol: {
      const std::optional<int64_t> value = binding.Find(&node_->symbol);
      if (value) return *value;
      return InvalidArgument("[dim] the symbol '", SymbolWithRange(node_->symbol, false),
                             "' has no value");
    }
    case DimKind::kPoly:
      return EvaluateTerms(*this, binding);
    case DimKind::kFloorDiv:
    case DimKind::kMod:
    case DimKind::kMax:
    case DimKind::kMin:
      break;
  }
  return EvaluateAtom(*this, binding);
}

Dim Dim::Substitute(const std::vector<std::pair<const ir::Symbol*, Dim>>& values) const {
  if (node_ == nullptr || node_->kind == DimKind::kPoisoned) return *this;
  if (node_->kind == DimKind::kSymbol) {
    for (const auto& [symbol, value] : values) {
      if (symbol == &node_->symbol) return value;
    }
    return *this;
  }
  if (node_->kind == DimKind::kPoly) {
    Dim sum = 0;
    for (const DimTerm& term : node_->terms) {
      Dim product = term.coefficient;
      for (const DimNode* atom : term.monomial) {
        product *= DimNode::ToDim(atom).Substitute(values);
      }
      sum += product;
    }
    return sum;
  }
  Dim result = node_->args[0].Substitute(values);
  for (size_t i = 1; i < node_->args.size(); ++i) {
    const Dim arg = node_->args[i].Substitute(values);
    switch (node_->kind) {
      case DimKind::kFloorDiv:
        result = FloorDiv(result, arg);
        break;
      case DimKind::kMod:
        result = Mod(result, arg);
        break;
      case DimKind::kMax:
        result = Max(result, arg);
        break;
      default:
        result = Min(result, arg);
        break;
    }
  }
  return result;
}

std::optional<int64_t> SymbolBinding::Find(const Symbol* symbol) const {
  for (const auto& [bound, value] : values_) {
    if (bound == symbol) return value;
  }
  return std::nullopt;
}

Status SymbolBinding::Bind(const Symbol* symbol, int64_t value) {
  if (const std::optional<int64_t> before = Find(symbol)) {
    if (*before == value) return OkStatus();
    return InvalidArgument("[dim] the symbol '", SymbolWithRange(*symbol, false), "' is ", *before,
                           " in one place and ", value, " in another");
  }
  if (value < symbol->min || value > symbol->max) {
    return InvalidArgument("[dim] ", value, " is outside the range of '",
                           SymbolWithRange(*symbol, false), "'");
  }
  values_.emplace_back(symbol, value);
  return OkStatus();
}

Status SymbolBinding::Bind(Dim dim, int64_t value) {
  if (const Symbol* symbol = dim.symbol()) return Bind(symbol, value);
  std::vector<const Symbol*> unbound;
  dim.CollectSymbols(&unbound);
  std::erase_if(unbound, [this](const Symbol* symbol) { return Find(symbol).has_value(); });
  if (unbound.empty()) {
    SWAGE_ASSIGN_OR_RETURN(const int64_t actual, dim.Evaluate(*this));
    if (actual == value) return OkStatus();
    return InvalidArgument("[dim] ", dim.ToString(), " is ", actual, " here, got ", value);
  }
  const Symbol* symbol = unbound[0];
  // Linear in its one unknown symbol: value = slope * symbol + rest, with both read from two
  // points.
  const bool linear =
      unbound.size() == 1 && dim.node()->kind == DimKind::kPoly &&
      std::all_of(dim.node()->terms.begin(), dim.node()->terms.end(), [&](const DimTerm& term) {
        int uses = 0;
        for (const DimNode* atom : term.monomial) {
          std::vector<const Symbol*> inside;
          DimNode::ToDim(atom).CollectSymbols(&inside);
          const bool has = std::find(inside.begin(), inside.end(), symbol) != inside.end();
          if (has) uses += atom->kind == DimKind::kSymbol ? 1 : 2;
        }
        return uses <= 1;
      });
  if (!linear) {
    return InvalidArgument("[dim] cannot solve ", dim.ToString(), " = ", value, " for '",
                           symbol->name, "'; let a dimension be that symbol alone");
  }
  SymbolBinding at0 = *this, at1 = *this;
  at0.values_.emplace_back(symbol, 0);
  at1.values_.emplace_back(symbol, 1);
  SWAGE_ASSIGN_OR_RETURN(const int64_t rest, dim.Evaluate(at0));
  SWAGE_ASSIGN_OR_RETURN(const int64_t one, dim.Evaluate(at1));
  const __int128 slope = static_cast<__int128>(one) - rest;
  const __int128 target = static_cast<__int128>(value) - rest;
  if (slope == 0 || target % slope != 0) {
    return InvalidArgument("[dim] no integer '", symbol->name, "' makes ", dim.ToString(),
                           " equal ", value);
  }
  return Bind(symbol, static_cast<int64_t>(target / slope));
}

}  // namespace swage::ir
