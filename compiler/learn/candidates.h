// File: compiler/learn/candidates.h
//
// Which expressions of the sizes take given values? A number that is 9 where n = 7 and 14 where
// n = 12 is n+2; also floordiv(20*n-32,12), but nobody writes that. Candidates are ordered by how
// much there is to write, and one counts as the answer when no other is nearly as short.
//
//   const std::vector<Root> roots = {{Dim::Symbol("n"), {7, 12}}};
//   Choice choice = Choose(FindCandidates({9, 14}, roots, {}), 2);
//   choice.dim->ToString();       // n+2
//
// The families that are searched: a*s+b for one size s; a*s+b*t+c, r+s+t+c; a*s*t+b and a*r*s*t;
// floordiv(s,r) and ceildiv(s,r); from three lowerings on floordiv(s+b,r); and the expressions that
// the program has elsewhere.
#ifndef SWAGE_COMPILER_LEARN_CANDIDATES_H_
#define SWAGE_COMPILER_LEARN_CANDIDATES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "compiler/ir/dim.h"

namespace swage::learn {

using Values = std::vector<int64_t>;  // one per lowering

// "a, b and c"
std::string ListText(absl::Span<const std::string> items);
// "7 and 12"
std::string ValuesText(const Values& values);
bool IsConstant(const Values& values);

// A size with its value in each lowering.
struct Root {
  ir::Dim dim;
  Values values;
};

struct Candidate {
  ir::Dim dim;
  double cost = 0;
  // Numbers that were fitted: a slope other than 1, an offset, a divisor.
  int parameters = 0;
};

// How much there is to write.
double CostOf(ir::Dim dim);

// Those that take `values`, the shortest first. `known` are further expressions with their values.
std::vector<Candidate> FindCandidates(const Values& values, absl::Span<const Root> roots,
                                      absl::Span<const Root> known);

struct Choice {
  std::optional<ir::Dim> dim;  // the answer
  double cost = 0;
  std::string why;  // there is none: "no expression fits", "n+1 and m both fit"
};
Choice Choose(absl::Span<const Candidate> candidates, size_t lowerings);

}  // namespace swage::learn

#endif  // SWAGE_COMPILER_LEARN_CANDIDATES_H_
