#include "compiler/ir/symbol_scope.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "compiler/ir/dim_expr.h"

namespace swage::ir {
namespace {

constexpr int kMaxParseDepth = 2 * kMaxDimNesting;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_' || c == '.';
}

class DimParser {
 public:
  DimParser(std::string_view text, size_t pos, SymbolScope& scope)
      : text_(text), pos_(pos), scope_(scope) {}

  size_t pos() const { return pos_; }

  StatusOr<Dim> Declaration() {
    Skip();
    const size_t start = pos_;
    int64_t min = 0, max = kUnbounded;
    bool ranged = false;
    if (IsDigit(Peek())) {
      SWAGE_ASSIGN_OR_RETURN(min, Integer());
      if (!EatLessEqual()) {  // not a range but the start of an expression
        pos_ = start;
        return Expression();
      }
      ranged = true;
    }
    if (!ranged && EatLessEqual()) {  // <=512
      SWAGE_ASSIGN_OR_RETURN(max, Integer());
      return Unnamed(0, max);
    }
    const bool unnamed = Eat('?');
    const std::string_view name = unnamed ? std::string_view() : Name();
    if (!unnamed && name.empty()) {
      if (ranged) return Error("a symbol's name or '?' after '<='");
      pos_ = start;
      return Expression();
    }
    if (EatLessEqual()) {
      SWAGE_ASSIGN_OR_RETURN(max, Integer());
      ranged = true;
    }
    if (!ranged) {
      pos_ = start;
      return Expression();
    }
    return unnamed ? Unnamed(min, max) : scope_.Declare(name, min, max);
  }

 private:
  char Peek() const { return pos_ < text_.size() ? text_[pos_] : '\0'; }
  void Skip() {
    while (Peek() == ' ') ++pos_;
  }
  bool Eat(char c) {
    Skip();
    if (pos_ >= text_.size() || text_[pos_] != c) return false;
    ++pos_;
    return true;
  }
  bool EatLessEqual() {
    Skip();
    if (text_.substr(pos_, 2) != "<=") return false;
    pos_ += 2;
    return true;
  }
  Status Error(std::string_view expected) const {
    return InvalidArgument("[dim text] expected ", ToAbsl(expected), " at offset ", pos_, ", got '",
                           ToAbsl(text_.substr(std::min(pos_, text_.size()), 16)), "'");
  }
  std::string_view Name() {
    Skip();
    const size_t start = pos_;
    if (IsDigit(Peek()) || Peek() == '.') return {};
    while (pos_ < text_.size() && IsNameChar(text_[pos_])) ++pos_;
    return text_.substr(start, pos_ - start);
  }
  StatusOr<int64_t> Integer() {
    Skip();
    if (!IsDigit(Peek())) return Error("an integer");
    int64_t value = 0;
    for (; IsDigit(Peek()); ++pos_) {
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, Peek() - '0', &value)) {
        return InvalidArgument("[dim text] the integer that ends at offset ", pos_,
                               " does not fit in int64");
      }
    }
    return value;
  }
  StatusOr<Dim> Unnamed(int64_t min, int64_t max) {
    SWAGE_RETURN_IF_ERROR(CheckSymbol("", min, max));
    return Dim::Symbol("", min, max);
  }

  StatusOr<Dim> Expression() {
    if (++depth_ > kMaxParseDepth) {
      return InvalidArgument("[dim text] nested deeper than ", kMaxParseDepth, " at offset ", pos_);
    }
    Dim sum = 0;
    bool negative = Eat('-');
    do {
      SWAGE_ASSIGN_OR_RETURN(const Dim term, Product());
      sum = negative ? sum - term : sum + term;
      negative = false;
      if (Eat('-')) {
        negative = true;
      } else if (!Eat('+')) {
        break;
      }
    } while (true);
    --depth_;
    if (sum.is_poisoned()) {
      return InvalidArgument("[dim text] the expression that ends at offset ", pos_,
                             " overflows int64, divides by zero or is too large");
    }
    return sum;
  }

  StatusOr<Dim> Product() {
    Dim product = 1;
    do {
      SWAGE_ASSIGN_OR_RETURN(const Dim factor, Factor());
      product *= factor;
    } while (Eat('*'));
    return product;
  }

  StatusOr<Dim> Factor() {
    Skip();
    if (IsDigit(Peek())) {
      SWAGE_ASSIGN_OR_RETURN(const int64_t value, Integer());
      return Dim(value);
    }
    if (Eat('?')) return Unnamed(0, kUnbounded);
    if (Eat('(')) {
      if (++depth_ > kMaxParseDepth) return Error("less nesting");
      SWAGE_ASSIGN_OR_RETURN(const Dim inner, Declaration());
      --depth_;
      if (!Eat(')')) return Error("')'");
      return inner;
    }
    const std::string_view name = Name();
    if (name.empty()) return Error("a dimension");
    if (Eat('(')) return Call(name);
    return scope_.Use(name);
  }

  StatusOr<Dim> Call(std::string_view name) {
    std::vector<Dim> args;
    do {
      SWAGE_ASSIGN_OR_RETURN(const Dim arg, Expression());
      args.push_back(arg);
    } while (Eat(','));
    if (!Eat(')')) return Error("')'");
    if (args.size() == 2) {
      if (name == "floordiv") return FloorDiv(args[0], args[1]);
      if (name == "ceildiv") return CeilDiv(args[0], args[1]);
      if (name == "mod") return Mod(args[0], args[1]);
    }
    if (args.size() < 2 || (name != "max" && name != "min")) {
      return InvalidArgument("[dim text] no function '", ToAbsl(name.substr(0, 64)), "' of ",
                             args.size(), " arguments; there are floordiv, ceildiv, mod, max, min");
    }
    Dim result = args[0];
    for (Dim arg : args) result = name == "max" ? Max(result, arg) : Min(result, arg);
    return result;
  }

  std::string_view text_;
  size_t pos_;
  SymbolScope& scope_;
  int depth_ = 0;
};

std::string RangeText(Dim dim) {
  if (const Symbol* symbol = dim.symbol()) return SymbolWithRange(*symbol, false);
  return dim.ToString();
}

}  // namespace

StatusOr<Dim> SymbolScope::Declare(std::string_view name, int64_t min, int64_t max) {
  SWAGE_RETURN_IF_ERROR(CheckSymbol(name, min, max));
  const Dim dim = Dim::Symbol(name, min, max);
  const auto [at, is_new] = dims_.try_emplace(std::string(name), dim);
  if (is_new || at->second == dim) return dim;
  return InvalidArgument("[dim text] the symbol '", ToAbsl(name), "' was ", RangeText(at->second),
                         " and is now ", RangeText(dim),
                         "; give its range once, where it is first used");
}

StatusOr<Dim> SymbolScope::Use(std::string_view name) {
  const auto at = dims_.find(ToAbsl(name));
  if (at != dims_.end()) return at->second;
  return Declare(name, 0, kUnbounded);
}

bool SymbolScope::DeclareForPrinting(const Symbol& symbol) {
  if (symbol.name.empty()) return true;
  const auto [at, is_new] =
      dims_.try_emplace(symbol.name, Dim::Symbol(symbol.name, symbol.min, symbol.max));
  return is_new || at->second.symbol() != &symbol;
}

StatusOr<Dim> ParseDim(std::string_view text, size_t* pos, SymbolScope& scope) {
  DimParser parser(text, *pos, scope);
  SWAGE_ASSIGN_OR_RETURN(const Dim dim, parser.Declaration());
  *pos = parser.pos();
  return dim;
}

StatusOr<Dim> ParseDim(std::string_view text) {
  SymbolScope scope;
  size_t pos = 0;
  SWAGE_ASSIGN_OR_RETURN(const Dim dim, ParseDim(text, &pos, scope));
  if (pos != text.size()) {
    return InvalidArgument("[dim text] unexpected text at offset ", pos, ": '",
                           ToAbsl(text.substr(pos, 16)), "'");
  }
  return dim;
}

}  // namespace swage::ir
