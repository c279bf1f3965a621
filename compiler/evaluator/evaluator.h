// File: compiler/evaluator/evaluator.h
//
// The evaluator: an interpreter of the op set, and the one definition of what each op means. It
// folds constants, checks passes (the module before against the module after), and is what every
// backend is tested against. It is written to be right and never to crash; its dots and reductions
// are fast enough to check whole programs.
//
//   SWAGE_ASSIGN_OR_RETURN(ir::Literal out, evaluator::Evaluate(module, {x, y}));
//
// - Symbolic dims are solved from the shapes of the arguments.
// - A value is freed when its last user has run. Instructions that the root does not need are not
//   run.
// - A computation without parameters runs once, however often it is called.
// - Every op rounds as docs/semantics.md says. f32 dots accumulate in f64 and f16, bf16 and f8
//   dots in f32, from the first product to the last; the result is rounded once.
//
// Errors name the instruction: InvalidArgument (arguments that do not fit), Unimplemented (an op
// that the op table declares only), ResourceExhausted (the budget, memory, or calls nested too
// deeply). Thread-safe as long as nobody changes the module meanwhile.
#ifndef SWAGE_COMPILER_EVALUATOR_EVALUATOR_H_
#define SWAGE_COMPILER_EVALUATOR_EVALUATOR_H_

#include <cstdint>
#include <limits>

#include "absl/types/span.h"
#include "base/status.h"
#include "compiler/ir/computation.h"
#include "compiler/ir/literal.h"
#include "compiler/ir/module.h"

namespace swage::evaluator {

inline constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// A module that nests calls deeper is refused.
inline constexpr int kMaxCallDepth = 256;

struct Options {
  // Wall time of one Evaluate call, looked at between ops and inside long ones.
  int64_t max_time_ms = kNoLimit;
  // Bytes of the values alive at one time. Without a limit: the memory of this machine.
  int64_t max_bytes = kNoLimit;
};

// Runs the entry computation. One argument per parameter; a tuple-shaped result is a tuple literal.
StatusOr<ir::Literal> Evaluate(const ir::Module& module, absl::Span<const ir::Literal> args,
                               const Options& options = {});
StatusOr<ir::Literal> Evaluate(const ir::Computation& computation,
                               absl::Span<const ir::Literal> args, const Options& options = {});

// Runs one instruction (not a parameter) on the values of its operands.
StatusOr<ir::Literal> EvaluateInstruction(const ir::Instruction& instruction,
                                          absl::Span<const ir::Literal> operands,
                                          const Options& options = {});

}  // namespace swage::evaluator

#endif  // SWAGE_COMPILER_EVALUATOR_EVALUATOR_H_
