// File: compiler/evaluator/rules.h
//
// One rule per name in the Eval column of the op table, `Eval<Name>`. A rule reads the operands'
// values and makes a value of `context.shape`. The verifier has checked ranks and attributes;
// extents that were symbols until now are checked here again, so that no rule reads or writes out
// of bounds.
#ifndef SWAGE_COMPILER_EVALUATOR_RULES_H_
#define SWAGE_COMPILER_EVALUATOR_RULES_H_

#include "compiler/evaluator/interpreter.h"

namespace swage::evaluator {

// data_rules.cc
StatusOr<ir::Literal> EvalBroadcast(const OpContext& context);
StatusOr<ir::Literal> EvalConcatenate(const OpContext& context);
StatusOr<ir::Literal> EvalIota(const OpContext& context);
StatusOr<ir::Literal> EvalPad(const OpContext& context);
StatusOr<ir::Literal> EvalReverse(const OpContext& context);
StatusOr<ir::Literal> EvalSlice(const OpContext& context);
StatusOr<ir::Literal> EvalTranspose(const OpContext& context);

// bits_rules.cc
StatusOr<ir::Literal> EvalBitcast(const OpContext& context);
StatusOr<ir::Literal> EvalBitcastConvert(const OpContext& context);
StatusOr<ir::Literal> EvalReshape(const OpContext& context);

// index_rules.cc
StatusOr<ir::Literal> EvalDynamicSlice(const OpContext& context);
StatusOr<ir::Literal> EvalDynamicUpdateSlice(const OpContext& context);
StatusOr<ir::Literal> EvalGather(const OpContext& context);

// dot_rule.cc
StatusOr<ir::Literal> EvalDot(const OpContext& context);

// reduce_rule.cc
StatusOr<ir::Literal> EvalReduce(const OpContext& context);

// structure_rules.cc
StatusOr<ir::Literal> EvalCall(const OpContext& context);
StatusOr<ir::Literal> EvalConstant(const OpContext& context);
StatusOr<ir::Literal> EvalCopy(const OpContext& context);
StatusOr<ir::Literal> EvalElementwise(const OpContext& context);
StatusOr<ir::Literal> EvalGetDimensionSize(const OpContext& context);
StatusOr<ir::Literal> EvalGetTupleElement(const OpContext& context);
StatusOr<ir::Literal> EvalIdentity(const OpContext& context);
StatusOr<ir::Literal> EvalMap(const OpContext& context);
StatusOr<ir::Literal> EvalParameter(const OpContext& context);
StatusOr<ir::Literal> EvalTuple(const OpContext& context);
StatusOr<ir::Literal> EvalUnimplemented(const OpContext& context);

// An error about this instruction.
template <typename... Args>
Status RuleError(const OpContext& context, const Args&... args) {
  return InvalidArgument("[evaluate] ", context.instruction.name(), " = ",
                         ToAbsl(ir::OpcodeName(context.instruction.opcode())), ": ", args...);
}

}  // namespace swage::evaluator

#endif  // SWAGE_COMPILER_EVALUATOR_RULES_H_
