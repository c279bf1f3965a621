// File: compiler/ir/dim.h
//
// Dim: the extent of one dimension of a shape. A small value that is one of
//   static    an int64; arithmetic on these never allocates and never locks
//   symbolic  an expression over named symbols, each of which has a range
//   poisoned  a result that has no int64 value (overflow, division by zero, an expression beyond
//   the
//             limits below). It absorbs: every operation on it is poisoned again, and Shape's
//             checks report it. ToString() is "overflow".
//
// Symbolic expressions are canonical integer polynomials over atoms; an atom is a symbol or
// floordiv, mod, max, min of expressions (ceildiv is a floordiv). They are interned in one
// process-wide table and never freed, so `a == b` is a comparison of pointers and reading needs no
// lock. `a == b` means equal for every value of the symbols; `a != b` only means "not known equal":
// ask ProveEqual, or evaluate, or guard.
//
//   Dim seq = Dim::Symbol("seq", 1, 512);
//   Dim rows = CeilDiv(2 * seq + seq, 3);        // == seq
//   rows.upper_bound();                          // 512
//   SymbolBinding binding;
//   binding.Bind(seq, 37); rows.Evaluate(binding);   // 37
#ifndef SWAGE_COMPILER_IR_DIM_H_
#define SWAGE_COMPILER_IR_DIM_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace swage::ir {

inline constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();
inline constexpr int64_t kUnboundedBelow = std::numeric_limits<int64_t>::min();

// Expressions beyond these are poisoned: they bound what hostile text can make us store.
inline constexpr int kMaxDimTerms = 256;
inline constexpr int kMaxDimDegree = 64;  // kMaxRank: the elements of every array are one product
inline constexpr int kMaxDimNesting = 32;
inline constexpr int kMaxDimText = 16384;

struct DimNode;  // dim_expr.h
class SymbolBinding;
class SymbolScope;  // symbol_scope.h

// A named unknown extent; interned by (name, min, max), so pointers compare. A symbol without a
// name (XLA's `<=512`) is known by its range alone: equal bounds mean the same extent.
struct Symbol {
  std::string name;
  int64_t min = 0;
  int64_t max = kUnbounded;
};

class Dim {
 public:
  constexpr Dim() : value_(0), node_(nullptr) {}
  constexpr Dim(int64_t value) : value_(value), node_(nullptr) {}  // NOLINT: implicit by design
  // A symbol with min <= value <= max. When min == max this is the static extent. An invalid name
  // or an empty range is poisoned: check user input with CheckSymbol first.
  static Dim Symbol(std::string_view name, int64_t min = 0, int64_t max = kUnbounded);
  static Dim Poisoned();

  bool is_static() const { return node_ == nullptr; }
  bool is_poisoned() const;
  // The only way to read an extent.
  std::optional<int64_t> static_value() const {
    return node_ == nullptr ? std::optional<int64_t>(value_) : std::nullopt;
  }
  // The symbol, when this is one symbol and nothing more; else null.
  const ir::Symbol* symbol() const;

  // Bounds over all values of the symbols (interval arithmetic, saturating: kUnbounded and
  // kUnboundedBelow mean no bound).
  int64_t lower_bound() const;
  int64_t upper_bound() const;

  // The value once every symbol is bound; an error names an unbound symbol, an overflow or a zero
  // divisor.
  StatusOr<int64_t> Evaluate(const SymbolBinding& binding) const;

  // The expression with each symbol replaced; one that is not in `values` stays.
  Dim Substitute(const std::vector<std::pair<const ir::Symbol*, Dim>>& values) const;

  // Appends each symbol that occurs and is not yet in `out`, in order of occurrence.
  void CollectSymbols(std::vector<const ir::Symbol*>* out) const;

  // "64", "seq", "2*seq+1", "floordiv(seq,2)": without ranges (but `<=512` for an unnamed symbol).
  std::string ToString() const;
  // The form that parses back: a symbol that `scope` has not seen yet is printed with its range
  // ("seq<=512", "2*(seq<=512)+1") and is then declared in `scope`.
  std::string ToString(SymbolScope& scope) const;

  const DimNode* node() const { return node_; }
  // The dim whose node() this is; not null.
  static Dim OfNode(const DimNode* node) { return Dim(FromNode{}, node); }

  friend Dim operator+(Dim a, Dim b) {
    int64_t sum;
    if (a.node_ == nullptr && b.node_ == nullptr &&
        !__builtin_add_overflow(a.value_, b.value_, &sum)) {
      return Dim(sum);
    }
    return AddSlow(a, b);
  }
  friend Dim operator-(Dim a, Dim b) {
    int64_t difference;
    if (a.node_ == nullptr && b.node_ == nullptr &&
        !__builtin_sub_overflow(a.value_, b.value_, &difference)) {
      return Dim(difference);
    }
    return SubSlow(a, b);
  }
  friend Dim operator*(Dim a, Dim b) {
    int64_t product;
    if (a.node_ == nullptr && b.node_ == nullptr &&
        !__builtin_mul_overflow(a.value_, b.value_, &product)) {
      return Dim(product);
    }
    return MulSlow(a, b);
  }
  Dim& operator+=(Dim other) { return *this = *this + other; }
  Dim& operator-=(Dim other) { return *this = *this - other; }
  Dim& operator*=(Dim other) { return *this = *this * other; }

  friend bool operator==(Dim a, Dim b) { return a.node_ == b.node_ && a.value_ == b.value_; }

  template <typename H>
  friend H AbslHashValue(H h, Dim dim) {
    return H::combine(std::move(h), dim.value_, dim.node_);
  }

 private:
  friend struct DimNode;
  struct FromNode {};
  constexpr Dim(FromNode, const DimNode* node) : value_(0), node_(node) {}
  static Dim AddSlow(Dim a, Dim b);
  static Dim SubSlow(Dim a, Dim b);
  static Dim MulSlow(Dim a, Dim b);

  int64_t value_;        // 0 unless static
  const DimNode* node_;  // null when static
};

// Quotient rounded down, quotient rounded up, and the remainder with the divisor's sign. A divisor
// of zero is poisoned when static and an error of Evaluate otherwise.
Dim FloorDiv(Dim a, Dim b);
Dim CeilDiv(Dim a, Dim b);
Dim Mod(Dim a, Dim b);
// q with q * b == a for all values of the symbols, where there is such an expression; unlike
// FloorDiv also where b may be 0.
std::optional<Dim> ExactQuotient(Dim a, Dim b);
Dim Max(Dim a, Dim b);
Dim Min(Dim a, Dim b);

enum class Ternary { kNo, kYes, kUnknown };
// kYes: holds for every value of the symbols. kNo: holds for none. kUnknown: could not be decided.
Ternary ProveEqual(Dim a, Dim b);
Ternary ProveLess(Dim a, Dim b);
Ternary ProveLessEqual(Dim a, Dim b);

// Whether (name, min, max) may be a symbol. A name is a letter or '_' and then letters, digits, '_'
// or '.'; the empty name is the unnamed symbol.
Status CheckSymbol(std::string_view name, int64_t min, int64_t max);
bool IsSymbolName(std::string_view name);

// Values of symbols.
class SymbolBinding {
 public:
  // Gives `symbol` a value. An error when it is outside the symbol's range or differs from before.
  Status Bind(const Symbol* symbol, int64_t value);
  // Makes `dim` equal to `value`: checks it when all its symbols are bound, solves for its one
  // unbound symbol when that occurs linearly (2*seq+1 == 7 binds seq to 3), else an error.
  Status Bind(Dim dim, int64_t value);
  std::optional<int64_t> Find(const Symbol* symbol) const;
  const std::vector<std::pair<const Symbol*, int64_t>>& values() const { return values_; }

 private:
  std::vector<std::pair<const Symbol*, int64_t>> values_;
};

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_DIM_H_
