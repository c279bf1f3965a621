#include "compiler/ir/shape_inference.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/ir/assumptions.h"
#include "compiler/ir/shape_rules.h"

namespace swage::ir {

StatusOr<Shape> InferShape(const ShapeQuery& query) {
  const int arity = InfoOf(query.opcode).arity;
  if (arity >= 0 && query.operands.size() != static_cast<size_t>(arity)) {
    return ShapeError(query, "takes ", arity, " operands, got ", query.operands.size());
  }
  switch (query.opcode) {
#define SWAGE_OP(name, text, arity, attrs, traits, shape, ...) \
  case Opcode::k##name:                                        \
    return Infer##shape(query);
#include "compiler/ir/opcodes.def"
#undef SWAGE_OP
  }
  return Internal("[shape inference] no such opcode");
}

Status CheckShape(const Instruction& instruction) {
  absl::InlinedVector<const Shape*, 4> operands;
  for (const Instruction* operand : instruction.operands()) operands.push_back(&operand->shape());
  const Shape& declared = instruction.shape();
  const ShapeQuery query{instruction.opcode(), operands, instruction.attributes(),
                         instruction.called(), &declared};
  SWAGE_RETURN_IF_ERROR(declared.Check());
  SWAGE_ASSIGN_OR_RETURN(const Shape inferred, InferShape(query));
  if (ProvenCompatible(inferred, declared)) return OkStatus();
  return ShapeError(query, "the result is ", Text(inferred), ", but it is declared as ",
                    Text(declared));
}

bool ProvenCompatible(const Shape& a, const Shape& b) {
  if (Compatible(a, b)) return true;
  if (a.is_array() != b.is_array() || a.is_tuple() != b.is_tuple()) return false;
  if (a.is_token()) return b.is_token();
  if (a.is_tuple()) {
    if (a.tuple_size() != b.tuple_size()) return false;
    for (int i = 0; i < a.tuple_size(); ++i) {
      if (!ProvenCompatible(a.tuple_shape(i), b.tuple_shape(i))) return false;
    }
    return true;
  }
  if (a.dtype() != b.dtype() || a.rank() != b.rank()) return false;
  for (int i = 0; i < a.rank(); ++i) {
    if (a.dim(i) != b.dim(i) && ProveEqual(a.dim(i), b.dim(i)) != Ternary::kYes) return false;
  }
  return true;
}

namespace {

// What an assumption says of the op that needs it.
std::string Needed(const ShapeQuery& query, std::string_view what) {
  return absl::StrCat("[", ToAbsl(OpcodeName(query.opcode)), "] ", ToAbsl(what));
}

}  // namespace

Status RequireEqual(const ShapeQuery& query, Dim a, Dim b, std::string_view what) {
  if (a == b) return OkStatus();
  const Ternary equal = ProveEqual(a, b);
  if (equal == Ternary::kYes) return OkStatus();
  if (equal == Ternary::kUnknown && AssumeEqual(a, b, Needed(query, what))) return OkStatus();
  return ShapeError(query, ToAbsl(what), ": ", a.ToString(), " and ", b.ToString(),
                    equal == Ternary::kNo ? " differ" : " are not known to be equal");
}

Status RequireAtMost(const ShapeQuery& query, Dim a, Dim b, std::string_view what) {
  const Ternary holds = ProveLessEqual(a, b);
  if (holds == Ternary::kYes) return OkStatus();
  if (holds == Ternary::kUnknown && AssumeAtMost(a, b, Needed(query, what))) return OkStatus();
  return ShapeError(query, ToAbsl(what), ": ", a.ToString(), " is ",
                    holds == Ternary::kNo ? "more than " : "not known to be at most ",
                    b.ToString());
}

Status RequireArrays(const ShapeQuery& query) {
  for (size_t i = 0; i < query.operands.size(); ++i) {
    if (query.operands[i]->is_array()) continue;
    return ShapeError(query, "operand ", i, " must be an array, got ", Text(*query.operands[i]));
  }
  return OkStatus();
}

Status RequireSameDims(const ShapeQuery& query) {
  const Shape& first = *query.operands[0];
  for (size_t i = 1; i < query.operands.size(); ++i) {
    const Shape& other = *query.operands[i];
    if (SameDims(first, other)) continue;
    if (first.rank() != other.rank()) {
      return ShapeError(query, "operands must have equal dimensions, got ", Text(first), " and ",
                        Text(other));
    }
    for (int d = 0; d < first.rank(); ++d) {
      SWAGE_RETURN_IF_ERROR(
          RequireEqual(query, first.dim(d), other.dim(d),
                       absl::StrCat("operands must have equal dimensions, got ", Text(first),
                                    " and ", Text(other), "; dimension ", d)));
    }
  }
  return OkStatus();
}

Status RequireOperands(const ShapeQuery& query, size_t count) {
  if (query.operands.size() >= count) return OkStatus();
  return ShapeError(query, "takes at least ", count, " operands, got ", query.operands.size());
}

Status RequireDeclared(const ShapeQuery& query) {
  if (query.declared != nullptr) return OkStatus();
  return Internal("[", ToAbsl(OpcodeName(query.opcode)), "] needs a declared shape");
}

Status RequireDimNumbers(const ShapeQuery& query, absl::Span<const int64_t> dims, int64_t rank,
                         std::string_view what) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || dims[i] >= rank) {
      return ShapeError(query, ToAbsl(what), " has ", dims[i],
                        ", which is not a dimension of rank ", rank);
    }
    if (Contains(dims.subspan(0, i), dims[i])) {
      return ShapeError(query, ToAbsl(what), " has dimension ", dims[i], " twice");
    }
  }
  return OkStatus();
}

Status RequireStartIndices(const ShapeQuery& query, size_t first, int64_t rank) {
  const size_t given = query.operands.size() - first;
  if (given != static_cast<size_t>(rank)) {
    return ShapeError(query, "takes one start index per dimension: ", rank, ", got ", given);
  }
  for (size_t i = first; i < query.operands.size(); ++i) {
    const Shape& index = *query.operands[i];
    if (!index.is_scalar() || !IsInteger(index.dtype()) ||
        index.dtype() != query.operands[first]->dtype()) {
      return ShapeError(query, "start indices must be integer scalars of one type, operand ", i,
                        " is ", Text(index));
    }
  }
  return OkStatus();
}

Status RequireParameters(const ShapeQuery& query, size_t i, absl::Span<const Shape* const> shapes) {
  if (i >= query.called.size() || query.called[i] == nullptr) {
    return ShapeError(query, "called computation ", i, " is missing");
  }
  const Computation& callee = *query.called[i];
  if (callee.root() == nullptr) return ShapeError(query, callee.name(), " has no root");
  if (callee.parameters().size() != shapes.size()) {
    return ShapeError(query, callee.name(), " takes ", callee.parameters().size(),
                      " parameters, got ", shapes.size(), " arguments");
  }
  for (size_t p = 0; p < shapes.size(); ++p) {
    if (callee.parameter(p) == nullptr)
      return ShapeError(query, callee.name(), " lacks parameter ", p);
    const Shape& wanted = callee.parameter(p)->shape();
    if (ProvenCompatible(wanted, *shapes[p])) continue;
    return ShapeError(query, "parameter ", p, " of ", callee.name(), " is ", Text(wanted), ", got ",
                      Text(*shapes[p]));
  }
  return OkStatus();
}

Status RequireReducer(const ShapeQuery& query, absl::Span<const DType> accumulators,
                      absl::Span<const DType> elements) {
  std::vector<Shape> scalars;
  for (DType dtype : accumulators) scalars.push_back(Shape::Scalar(dtype));
  for (DType dtype : elements) scalars.push_back(Shape::Scalar(dtype));
  std::vector<const Shape*> parameters;
  for (const Shape& scalar : scalars) parameters.push_back(&scalar);
  SWAGE_RETURN_IF_ERROR(RequireParameters(query, 0, parameters));
  scalars.resize(accumulators.size());
  const Shape wanted = ArrayOrTuple(std::move(scalars));
  const Shape& result = query.called[0]->root()->shape();
  if (ProvenCompatible(wanted, result)) return OkStatus();
  return ShapeError(query, query.called[0]->name(), " must return ", Text(wanted), ", got ",
                    Text(result));
}

bool Contains(absl::Span<const int64_t> list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

Shape ArrayOrTuple(std::vector<Shape> shapes) {
  if (shapes.size() == 1) return std::move(shapes[0]);
  return Shape::Tuple(std::move(shapes));
}

}  // namespace swage::ir
