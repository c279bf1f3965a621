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
//
// Whoever can do more with open conditions (learning solves equations) derives from Assumptions.
#ifndef SWAGE_COMPILER_IR_ASSUMPTIONS_H_
#define SWAGE_COMPILER_IR_ASSUMPTIONS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "base/status.h"
#include "compiler/ir/dim.h"

namespace swage::ir {

// Decides about the open conditions that come up on this thread while it exists; the innermost one
// does so alone. `what` is the op that needs the condition, and why.
class Assumptions {
 public:
  Assumptions(const Assumptions&) = delete;
  Assumptions& operator=(const Assumptions&) = delete;

  // Whether it may be taken as given. Who says so sees to it that it holds.
  virtual bool AssumeEqual(Dim a, Dim b, std::string_view what) = 0;
  virtual bool AssumeAtMost(Dim less, Dim more, std::string_view what) = 0;

 protected:
  Assumptions();
  virtual ~Assumptions();

 private:
  Assumptions* const below_;
};

struct Assumption {
  Dim less, more;    // less <= more
  std::string what;  // the op that needs it, and why
};

// Takes every inequality, and no equation.
class AssumptionScope final : public Assumptions {
 public:
  // Each pair once, in the order in which they were met.
  const std::vector<Assumption>& made() const { return made_; }

  bool AssumeEqual(Dim, Dim, std::string_view) override { return false; }
  bool AssumeAtMost(Dim less, Dim more, std::string_view what) override;

 private:
  std::vector<Assumption> made_;
};

// Asks the innermost of this thread. False also when there is none, or a dim is poisoned.
bool AssumeEqual(Dim a, Dim b, std::string_view what);
bool AssumeAtMost(Dim less, Dim more, std::string_view what);

// InvalidArgument that names the first assumption that `sizes` break.
Status CheckAssumptions(absl::Span<const Assumption> assumptions, const SymbolBinding& sizes);

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_ASSUMPTIONS_H_
