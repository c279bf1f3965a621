// The shapes of merged instructions.
#include "compiler/ir/shape_inference.h"
#include "compiler/learn/lowered_shapes.h"
#include "compiler/learn/merge.h"

namespace swage::learn {
namespace {

using ir::Dim;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;

// The shape rule of an op that says nothing of its operands.
bool IsDeclared(Opcode opcode) {
  switch (opcode) {
#define SWAGE_OP(name, text, arity, attrs, traits, shape, ...) \
  case Opcode::k##name:                                        \
    return std::string_view(#shape) == "Declared";
#include "compiler/ir/opcodes.def"
#undef SWAGE_OP
  }
  return false;
}

// product[i] *= values[i]; false when one overflows.
bool Multiply(Values* product, const Values& values) {
  bool fits = true;
  for (size_t i = 0; i < values.size(); ++i) {
    fits = fits && !__builtin_mul_overflow((*product)[i], values[i], &(*product)[i]);
  }
  return fits;
}

using GivenDims = std::vector<std::optional<Dim>>;

// The extents of a broadcast that are its operand's.
GivenDims BroadcastDims(const Instruction& first, const Shape& operand) {
  GivenDims given(first.shape().rank());
  const ir::DimList& dimensions = first.dimensions();
  for (size_t d = 0; d < dimensions.size(); ++d) {
    given[dimensions[d]] = operand.dim(static_cast<int>(d));
  }
  return given;
}

// A reshape's extents from its operand's: both shapes are cut where their products agree in every
// lowering. A piece with one extent on the right is the product of the left; one with one varying
// extent on the right is the product of the left over the others. The rest is left to equations.
GivenDims ReshapeDims(const Instructions& all, const Shape& operand) {
  LoweredShapes from;
  for (const Instruction* instruction : all) from.push_back(&instruction->operand(0)->shape());
  const LoweredShapes to = ShapesOf(all);
  const int rank = to[0]->rank();
  GivenDims given(rank);
  int i = 0, j = 0;
  while (j < rank) {
    const int first_i = i, first_j = j;
    Values left(all.size(), 1), right(all.size(), 1);
    bool fits = Multiply(&right, ExtentsAt(to, j++));
    while (left != right && fits) {
      // The side that is behind in the first lowering where they differ takes the next extent.
      size_t k = 0;
      while (left[k] == right[k]) ++k;
      if (left[k] < right[k] && i < operand.rank()) {
        fits = Multiply(&left, ExtentsAt(from, i++));
      } else if (left[k] > right[k] && j < rank) {
        fits = Multiply(&right, ExtentsAt(to, j++));
      } else {
        fits = false;
      }
    }
    if (!fits) return given;
    Dim product = 1;
    for (int d = first_i; d < i; ++d) product *= operand.dim(d);
    std::vector<int> varying;
    Dim others = 1;
    for (int d = first_j; d < j; ++d) {
      const Values values = ExtentsAt(to, d);
      if (IsConstant(values)) {
        others *= values[0];
      } else {
        varying.push_back(d);
      }
    }
    if (varying.size() != 1) continue;
    if (others == Dim(1)) {
      given[varying[0]] = product;
    } else if (const Dim quotient = FloorDiv(product, others); quotient * others == product) {
      given[varying[0]] = quotient;
    }
  }
  return given;
}

}  // namespace

Status Merger::MergeEntryLayout(ir::Module* module) const {
  if (!lowerings_[0]->entry_layout().has_value()) return OkStatus();
  ir::EntryLayout border = *lowerings_[0]->entry_layout();
  // Layouts are those of the first lowering, which all must share; extents those that were merged.
  const auto merge = [](const Shape& merged, Shape* shape, const auto& self) -> void {
    for (int i = 0; shape->is_tuple() && i < shape->tuple_size(); ++i) {
      self(merged.tuple_shape(i), shape->mutable_tuple_shape(i), self);
    }
    for (int d = 0; shape->is_array() && d < shape->rank(); ++d) {
      shape->set_dim(d, merged.dim(d));
    }
  };
  const ir::Computation& entry = *module->entry();
  SWAGE_RET_CHECK(border.parameters.size() == entry.parameters().size());
  for (size_t p = 0; p < border.parameters.size(); ++p) {
    merge(entry.parameter(static_cast<int>(p))->shape(), &border.parameters[p], merge);
  }
  merge(entry.root()->shape(), &border.result, merge);
  for (size_t i = 1; i < lowerings_.size(); ++i) {
    std::optional<ir::EntryLayout> other = lowerings_[i]->entry_layout();
    if (other.has_value() && other->parameters.size() == border.parameters.size()) {
      for (size_t p = 0; p < border.parameters.size(); ++p) {
        merge(border.parameters[p], &other->parameters[p], merge);
      }
      merge(border.result, &other->result, merge);
    }
    if (other != border) {
      return InvalidArgument("[learn] ", NameOf(0), " and ", NameOf(i),
                             " have parameters or results of different layouts");
    }
  }
  module->set_entry_layout(std::move(border));
  return OkStatus();
}

Shape Merger::Declared(const Instructions& all, absl::Span<const std::optional<Dim>> given) {
  Shape shape = all[0]->shape();
  shape.clear_layout();
  ForEachArray(&shape, ShapesOf(all), [&](Shape* leaf, const LoweredShapes& leaves) {
    for (int d = 0; d < leaf->rank(); ++d) {
      if (static_cast<size_t>(d) < given.size() && given[d].has_value()) {
        leaf->set_dim(d, *given[d]);
        continue;
      }
      leaf->set_dim(d, extents_->Of(ExtentsAt(leaves, d),
                                    [&] { return absl::StrCat(PlaceOf(all), ", dimension ", d); }));
    }
  });
  return shape;
}

StatusOr<Shape> Merger::ShapeOf(const Instructions& all, absl::Span<const Shape* const> operands,
                                const ir::Attributes& attributes,
                                absl::Span<ir::Computation* const> called) {
  const Opcode opcode = all[0]->opcode();
  if (IsDeclared(opcode)) return Declared(all);
  if (IsCall(opcode)) {
    Shape result = extents_->Now(called.back()->root()->shape());
    if (opcode == Opcode::kWhile) {
      SWAGE_RETURN_IF_ERROR(Unify(*operands[0], result, all));
    }
    for (ir::Computation* branch : called) {
      if (opcode != Opcode::kConditional) continue;
      SWAGE_RETURN_IF_ERROR(Unify(branch->root()->shape(), result, all));
    }
    result.clear_layout();
    return extents_->Now(result);
  }
  Shape declared;
  if (opcode == Opcode::kIota) {
    declared = Declared(all);
  } else if (opcode == Opcode::kBroadcast) {
    declared = Declared(all, BroadcastDims(*all[0], *operands[0]));
  } else if (opcode == Opcode::kReshape || opcode == Opcode::kBitcast) {
    declared = Declared(all, ReshapeDims(all, *operands[0]));
  } else {
    declared = all[0]->shape();
    declared.clear_layout();
  }
  return ir::InferShape({opcode, operands, attributes, called, &declared});
}

// What the rules give must be what every lowering has; an extent that never varies is a number.
Status Merger::RequireShape(const Instructions& all, const Shape& inferred) {
  Status status;
  Shape merged = inferred;
  ForEachArray(&merged, ShapesOf(all), [&](Shape* leaf, const LoweredShapes& leaves) {
    for (int d = 0; d < leaf->rank() && status.ok(); ++d) {
      const Values wanted = ExtentsAt(leaves, d);
      const StatusOr<Values> got = extents_->ValuesOf(leaf->dim(d));
      if (!got.ok()) {
        status = got.status();
      } else if (*got != wanted) {
        status = InvalidArgument("[learn] ", PlaceOf(all), ", dimension ", d, ": got ",
                                 ValuesText(wanted), ", expected ", leaf->dim(d).ToString(), " (",
                                 ValuesText(*got), ") from its operands");
      } else if (IsConstant(wanted) && !leaf->dim(d).is_static()) {
        extents_->RequireEqual(leaf->dim(d), wanted[0]);
      }
    }
  });
  return status;
}

Status Merger::Unify(const Shape& a, const Shape& b, const Instructions& all) {
  for (int i = 0; a.is_tuple() && i < a.tuple_size(); ++i) {
    SWAGE_RETURN_IF_ERROR(Unify(a.tuple_shape(i), b.tuple_shape(i), all));
  }
  for (int d = 0; a.is_array() && d < a.rank(); ++d) {
    const Dim x = extents_->Now(a.dim(d)), y = extents_->Now(b.dim(d));
    if (x == y || extents_->RequireEqual(x, y)) continue;
    return InvalidArgument("[learn] ", PlaceOf(all), ": ", x.ToString(), " and ", y.ToString(),
                           " differ");
  }
  return OkStatus();
}

}  // namespace swage::learn
