// File: compiler/ir/shape_inference.h
//
// The shape of an op's result from its operands' shapes, one rule per `Shape` column of the op
// table.
//
//   InferShape(query)         the result's shape, without layouts
//   CheckShape(instruction)   whether an instruction's shape is the one that its rule gives
//
// Dims may be symbolic: results are expressions, and whatever must be equal or in range must be so
// for every value of the symbols. "Not known" is an error that names the dims, unless it may be
// assumed (assumptions.h).
// A few ops do not determine their shape alone (broadcast, reshape, convert, iota, parameter ...):
// their rules check `declared`, which must be given, and return it. A dot's result may be declared
// with a wider dtype.
//
// Errors are InvalidArgument and begin with the op: `[concatenate] operand 1: ...`.
#ifndef SWAGE_COMPILER_IR_SHAPE_INFERENCE_H_
#define SWAGE_COMPILER_IR_SHAPE_INFERENCE_H_

#include "absl/types/span.h"
#include "base/status.h"
#include "compiler/ir/attributes.h"
#include "compiler/ir/instruction.h"
#include "compiler/ir/opcode.h"
#include "compiler/ir/shape.h"

namespace swage::ir {

struct ShapeQuery {
  Opcode opcode;
  absl::Span<const Shape* const> operands;
  const Attributes& attributes;
  absl::Span<Computation* const> called = {};
  const Shape* declared = nullptr;
};

StatusOr<Shape> InferShape(const ShapeQuery& query);

Status CheckShape(const Instruction& instruction);

// Equal but for layouts, with every pair of dims proven equal.
bool ProvenCompatible(const Shape& a, const Shape& b);

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_SHAPE_INFERENCE_H_
