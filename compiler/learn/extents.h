// File: compiler/learn/extents.h
//
// The extents of a program that is being learned: what is known of each, and how the rest is
// solved.
//
// The sizes of the parameters are the roots: those with the same values in every lowering share a
// symbol. Shape inference gives most other extents. Where it does not (an iota, the result of a
// broadcast, the limit of a slice) the extent is an unknown: a symbol of its own. What shape
// inference then asks to be equal are equations, which solve unknowns, or show that the roots are
// not independent (f32[28] that becomes f32[7,4] was 4*n). Unknowns that no equation solves are
// chosen among the candidates of candidates.h at the end. What is asked to be at most something
// else narrows the ranges of the symbols.
//
//   Extents extents(2, options);
//   Dim n = extents.OfParameter({7, 12});
//   Dim rows = extents.Of({8, 13}, place);       // an unknown
//   extents.set_place(place);
//   extents.RequireEqual(rows - 1, n);           // rows is n+1
//   SWAGE_RETURN_IF_ERROR(extents.Solve({}));
//   extents.Now(rows);                           // n+1
//
// While it exists shape inference on this thread brings it the conditions that are open
// (assumptions.h); from Solve on it takes none: what the symbols are is known then.
#ifndef SWAGE_COMPILER_LEARN_EXTENTS_H_
#define SWAGE_COMPILER_LEARN_EXTENTS_H_

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/status.h"
#include "compiler/ir/assumptions.h"
#include "compiler/ir/shape.h"
#include "compiler/learn/candidates.h"
#include "compiler/learn/learn.h"

namespace swage::learn {

// What an error says of the extent at hand: "iota.4 (main.3), dimension 0".
using Place = std::string;

class Extents final : public ir::Assumptions {
 public:
  Extents(size_t lowerings, const LearnOptions& options)
      : lowerings_(lowerings), options_(options) {}

  // The extent of a parameter with these values: a number, or a root.
  ir::Dim OfParameter(const Values& values);
  // Any other extent: a number, a root when no other expression comes near, or an unknown.
  ir::Dim Of(const Values& values, const std::function<Place()>& place);

  // With what has been solved by now.
  ir::Dim Now(ir::Dim dim) const { return dim.Substitute(solved_); }
  ir::Shape Now(ir::Shape shape) const;

  // Its values in the lowerings.
  StatusOr<Values> ValuesOf(ir::Dim dim) const;

  // Equations and inequalities that come up from now on are of this instruction.
  void set_place(std::function<Place()> place) { place_ = std::move(place); }
  // What the program needs for every size. False: it is not so in every lowering.
  bool RequireEqual(ir::Dim a, ir::Dim b);
  bool RequireAtMost(ir::Dim a, ir::Dim b);
  bool AssumeEqual(ir::Dim a, ir::Dim b, std::string_view) override {
    return !solving_ && RequireEqual(a, b);
  }
  bool AssumeAtMost(ir::Dim a, ir::Dim b, std::string_view) override {
    return !solving_ && RequireAtMost(a, b);
  }

  // Solves the unknowns. `known` are the extents of the program.
  Status Solve(absl::Span<const ir::Dim> known);

  // After Name: the expression that takes these values (of a literal, say), which may be negative.
  StatusOr<ir::Dim> Choose(const Values& values, const std::function<Place()>& place) const;
  // The symbols of the parameters, in order, and further expressions that the program has.
  std::vector<Root> Roots() const;
  const std::vector<Root>& known() const { return known_; }
  // "n (7 and 12) and m (5 and 9)", for errors.
  std::string RootsText() const;

  // After Solve: gives the symbols their names, and the ranges in which the program is right. From
  // then on Now(), which must be asked once for each dim, gives expressions in them. Reports the
  // symbols and what the unknowns were.
  Status Name(LearnReport* report);

 private:
  struct Unknown {
    const ir::Symbol* symbol;
    Values values;
    Place place;
    bool has_sign;  // shifted, so that it is no negative number at the lowered sizes
  };
  struct Condition {
    ir::Dim a, b;
    Place place;
  };

  ir::Symbol NameOf(size_t i) const;
  ir::Dim NewSymbol(std::string_view name, const Values& values);
  bool SameValues(ir::Dim a, ir::Dim b) const;
  bool IsUnknown(const ir::Symbol* symbol) const;
  void Define(const ir::Symbol* symbol, ir::Dim dim);
  // Solves a == b for one of its symbols. False when it is in no form for that.
  bool SolveEquation(ir::Dim a, ir::Dim b);
  bool SolveRatio(ir::Dim difference);
  void RetryEquations();
  Status SolveBest();
  bool SolveDivision(absl::Span<const Root> roots,
                     const absl::flat_hash_set<const ir::Symbol*>& solved);
  void NameRoots();
  Status NarrowRanges();
  Status Narrow(const Condition& condition);
  std::string RangesText() const;
  // The expression with the ranges that the symbols have now.
  ir::Dim Ranged(ir::Dim dim) const;

  const size_t lowerings_;
  const LearnOptions& options_;
  bool solving_ = false;  // or solved
  std::function<Place()> place_;
  absl::flat_hash_map<const ir::Symbol*, Values> values_;
  std::vector<ir::Dim> parameters_;  // one per distinct list of values, as they were made
  std::vector<Unknown> unknowns_;
  std::vector<std::pair<const ir::Symbol*, ir::Dim>> solved_;
  std::vector<Condition> equations_;     // that could not be solved when they came up
  std::vector<Condition> inequalities_;  // a <= b
  std::vector<Root> known_;
  struct Named {
    const ir::Symbol* symbol;
    ir::Symbol named;
  };
  std::vector<Named> names_;
};

}  // namespace swage::learn

#endif  // SWAGE_COMPILER_LEARN_EXTENTS_H_
