// Rules of ops that compute element by element, call computations, or only hand values on.
#include <cstring>
#include <variant>
#include <vector>

#include "compiler/evaluator/rules.h"
#include "compiler/evaluator/shape_binding.h"
#include "compiler/evaluator/strided_copy.h"
#include "compiler/math/host_elementwise.h"

namespace swage::evaluator {
namespace {

math::ElementwiseAttrs AttrsOf(const ir::Instruction& instruction) {
  math::ElementwiseAttrs attrs;
  if (const auto* compare = ir::AttrsIf<ir::CompareAttrs>(instruction.attributes())) {
    attrs.compare = *compare;
  }
  if (const auto* precision = ir::AttrsIf<ir::ReducePrecisionAttrs>(instruction.attributes())) {
    attrs.reduce_precision = *precision;
  }
  return attrs;
}

}  // namespace

StatusOr<ir::Literal> EvalElementwise(const OpContext& context) {
  SWAGE_ASSIGN_OR_RETURN(ir::Literal out, ir::Literal::Create(context.shape));
  const int64_t n = out.element_count();
  absl::InlinedVector<math::HostOperand, 3> operands;
  absl::InlinedVector<ir::DType, 3> dtypes;
  for (const ir::Literal* operand : context.operands) {
    const bool scalar = operand->shape().is_scalar();
    if (!scalar && operand->element_count() != n) {
      return RuleError(context, "an operand of shape ", operand->shape().ToString(),
                       " does not fit ", context.shape.ToString());
    }
    operands.push_back({operand->bytes().data(), scalar});
    dtypes.push_back(operand->dtype());
  }
  const Status status =
      math::EvalElementwise(context.instruction.opcode(), out.dtype(),
                            {dtypes.data(), dtypes.size()}, AttrsOf(context.instruction),
                            {operands.data(), operands.size()}, out.mutable_bytes().data(), n);
  if (!status.ok()) {
    return Annotate(status, absl::StrCat(" (in ", context.instruction.name(), ")").c_str());
  }
  return out;
}

StatusOr<ir::Literal> EvalCall(const OpContext& context) {
  return context.interpreter.Run(*context.instruction.called(0), context.operands);
}

StatusOr<ir::Literal> EvalMap(const OpContext& context) {
  const ir::Computation& computation = *context.instruction.to_apply();
  const int64_t n = Product(Extents(context.shape));
  for (const ir::Literal* operand : context.operands) {
    if (operand->element_count() != n) {
      return RuleError(context, operand->shape().ToString(), " does not fit ",
                       context.shape.ToString());
    }
  }
  if (context.interpreter.CanLift(computation)) {
    std::vector<ir::Literal> lines;
    for (const ir::Literal* operand : context.operands) {
      SWAGE_ASSIGN_OR_RETURN(lines.emplace_back(),
                             operand->Reshaped(ir::Shape::Array(operand->dtype(), {ir::Dim(n)})));
    }
    std::vector<const ir::Literal*> args;
    for (const ir::Literal& line : lines) args.push_back(&line);
    SWAGE_ASSIGN_OR_RETURN(const ir::Literal out,
                           context.interpreter.RunLifted(computation, args, n));
    return out.Reshaped(context.shape);
  }
  SWAGE_ASSIGN_OR_RETURN(ir::Literal out, ir::Literal::Create(context.shape));
  const int bytes = ir::DTypeBytes(out.dtype());
  for (int64_t i = 0; i < n; ++i) {
    std::vector<ir::Literal> elements;
    for (const ir::Literal* operand : context.operands) elements.push_back(operand->ElementAt(i));
    std::vector<const ir::Literal*> args;
    for (const ir::Literal& element : elements) args.push_back(&element);
    SWAGE_ASSIGN_OR_RETURN(const ir::Literal value, context.interpreter.Run(computation, args));
    std::memcpy(out.mutable_bytes().data() + i * bytes, value.bytes().data(), bytes);
  }
  return out;
}

StatusOr<ir::Literal> EvalConstant(const OpContext& context) {
  return context.instruction.literal();
}

StatusOr<ir::Literal> EvalCopy(const OpContext& context) { return context.operand(0); }

StatusOr<ir::Literal> EvalIdentity(const OpContext& context) { return context.operand(0); }

StatusOr<ir::Literal> EvalGetDimensionSize(const OpContext& context) {
  const int64_t d = context.instruction.dimensions()[0];
  return ir::Literal::Scalar(context.shape.dtype(), Extents(context.operand(0).shape())[d]);
}

StatusOr<ir::Literal> EvalTuple(const OpContext& context) {
  std::vector<ir::Literal> elements;
  for (const ir::Literal* operand : context.operands) elements.push_back(*operand);
  return ir::Literal::Tuple(std::move(elements));
}

StatusOr<ir::Literal> EvalGetTupleElement(const OpContext& context) {
  const int64_t index = context.instruction.tuple_index();
  SWAGE_RET_CHECK(context.operand(0).is_tuple() && index >= 0 &&
                  index < static_cast<int64_t>(context.operand(0).elements().size()));
  return context.operand(0).elements()[index];
}

StatusOr<ir::Literal> EvalParameter(const OpContext& context) {
  return RuleError(context, "a parameter has no value of its own; evaluate its computation");
}

StatusOr<ir::Literal> EvalUnimplemented(const OpContext& context) {
  return Unimplemented("[evaluate] ", ToAbsl(ir::OpcodeName(context.instruction.opcode())), " (",
                       context.instruction.name(), ") is not implemented yet");
}

StatusOr<ir::Literal> EvalOp(const OpContext& context) {
  switch (context.instruction.opcode()) {
#define SWAGE_OP(name, text, arity, attrs, traits, shape, eval, ...) \
  case ir::Opcode::k##name:                                          \
    return Eval##eval(context);
#include "compiler/ir/opcodes.def"
#undef SWAGE_OP
  }
  return Internal("[evaluate] ", context.instruction.name(), " has no opcode of the op table");
}

}  // namespace swage::evaluator
