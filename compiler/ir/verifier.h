// File: compiler/ir/verifier.h
//
// Whether a module keeps the rules of the graph. It runs after every pass that changed something,
// in release builds too, and after parsing. O(n); nothing recurses.
//
//   structure   operands and users agree and belong to one computation, no cycles, one root,
//               parameters numbered 0, 1, ..., names of computations unique (those of instructions
//               are by construction: only Computation::Add gives them), calls acyclic
//   shapes      every shape is the one that its rule infers (shape_inference.h); literals, entry
//               layout and input_output_alias fit; a symbol has one range
//   fusions     a body is called by its fusion alone and uses each of its parameters
//   layouts     none but the entry's before layout assignment, one on every array after it
//   schedule    every instruction once, after what it reads
#ifndef SWAGE_COMPILER_IR_VERIFIER_H_
#define SWAGE_COMPILER_IR_VERIFIER_H_

#include <optional>
#include <string>

#include "base/status.h"
#include "compiler/ir/module.h"

namespace swage::ir {

enum class LayoutPhase : uint8_t {
  kAny,     // as in HLO text that was just read
  kBefore,  // before layout assignment
  kAfter,   // from layout assignment on
};

struct VerifierOptions {
  LayoutPhase layouts = LayoutPhase::kAny;
  // Every computation that is no fusion's body must have a schedule. Schedules that exist are
  // checked in any case.
  bool scheduled = false;
};

struct Violation {
  std::string message;
  const Instruction* instruction = nullptr;  // null: of a computation or the module
};

// The first violation; nullopt when there is none.
std::optional<Violation> FindViolation(const Module& module, const VerifierOptions& options = {});

// The same as a status: Internal, naming the instruction.
Status Verify(const Module& module, const VerifierOptions& options = {});

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_VERIFIER_H_
