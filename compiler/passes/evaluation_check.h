// File: compiler/passes/evaluation_check.h
//
// SWAGE_CHECK=passes: evaluates a module on fixed pseudo-random inputs before the first pass and
// after every pass that changed it, and names the pass whose module gives something else.
//
// Results must agree bit by bit (any NaN is a NaN), within a tolerance where the module has a dot
// or a convolution, whose accumulation is free, or where fast_math is on. A module that the
// evaluator cannot run, or not within a few seconds, is not checked, and a message says so.
#ifndef SWAGE_COMPILER_PASSES_EVALUATION_CHECK_H_
#define SWAGE_COMPILER_PASSES_EVALUATION_CHECK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/ir/literal.h"
#include "compiler/ir/module.h"
#include "compiler/passes/pass.h"

namespace swage::passes {

enum class InputKind {
  kOrdinary,  // floats around 1, small integers
  kSpecial,   // with NaN, infinities, both zeros, denormals, the largest and smallest values
};

// Arguments of the entry computation; equal for equal modules. A symbol gets a small value.
// ResourceExhausted when they are large.
StatusOr<std::vector<ir::Literal>> RandomArguments(const ir::Module& module, InputKind kind);

// Where two results differ and how; nullopt when they agree. With `tolerant`, floats may differ by
// a few hundred ULP of the largest element.
std::optional<std::string> FirstDifference(const ir::Literal& want, const ir::Literal& got,
                                           bool tolerant);

// Whether the module has an op whose accumulation order is free.
bool HasFreeAccumulation(const ir::Module& module);

class EvaluationCheck {
 public:
  // Null, with a message, where the module cannot be evaluated.
  static std::unique_ptr<EvaluationCheck> Start(const ir::Module& module, PassContext& context);

  // Internal, naming `pass`, when the module now gives other results.
  Status Check(const ir::Module& module, std::string_view pass);

 private:
  struct Sample {
    std::vector<ir::Literal> arguments;
    ir::Literal result;
  };

  explicit EvaluationCheck(bool tolerant) : tolerant_(tolerant) {}

  bool tolerant_;
  std::vector<Sample> samples_;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_EVALUATION_CHECK_H_
