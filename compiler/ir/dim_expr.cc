#include "compiler/ir/dim_expr.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace swage::ir {
namespace {

using Int128 = __int128;

int64_t Clamp(Int128 value) {
  if (value > kUnbounded) return kUnbounded;
  if (value < kUnboundedBelow) return kUnboundedBelow;
  return static_cast<int64_t>(value);
}

bool IsInfinite(int64_t v) { return v == kUnbounded || v == kUnboundedBelow; }

// A product where the two sentinels stand for infinities and 0 * infinity is 0.
int64_t SaturatingMul(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (IsInfinite(a) || IsInfinite(b)) return (a < 0) == (b < 0) ? kUnbounded : kUnboundedBelow;
  return Clamp(static_cast<Int128>(a) * b);
}

// floor(a / b) for b >= 1, where b may be infinite, and a when it equals `infinity`.
int64_t SaturatingFloorDiv(int64_t a, int64_t b, int64_t infinity) {
  if (a == infinity) return a;
  if (b == kUnbounded) return a < 0 ? -1 : 0;
  return *FloorDivInt(a, b);
}

// The process-wide table. Never destroyed, so nodes outlive every static.
class Table {
 public:
  static Table& Get() {
    static Table* table = new Table;
    return *table;
  }
  Dim Intern(DimNode node) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::unique_ptr<DimNode>& slot = nodes_[node.key];
    if (slot == nullptr) slot = std::make_unique<DimNode>(std::move(node));
    return DimNode::ToDim(slot.get());
  }

 private:
  std::mutex mutex_;
  absl::flat_hash_map<std::string, std::unique_ptr<DimNode>> nodes_;
};

Dim Finish(DimNode node) {
  size_t text = 0;  // a cheap bound first, so that no huge text is ever built
  for (Dim arg : node.args) text += arg.is_static() ? 1 : arg.node()->key.size();
  for (const DimTerm& term : node.terms) {
    for (const DimNode* atom : term.monomial) text += atom->key.size();
  }
  if (node.nesting > kMaxDimNesting || text > kMaxDimText) return Dim::Poisoned();
  static const PrintSymbol* print =
      new PrintSymbol([](const Symbol& symbol, bool inside, std::string* out) {
        out->append(SymbolWithRange(symbol, inside));
      });
  // The node is not interned yet, and printing reads a node only through its pointer.
  AppendDimText(DimNode::ToDim(&node), false, *print, &node.key);
  if (node.key.size() > kMaxDimText) return Dim::Poisoned();
  return Table::Get().Intern(std::move(node));
}

int NestingOf(Dim dim) { return dim.node() == nullptr ? 0 : dim.node()->nesting; }

}  // namespace

Dim InternSymbol(Symbol symbol) {
  DimNode node;
  node.kind = DimKind::kSymbol;
  node.bounds = {symbol.min, symbol.max};
  node.symbol = std::move(symbol);
  return Finish(std::move(node));
}

Dim InternAtom(DimKind kind, std::vector<Dim> args) {
  DimNode node;
  node.kind = kind;
  for (Dim arg : args) node.nesting = std::max(node.nesting, NestingOf(arg) + 1);
  node.bounds = BoundsOfAtom(kind, args);
  node.args = std::move(args);
  return Finish(std::move(node));
}

bool MonomialBefore(const Monomial& a, const Monomial& b) {
  if (a.size() != b.size()) return a.size() > b.size();
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return NodeBefore(a[i], b[i]);
  }
  return false;
}

std::optional<Monomial> DivideMonomial(const Monomial& a, const Monomial& b) {
  Monomial quotient;
  size_t next = 0;
  for (const DimNode* atom : a) {
    if (next < b.size() && b[next] == atom) {
      ++next;
    } else {
      quotient.push_back(atom);
    }
  }
  if (next != b.size()) return std::nullopt;
  return quotient;
}

Poly::Poly(Dim dim) {
  if (std::optional<int64_t> value = dim.static_value()) {
    if (*value != 0) terms_.push_back({*value, {}});
  } else if (dim.node()->kind == DimKind::kPoly) {
    terms_ = dim.node()->terms;
  } else {
    terms_.push_back({1, {dim.node()}});
  }
}

int64_t Poly::constant() const {
  return !terms_.empty() && terms_.back().monomial.empty() ? terms_.back().coefficient : 0;
}

bool Poly::AddTerm(const DimTerm& term) {
  if (term.coefficient == 0) return true;
  auto at = std::lower_bound(
      terms_.begin(), terms_.end(), term,
      [](const DimTerm& a, const DimTerm& b) { return MonomialBefore(a.monomial, b.monomial); });
  if (at == terms_.end() || at->monomial != term.monomial) {
    if (terms_.size() >= kMaxDimTerms || term.monomial.size() > kMaxDimDegree) return false;
    terms_.insert(at, term);
    return true;
  }
  if (__builtin_add_overflow(at->coefficient, term.coefficient, &at->coefficient)) return false;
  if (at->coefficient == 0) terms_.erase(at);
  return true;
}

bool Poly::Add(const Poly& other, int64_t factor) {
  for (const DimTerm& term : other.terms_) {
    DimTerm scaled = term;
    if (__builtin_mul_overflow(term.coefficient, factor, &scaled.coefficient)) return false;
    if (!AddTerm(scaled)) return false;
  }
  return true;
}

bool Poly::Multiply(const Poly& a, const Poly& b) {
  terms_.clear();
  for (const DimTerm& x : a.terms_) {
    for (const DimTerm& y : b.terms_) {
      DimTerm product;
      if (__builtin_mul_overflow(x.coefficient, y.coefficient, &product.coefficient)) return false;
      product.monomial.resize(x.monomial.size() + y.monomial.size());
      std::merge(x.monomial.begin(), x.monomial.end(), y.monomial.begin(), y.monomial.end(),
                 product.monomial.begin(), NodeBefore);
      if (!AddTerm(product)) return false;
    }
  }
  return true;
}

Dim Poly::ToDim() const {
  if (terms_.empty()) return Dim(0);
  if (terms_.size() == 1) {
    const DimTerm& only = terms_[0];
    if (only.monomial.empty()) return Dim(only.coefficient);
    if (only.coefficient == 1 && only.monomial.size() == 1) {
      return DimNode::ToDim(only.monomial[0]);
    }
  }
  DimNode node;
  node.kind = DimKind::kPoly;
  for (const DimTerm& term : terms_) {
    for (const DimNode* atom : term.monomial) node.nesting = std::max(node.nesting, atom->nesting);
  }
  node.bounds = BoundsOfTerms(terms_);
  node.terms = terms_;
  return Finish(std::move(node));
}

Interval AddIntervals(Interval a, Interval b) {
  Interval sum;
  if (a.lower != kUnboundedBelow && b.lower != kUnboundedBelow) {
    sum.lower = Clamp(static_cast<Int128>(a.lower) + b.lower);
  }
  if (a.upper != kUnbounded && b.upper != kUnbounded) {
    sum.upper = Clamp(static_cast<Int128>(a.upper) + b.upper);
  }
  return sum;
}

Interval MulIntervals(Interval a, Interval b) {
  const auto [lower, upper] =
      std::minmax({SaturatingMul(a.lower, b.lower), SaturatingMul(a.lower, b.upper),
                   SaturatingMul(a.upper, b.lower), SaturatingMul(a.upper, b.upper)});
  return {lower, upper};
}

Interval BoundsOf(Dim dim) {
  if (std::optional<int64_t> value = dim.static_value()) return {*value, *value};
  return dim.node()->bounds;
}

Interval BoundsOfTerms(const std::vector<DimTerm>& terms) {
  Interval sum = {0, 0};
  for (const DimTerm& term : terms) {
    Interval product = {term.coefficient, term.coefficient};
    for (size_t i = 0; i < term.monomial.size();) {
      const DimNode* atom = term.monomial[i];
      Interval power = {1, 1};
      int exponent = 0;
      for (; i < term.monomial.size() && term.monomial[i] == atom; ++i, ++exponent) {
        power = MulIntervals(power, atom->bounds);
      }
      if (exponent % 2 == 0) power.lower = std::max<int64_t>(power.lower, 0);
      product = MulIntervals(product, power);
    }
    sum = AddIntervals(sum, product);
  }
  return sum;
}

Interval BoundsOfAtom(DimKind kind, const std::vector<Dim>& args) {
  Interval a = BoundsOf(args[0]);
  Interval b = BoundsOf(args[1]);
  if (kind == DimKind::kFloorDiv) {
    if (b.lower <= 0) return {};
    return {std::min(SaturatingFloorDiv(a.lower, b.lower, kUnboundedBelow),
                     SaturatingFloorDiv(a.lower, b.upper, kUnboundedBelow)),
            std::max(SaturatingFloorDiv(a.upper, b.lower, kUnbounded),
                     SaturatingFloorDiv(a.upper, b.upper, kUnbounded))};
  }
  if (kind == DimKind::kMod) {
    if (b.lower <= 0) return {};
    Interval mod = {0, b.upper == kUnbounded ? kUnbounded : b.upper - 1};
    if (a.lower >= 0) mod.upper = std::min(mod.upper, a.upper);
    return mod;
  }
  for (size_t i = 1; i < args.size(); ++i) {
    b = BoundsOf(args[i]);
    if (kind == DimKind::kMax) {
      a = {std::max(a.lower, b.lower), std::max(a.upper, b.upper)};
    } else {
      a = {std::min(a.lower, b.lower), std::min(a.upper, b.upper)};
    }
  }
  return a;
}

std::optional<int64_t> FloorDivInt(int64_t a, int64_t b) {
  if (b == 0 || (a == kUnboundedBelow && b == -1)) return std::nullopt;
  const int64_t quotient = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

std::optional<int64_t> ModInt(int64_t a, int64_t b) {
  if (b == 0) return std::nullopt;
  if (b == -1) return 0;
  const int64_t remainder = a % b;
  return (remainder != 0 && (remainder < 0) != (b < 0)) ? remainder + b : remainder;
}

std::string SymbolWithRange(const Symbol& symbol, bool inside_expression) {
  const bool unnamed = symbol.name.empty();
  const bool has_min = symbol.min != 0;
  const bool has_max = symbol.max != kUnbounded;
  std::string text = unnamed && !(has_max && !has_min) ? "?" : symbol.name;
  if (!has_min && !has_max) return text;
  if (has_min) text = std::to_string(symbol.min) + "<=" + text;
  if (has_max) text += "<=" + std::to_string(symbol.max);
  return inside_expression ? "(" + text + ")" : text;
}

namespace {

void AppendCall(const char* name, const std::vector<Dim>& args, const PrintSymbol& print,
                std::string* out) {
  out->append(name);
  for (size_t i = 0; i < args.size(); ++i) {
    out->append(i == 0 ? "(" : ",");
    AppendDimText(args[i], true, print, out);
  }
  out->append(")");
}

void AppendTerms(const std::vector<DimTerm>& terms, const PrintSymbol& print, std::string* out) {
  for (size_t i = 0; i < terms.size(); ++i) {
    const DimTerm& term = terms[i];
    if (i > 0 && term.coefficient >= 0) out->append("+");
    if (term.monomial.empty()) {
      out->append(std::to_string(term.coefficient));
      continue;
    }
    if (term.coefficient == -1) {
      out->append("-");
    } else if (term.coefficient != 1) {
      out->append(std::to_string(term.coefficient)).append("*");
    }
    for (size_t k = 0; k < term.monomial.size(); ++k) {
      if (k > 0) out->append("*");
      AppendDimText(DimNode::ToDim(term.monomial[k]), true, print, out);
    }
  }
}

// floordiv(x + b - 1, b) is written ceildiv(x, b), the way people say it.
bool AppendAsCeilDiv(const std::vector<Dim>& args, const PrintSymbol& print, std::string* out) {
  const std::optional<int64_t> divisor = args[1].static_value();
  if (!divisor || *divisor <= 1 || args[0].is_static()) return false;
  if (args[0].node()->kind != DimKind::kPoly) return false;
  std::vector<DimTerm> terms = args[0].node()->terms;
  if (!terms.back().monomial.empty() || terms.back().coefficient != *divisor - 1) return false;
  terms.pop_back();
  out->append("ceildiv(");
  AppendTerms(terms, print, out);
  out->append(",").append(std::to_string(*divisor)).append(")");
  return true;
}

}  // namespace

void AppendDimText(Dim dim, bool inside_expression, const PrintSymbol& print, std::string* out) {
  if (std::optional<int64_t> value = dim.static_value()) {
    out->append(std::to_string(*value));
    return;
  }
  const DimNode& node = *dim.node();
  switch (node.kind) {
    case DimKind::kPoisoned:
      out->append("overflow");
      break;
    case DimKind::kSymbol:
      print(node.symbol, inside_expression, out);
      break;
    case DimKind::kFloorDiv:
      if (!AppendAsCeilDiv(node.args, print, out)) AppendCall("floordiv", node.args, print, out);
      break;
    case DimKind::kMod:
      AppendCall("mod", node.args, print, out);
      break;
    case DimKind::kMax:
      AppendCall("max", node.args, print, out);
      break;
    case DimKind::kMin:
      AppendCall("min", node.args, print, out);
      break;
    case DimKind::kPoly:
      AppendTerms(node.terms, print, out);
      break;
  }
}

}  // namespace swage::ir
