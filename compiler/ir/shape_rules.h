// File: compiler/ir/shape_rules.h
//
// The shape rules, `Infer<Rule>` for every rule that the op table names, and what they share. For
// shape_inference.cc and the infer_*.cc files only.
#ifndef SWAGE_COMPILER_IR_SHAPE_RULES_H_
#define SWAGE_COMPILER_IR_SHAPE_RULES_H_

#include <string>

#include "compiler/ir/computation.h"
#include "compiler/ir/shape_inference.h"

namespace swage::ir {

// Ops that share a rule declare it several times, which is harmless.
#define SWAGE_OP(name, text, arity, attrs, traits, shape, ...) \
  StatusOr<Shape> Infer##shape(const ShapeQuery& query);
#include "compiler/ir/opcodes.def"
#undef SWAGE_OP

template <typename... Args>
Status ShapeError(const ShapeQuery& query, const Args&... args) {
  return InvalidArgument("[", ToAbsl(OpcodeName(query.opcode)), "] ", args...);
}

// The shape's text without layouts.
inline std::string Text(const Shape& shape) { return shape.ToString(/*with_layout=*/false); }

template <typename T>
const T& AttrsOf(const ShapeQuery& query) {
  const T* found = AttrsIf<T>(query.attributes);
  SWAGE_CHECK(found != nullptr);
  return *found;
}

// Ok when a == b for every value of their symbols, or that may be assumed (assumptions.h); else an
// error that says `what` and both.
Status RequireEqual(const ShapeQuery& query, Dim a, Dim b, std::string_view what);
// Ok when a <= b, likewise.
Status RequireAtMost(const ShapeQuery& query, Dim a, Dim b, std::string_view what);
// Ok when all operands are arrays.
Status RequireArrays(const ShapeQuery& query);
// Ok when every operand's dims equal the first one's.
Status RequireSameDims(const ShapeQuery& query);
// Ok when there are `count` operands at least.
Status RequireOperands(const ShapeQuery& query, size_t count);
Status RequireDeclared(const ShapeQuery& query);
// Ok when the numbers in `dims` are different and in [0, rank).
Status RequireDimNumbers(const ShapeQuery& query, absl::Span<const int64_t> dims, int64_t rank,
                         std::string_view what);
// Ok when operands [first, end) are one integer scalar per dim.
Status RequireStartIndices(const ShapeQuery& query, size_t first, int64_t rank);
// Ok when called computation `i` exists, has a root and takes exactly these parameters.
Status RequireParameters(const ShapeQuery& query, size_t i, absl::Span<const Shape* const> shapes);
// The reducing computation of n values: 2n scalars to n; its results must be of `dtypes`, which the
// second half of its parameters (the elements) need not be.
Status RequireReducer(const ShapeQuery& query, absl::Span<const DType> accumulators,
                      absl::Span<const DType> elements);

bool Contains(absl::Span<const int64_t> list, int64_t value);
// One array, or a tuple of several.
Shape ArrayOrTuple(std::vector<Shape> shapes);

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_SHAPE_RULES_H_
