// File: compiler/ir/assumptions.h
//
// What a symbolic program takes for granted about its sizes. A shape rule that needs a <= b, and
// can neither prove nor disprove it for all values of the symbols, is an error; while an
// AssumptionScope is open on the thread it is assumed instead and written down, for whoever knows
// the sizes to check.
//
//   AssumptionScope scope;
//   ... trace x[3:] of f32[seq] ...
//   Status fits = CheckAssumptions(scope.made(), sizes);       // 3 <= seq
#ifndef SWAGE_COMPILER_IR_ASSUMPTIONS_H_
#define SWAGE_COMPILER_IR_ASSUMPTIONS_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/status.h"
#include "compiler/ir/dim.h"

namespace swage::ir {

struct Assumption {
  Dim less, more;    // less <= more
  std::string what;  // the op that needs it, and why
};

class AssumptionScope {
 public:
  AssumptionScope();
  ~AssumptionScope();
  AssumptionScope(const AssumptionScope&) = delete;
  AssumptionScope& operator=(const AssumptionScope&) = delete;

  // Each pair once, in the order in which they were met.
  const std::vector<Assumption>& made() const { return made_; }

 private:
  friend bool Assume(Dim less, Dim more, std::string_view what);
  std::vector<Assumption> made_;
  AssumptionScope* const below_;
};

// Assumes less <= more in the innermost scope of this thread. False: none is open.
bool Assume(Dim less, Dim more, std::string_view what);

// InvalidArgument that names the first assumption that `sizes` break.
Status CheckAssumptions(absl::Span<const Assumption> assumptions, const SymbolBinding& sizes);

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_ASSUMPTIONS_H_
