// Ops that move elements: where every valid element keeps its place at the bounds, nothing is
// repacked.
#include <algorithm>

#include "compiler/ir/reshape_groups.h"
#include "compiler/passes/match.h"
#include "compiler/passes/padding/padder.h"

namespace swage::passes::padding {

using ir::Dim;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;

namespace {

Dim BoundOf(Dim dim) { return IsPadded(dim) ? Dim(std::max<int64_t>(0, dim.upper_bound())) : dim; }

bool AnyPadded(const Shape& shape, const ir::DimList& dims) {
  return std::any_of(dims.begin(), dims.end(),
                     [&](int64_t d) { return IsPadded(shape.dim(static_cast<int>(d))); });
}

// Whether the first of `dims` is the only one that may be padded.
bool OnlyMajorPadded(const Shape& shape, const ir::DimList& dims) {
  return std::none_of(dims.begin() + 1, dims.end(),
                      [&](int64_t d) { return IsPadded(shape.dim(static_cast<int>(d))); });
}

}  // namespace

StatusOr<bool> Padder::TryUnmoved(Instruction* op) {
  ir::Attributes attributes = op->attributes();
  bool unmoved = false;
  switch (op->opcode()) {
    case Opcode::kConcatenate:
      unmoved = ConcatenateAtBounds(op);
      break;
    case Opcode::kDynamicSlice:
      unmoved = DynamicSliceAtBounds(op, &attributes);
      break;
    case Opcode::kDynamicUpdateSlice:
      unmoved = UpdateAtBounds(op);
      break;
    case Opcode::kGather:
      unmoved = GatherAtBounds(op, &attributes);
      break;
    case Opcode::kPad:
      unmoved = PadAtBounds(op);
      break;
    case Opcode::kReshape:
      unmoved = ReshapeAtBounds(op);
      break;
    case Opcode::kReverse:
      unmoved = !AnyPadded(op->shape(), op->dimensions());
      break;
    case Opcode::kSlice:
      unmoved = SliceAtBounds(op, &attributes);
      break;
    default:
      break;
  }
  if (!unmoved) return false;
  return SetAtBounds(op, {BoundOperands(op), std::move(attributes), op->called()});
}

// Whole dimensions, and windows of numbers: these are valid elements at any size.
bool Padder::SliceAtBounds(const Instruction* op, ir::Attributes* attributes) const {
  ir::SliceAttrs slice = op->attrs<ir::SliceAttrs>();
  for (int d = 0; d < op->shape().rank(); ++d) {
    const Dim whole = op->operand(0)->shape().dim(d);
    if (slice.starts[d].is_static() && slice.limits[d].is_static()) continue;
    if (slice.starts[d] != Dim(0) || slice.limits[d] != whole || slice.strides[d] != 1)
      return false;
    slice.limits[d] = BoundOf(whole);
  }
  *attributes = std::move(slice);
  return true;
}

// Nothing is added behind a padded dimension, and nothing of its front is cut.
bool Padder::PadAtBounds(const Instruction* op) const {
  const auto& pad = op->attrs<ir::PadAttrs>();
  for (int d = 0; d < op->shape().rank(); ++d) {
    if (!IsPadded(op->operand(0)->shape().dim(d)) && !IsPadded(op->shape().dim(d))) continue;
    const ir::PadAttrs::Entry& entry = pad.dims[d];
    if (!entry.low.is_static() || entry.low.lower_bound() < 0) return false;
    if (entry.high != Dim(0) || entry.interior != 0) return false;
  }
  return true;
}

// Padded lanes stay behind what is valid: only the last piece may have them along the dimension.
bool Padder::ConcatenateAtBounds(const Instruction* op) const {
  const int d = static_cast<int>(op->dimensions()[0]);
  for (int i = 0; i + 1 < op->operand_count(); ++i) {
    if (IsPadded(op->operand(i)->shape().dim(d))) return false;
  }
  return true;
}

// Elements keep their places where every group of dimensions that becomes another is padded in its
// major dimension only, on both sides.
bool Padder::ReshapeAtBounds(const Instruction* op) const {
  const Shape& from = op->operand(0)->shape();
  const Shape& to = op->shape();
  const auto groups = ir::ReshapeGroups(from.dims(), to.dims());
  return groups.has_value() &&
         std::all_of(groups->begin(), groups->end(), [&](const ir::ReshapeGroup& group) {
           return OnlyMajorPadded(from, group.from) && OnlyMajorPadded(to, group.to);
         });
}

// A start is clamped against the valid size, so what is padded must be taken whole: then it starts
// at 0, here and at the bounds.
bool Padder::DynamicSliceAtBounds(const Instruction* op, ir::Attributes* attributes) const {
  ir::DynamicSliceAttrs slice = op->attrs<ir::DynamicSliceAttrs>();
  for (int d = 0; d < op->shape().rank(); ++d) {
    const Dim whole = op->operand(0)->shape().dim(d);
    if (!IsPadded(whole) && !IsPadded(slice.sizes[d])) continue;
    if (slice.sizes[d] != whole) return false;
    slice.sizes[d] = BoundOf(whole);
  }
  *attributes = std::move(slice);
  return true;
}

bool Padder::UpdateAtBounds(const Instruction* op) const {
  const Shape& update = op->operand(1)->shape();
  for (int d = 0; d < op->shape().rank(); ++d) {
    if (!IsPadded(op->shape().dim(d)) && !IsPadded(update.dim(d))) continue;
    if (op->shape().dim(d) != update.dim(d)) return false;
  }
  return true;
}

// As dynamic-slice. Padded lanes of the starts only make lanes of the result that are padded.
bool Padder::GatherAtBounds(const Instruction* op, ir::Attributes* attributes) const {
  ir::GatherAttrs gather = op->attrs<ir::GatherAttrs>();
  const Shape& operand = op->operand(0)->shape();
  for (int d = 0; d < operand.rank(); ++d) {
    const Dim whole = operand.dim(d);
    if (Has(gather.operand_batching_dims, d)) continue;
    if (!IsPadded(whole) && !IsPadded(gather.slice_sizes[d])) continue;
    if (gather.slice_sizes[d] != whole) return false;
    gather.slice_sizes[d] = BoundOf(whole);
  }
  *attributes = std::move(gather);
  return true;
}

}  // namespace swage::passes::padding
