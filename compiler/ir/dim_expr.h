// File: compiler/ir/dim_expr.h
//
// The insides of a symbolic Dim: interned expression nodes and the polynomials they are made from.
// For those who take expressions apart (emitters, learning), not for those who compute with them.
#ifndef SWAGE_COMPILER_IR_DIM_EXPR_H_
#define SWAGE_COMPILER_IR_DIM_EXPR_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "compiler/ir/dim.h"

namespace swage::ir {

enum class DimKind : uint8_t { kPoisoned, kSymbol, kFloorDiv, kMod, kMax, kMin, kPoly };

// A product of atoms, sorted by NodeBefore, with repeats for powers. Empty: the number one.
using Monomial = absl::InlinedVector<const DimNode*, 2>;

struct DimTerm {
  int64_t coefficient = 0;
  Monomial monomial;
};

struct Interval {
  int64_t lower = kUnboundedBelow;
  int64_t upper = kUnbounded;
};

// Immutable once interned. `key` is the text with every range spelled out: it identifies the node
// and orders atoms, so that canonical forms do not depend on addresses.
struct DimNode {
  DimKind kind = DimKind::kPoisoned;
  int nesting = 0;
  Symbol symbol;               // kSymbol
  std::vector<Dim> args;       // kFloorDiv, kMod: 2; kMax, kMin: 2 or more, sorted
  std::vector<DimTerm> terms;  // kPoly: at least 2, or 1 that is not a bare atom
  std::string key;
  Interval bounds;

  static Dim ToDim(const DimNode* node) { return Dim(Dim::FromNode{}, node); }
};

inline bool NodeBefore(const DimNode* a, const DimNode* b) { return a != b && a->key < b->key; }

// Interning: the node of a symbol, or of an operation whose arguments are already simplified.
Dim InternSymbol(Symbol symbol);
Dim InternAtom(DimKind kind, std::vector<Dim> args);

// A polynomial under construction: terms in canonical order (higher degree first, then by atoms),
// no zero coefficients. Operations return false (and leave garbage) on overflow or a passed limit.
class Poly {
 public:
  Poly() = default;
  explicit Poly(Dim dim);

  const std::vector<DimTerm>& terms() const { return terms_; }
  bool empty() const { return terms_.empty(); }
  int64_t constant() const;
  bool AddTerm(const DimTerm& term);
  bool Add(const Poly& other, int64_t factor);
  bool Multiply(const Poly& a, const Poly& b);
  Dim ToDim() const;

 private:
  std::vector<DimTerm> terms_;
};

// Degree first, then the atoms: an admissible monomial order, which exact division relies on.
bool MonomialBefore(const Monomial& a, const Monomial& b);
// a / b as monomials, when b divides a.
std::optional<Monomial> DivideMonomial(const Monomial& a, const Monomial& b);

// Saturating interval arithmetic.
Interval AddIntervals(Interval a, Interval b);
Interval MulIntervals(Interval a, Interval b);
Interval BoundsOf(Dim dim);
Interval BoundsOfTerms(const std::vector<DimTerm>& terms);
Interval BoundsOfAtom(DimKind kind, const std::vector<Dim>& args);

// Whether a - b <= difference can be shown for every value of the symbols.
bool ProveAtMost(Dim a, Dim b, int64_t difference);

// Floor division and modulo of int64; nullopt for a zero divisor or an overflow.
std::optional<int64_t> FloorDivInt(int64_t a, int64_t b);
std::optional<int64_t> ModInt(int64_t a, int64_t b);

// Appends the text of a dim; `print_symbol(symbol, inside_expression, out)` writes each symbol.
using PrintSymbol = std::function<void(const Symbol&, bool, std::string*)>;
void AppendDimText(Dim dim, bool inside_expression, const PrintSymbol& print_symbol,
                   std::string* out);

// The range form of a symbol: "seq<=512", "3<=seq", "<=512", "?". Parenthesised inside expressions
// when it is more than a name.
std::string SymbolWithRange(const Symbol& symbol, bool inside_expression);

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_DIM_EXPR_H_
