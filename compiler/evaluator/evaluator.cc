#include "compiler/evaluator/evaluator.h"

#include <vector>

#include "base/mxcsr.h"
#include "compiler/evaluator/interpreter.h"
#include "compiler/evaluator/shape_binding.h"

namespace swage::evaluator {
namespace {

std::vector<const ir::Literal*> Pointers(absl::Span<const ir::Literal> literals) {
  std::vector<const ir::Literal*> pointers;
  for (const ir::Literal& literal : literals) pointers.push_back(&literal);
  return pointers;
}

std::vector<ir::Shape> ShapesOf(absl::Span<const ir::Literal> literals) {
  std::vector<ir::Shape> shapes;
  for (const ir::Literal& literal : literals) shapes.push_back(literal.shape());
  return shapes;
}

}  // namespace

StatusOr<ir::Literal> Evaluate(const ir::Module& module, absl::Span<const ir::Literal> args,
                               const Options& options) {
  if (module.entry() == nullptr) {
    return InvalidArgument("[evaluate] module ", module.name(), " has no entry computation");
  }
  return Evaluate(*module.entry(), args, options);
}

StatusOr<ir::Literal> Evaluate(const ir::Computation& computation,
                               absl::Span<const ir::Literal> args, const Options& options) {
  std::vector<ir::Shape> declared;
  for (const ir::Instruction* parameter : computation.parameters()) {
    declared.push_back(parameter->shape());
  }
  ir::SymbolBinding symbols;
  SWAGE_RETURN_IF_ERROR(BindShapes(declared, ShapesOf(args), &symbols));
  const ScopedMxcsr mode;  // another library may have set flush-to-zero on this thread
  Interpreter interpreter(options, std::move(symbols));
  return interpreter.Run(computation, Pointers(args));
}

StatusOr<ir::Literal> EvaluateInstruction(const ir::Instruction& instruction,
                                          absl::Span<const ir::Literal> operands,
                                          const Options& options) {
  std::vector<ir::Shape> declared;
  for (const ir::Instruction* operand : instruction.operands()) {
    declared.push_back(operand->shape());
  }
  ir::SymbolBinding symbols;
  SWAGE_RETURN_IF_ERROR(BindShapes(declared, ShapesOf(operands), &symbols));
  const ScopedMxcsr mode;  // another library may have set flush-to-zero on this thread
  Interpreter interpreter(options, std::move(symbols));
  int64_t bytes = 0;
  return interpreter.RunInstruction(instruction, Pointers(operands), &bytes);
}

}  // namespace swage::evaluator
