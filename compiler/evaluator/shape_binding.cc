#include "compiler/evaluator/shape_binding.h"

#include <utility>
#include <vector>

namespace swage::evaluator {
namespace {

struct Equation {
  int argument;
  ir::Dim dim;
  int64_t value;
};

Status Mismatch(int argument, const ir::Shape& declared, const ir::Shape& actual) {
  return InvalidArgument("[evaluate] argument ", argument, " is ", actual.ToString(), ", expected ",
                         declared.ToString());
}

Status CollectEquations(int argument, const ir::Shape& declared, const ir::Shape& actual,
                        std::vector<Equation>* equations) {
  if (declared.is_tuple() != actual.is_tuple() ||
      (declared.is_tuple() && declared.tuple_size() != actual.tuple_size())) {
    return Mismatch(argument, declared, actual);
  }
  if (declared.is_tuple()) {
    for (int i = 0; i < declared.tuple_size(); ++i) {
      SWAGE_RETURN_IF_ERROR(
          CollectEquations(argument, declared.tuple_shape(i), actual.tuple_shape(i), equations));
    }
    return OkStatus();
  }
  if (declared.dtype() != actual.dtype() || declared.rank() != actual.rank()) {
    return Mismatch(argument, declared, actual);
  }
  for (int d = 0; d < declared.rank(); ++d) {
    const std::optional<int64_t> value = actual.dim(d).static_value();
    SWAGE_RET_CHECK(value.has_value(), "the shape of a literal is static");
    if (declared.dim(d).is_static() && declared.dim(d) != actual.dim(d)) {
      return Mismatch(argument, declared, actual);
    }
    if (!declared.dim(d).is_static()) equations->push_back({argument, declared.dim(d), *value});
  }
  return OkStatus();
}

int UnknownSymbols(ir::Dim dim, const ir::SymbolBinding& binding) {
  std::vector<const ir::Symbol*> symbols;
  dim.CollectSymbols(&symbols);
  int unknown = 0;
  for (const ir::Symbol* symbol : symbols) unknown += !binding.Find(symbol).has_value();
  return unknown;
}

}  // namespace

Status BindShapes(absl::Span<const ir::Shape> declared, absl::Span<const ir::Shape> actual,
                  ir::SymbolBinding* binding) {
  if (declared.size() != actual.size()) {
    return InvalidArgument("[evaluate] got ", actual.size(), " arguments, expected ",
                           declared.size());
  }
  std::vector<Equation> open;
  for (size_t i = 0; i < declared.size(); ++i) {
    SWAGE_RETURN_IF_ERROR(CollectEquations(static_cast<int>(i), declared[i], actual[i], &open));
  }
  // Each round solves what has become solvable; a round without progress ends it.
  Status unsolved;
  while (!open.empty()) {
    std::vector<Equation> later;
    for (const Equation& equation : open) {
      const bool decided = UnknownSymbols(equation.dim, *binding) == 0;
      const Status status = binding->Bind(equation.dim, equation.value);
      if (status.ok()) continue;
      const Status named =
          InvalidArgument("[evaluate] argument ", equation.argument, ": ", status.message());
      if (decided) return named;
      unsolved = named;
      later.push_back(equation);
    }
    if (later.size() == open.size()) return unsolved;
    open = std::move(later);
  }
  return OkStatus();
}

StatusOr<int64_t> StaticDim(ir::Dim dim, const ir::SymbolBinding& binding) {
  if (dim.static_value().has_value()) return *dim.static_value();
  return dim.Evaluate(binding);
}

StatusOr<ir::Shape> StaticShape(const ir::Shape& shape, const ir::SymbolBinding& binding) {
  if (shape.is_static()) return shape;
  ir::Shape bound = shape;
  if (shape.is_tuple()) {
    for (int i = 0; i < shape.tuple_size(); ++i) {
      SWAGE_ASSIGN_OR_RETURN(*bound.mutable_tuple_shape(i),
                             StaticShape(shape.tuple_shape(i), binding));
    }
    return bound;
  }
  for (int d = 0; d < shape.rank(); ++d) {
    SWAGE_ASSIGN_OR_RETURN(const int64_t extent, StaticDim(shape.dim(d), binding));
    if (extent < 0) {
      return InvalidArgument("[evaluate] dimension ", d, " of ", shape.ToString(), " is ", extent,
                             ", which is negative");
    }
    bound.set_dim(d, extent);
  }
  return bound;
}

std::vector<int64_t> Extents(const ir::Shape& shape) {
  std::vector<int64_t> extents(shape.rank());
  for (int d = 0; d < shape.rank(); ++d) {
    SWAGE_CHECK(shape.dim(d).is_static());
    extents[d] = *shape.dim(d).static_value();
  }
  return extents;
}

}  // namespace swage::evaluator
