// File: compiler/evaluator/interpreter.h
//
// The insides of the evaluator: what runs a computation, and what the rule of each op gets to see.
#ifndef SWAGE_COMPILER_EVALUATOR_INTERPRETER_H_
#define SWAGE_COMPILER_EVALUATOR_INTERPRETER_H_

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "base/status.h"
#include "compiler/evaluator/budget.h"
#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/computation.h"
#include "compiler/ir/literal.h"

namespace swage::evaluator {

class Interpreter;

using Operands = absl::Span<const ir::Literal* const>;

// One instruction to run.
struct OpContext {
  const ir::Instruction& instruction;
  const ir::Shape& shape;  // of the result, static
  Operands operands;
  Interpreter& interpreter;

  const ir::Literal& operand(int i) const { return *operands[i]; }
};

// Runs computations. One object serves one evaluation; called computations share its budget,
// symbols and memory of results.
class Interpreter {
 public:
  Interpreter(const Options& options, ir::SymbolBinding symbols)
      : budget_(options.max_time_ms, options.max_bytes), symbols_(std::move(symbols)) {}

  // Runs a computation on one value per parameter.
  StatusOr<ir::Literal> Run(const ir::Computation& computation, Operands args);

  // Runs a computation of scalars on arrays of `lanes` elements instead, one element per lane: what
  // a reduce or map applies, for many elements at a time. CanLift must hold.
  StatusOr<ir::Literal> RunLifted(const ir::Computation& computation, Operands args, int64_t lanes);

  // Whether every instruction of a computation (and of what it calls) works lane by lane: scalars,
  // elementwise ops, tuples, calls.
  bool CanLift(const ir::Computation& computation) { return CanLift(computation, 0); }

  // Runs one instruction, charging its result to the budget until the caller releases `bytes`.
  StatusOr<ir::Literal> RunInstruction(const ir::Instruction& instruction, Operands operands,
                                       int64_t* bytes);

  Budget& budget() { return budget_; }
  const ir::SymbolBinding& symbols() const { return symbols_; }

 private:
  // The instructions that the root needs, in order of execution.
  struct Step {
    const ir::Instruction* instruction;
    absl::InlinedVector<int, 3> operands;   // steps
    absl::InlinedVector<int, 2> last_uses;  // steps whose values nobody needs after this one
  };
  struct Plan {
    std::vector<Step> steps;
    std::optional<bool> liftable;  // once it was asked for
  };

  // lanes: -1 when not lifted.
  StatusOr<ir::Literal> RunPlan(const ir::Computation& computation, Operands args, int64_t lanes);
  StatusOr<ir::Literal> RunStep(const ir::Instruction& instruction, Operands operands,
                                Operands args, int64_t lanes, int64_t* bytes);
  Plan& PlanOf(const ir::Computation& computation);
  bool CanLift(const ir::Computation& computation, int depth);

  Budget budget_;
  ir::SymbolBinding symbols_;
  int depth_ = 0;
  absl::flat_hash_map<const ir::Computation*, std::unique_ptr<Plan>> plans_;
  // Results of computations without parameters.
  absl::flat_hash_map<const ir::Computation*, ir::Literal> results_;
};

// Runs the rule of an op: the Eval column of the op table.
StatusOr<ir::Literal> EvalOp(const OpContext& context);

}  // namespace swage::evaluator

#endif  // SWAGE_COMPILER_EVALUATOR_INTERPRETER_H_
