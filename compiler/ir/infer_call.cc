// Shape rules of tuples and of ops that call computations with whole values.
#include "compiler/ir/shape_rules.h"

namespace swage::ir {
namespace {

Shape RootShape(const Computation& computation) {
  Shape shape = computation.root()->shape();
  shape.clear_layout();
  return shape;
}

Status RequireResult(const ShapeQuery& query, const Computation& computation, const Shape& wanted) {
  const Shape& result = computation.root()->shape();
  if (ProvenCompatible(result, wanted)) return OkStatus();
  return ShapeError(query, computation.name(), " must return ", Text(wanted), ", got ",
                    Text(result));
}

}  // namespace

StatusOr<Shape> InferTuple(const ShapeQuery& query) {
  std::vector<Shape> shapes;
  shapes.reserve(query.operands.size());
  for (const Shape* operand : query.operands) {
    shapes.push_back(*operand);
    shapes.back().clear_layout();
  }
  return Shape::Tuple(std::move(shapes));
}

StatusOr<Shape> InferGetTupleElement(const ShapeQuery& query) {
  const Shape& tuple = *query.operands[0];
  if (!tuple.is_tuple()) return ShapeError(query, "takes a tuple, got ", Text(tuple));
  const int64_t index = AttrsOf<TupleIndexAttrs>(query).index;
  if (index < 0 || index >= tuple.tuple_size()) {
    return ShapeError(query, "index ", index, " is not an element of ", Text(tuple));
  }
  Shape shape = tuple.tuple_shape(static_cast<int>(index));
  shape.clear_layout();
  return shape;
}

StatusOr<Shape> InferCall(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireParameters(query, 0, query.operands));
  return RootShape(*query.called[0]);
}

StatusOr<Shape> InferWhile(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireParameters(query, 0, query.operands));
  SWAGE_RETURN_IF_ERROR(RequireParameters(query, 1, query.operands));
  SWAGE_RETURN_IF_ERROR(RequireResult(query, *query.called[0], Shape::Scalar(DType::kPred)));
  SWAGE_RETURN_IF_ERROR(RequireResult(query, *query.called[1], *query.operands[0]));
  return RootShape(*query.called[1]);
}

StatusOr<Shape> InferConditional(const ShapeQuery& query) {
  SWAGE_RETURN_IF_ERROR(RequireOperands(query, 1));
  const Shape& selector = *query.operands[0];
  const size_t branches = query.called.size();
  if (branches == 0) return ShapeError(query, "needs at least one branch");
  const bool on_pred = selector.is_scalar() && selector.dtype() == DType::kPred;
  const bool on_index = selector.is_scalar() && selector.dtype() == DType::kS32;
  if (!on_index && !(on_pred && branches == 2)) {
    return ShapeError(query, "chooses by pred[] between two branches or by s32[], got ",
                      Text(selector), " and ", branches, " branches");
  }
  if (query.operands.size() != branches + 1) {
    return ShapeError(query, "needs an operand for each of its ", branches, " branches, got ",
                      query.operands.size() - 1);
  }
  for (size_t i = 0; i < branches; ++i) {
    SWAGE_RETURN_IF_ERROR(RequireParameters(query, i, query.operands.subspan(i + 1, 1)));
    SWAGE_RETURN_IF_ERROR(RequireResult(query, *query.called[i], query.called[0]->root()->shape()));
  }
  return RootShape(*query.called[0]);
}

}  // namespace swage::ir
