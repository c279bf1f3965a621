#include "codegen/emit/bake.h"

#include <utility>

namespace swage::emit {

using ir::Dim;
using ir::Instruction;
using ir::Opcode;

namespace {

Status Bake(const ir::SymbolBinding& binding, Dim* dim) {
  SWAGE_ASSIGN_OR_RETURN(*dim, dim->Evaluate(binding));
  return OkStatus();
}

Status BakeAttributes(const ir::SymbolBinding& binding, Instruction* op) {
  if (op->opcode() == Opcode::kSlice) {
    ir::SliceAttrs slice = op->attrs<ir::SliceAttrs>();
    for (Dim& start : slice.starts) SWAGE_RETURN_IF_ERROR(Bake(binding, &start));
    for (Dim& limit : slice.limits) SWAGE_RETURN_IF_ERROR(Bake(binding, &limit));
    op->set_attributes(std::move(slice));
  } else if (op->opcode() == Opcode::kPad) {
    ir::PadAttrs pad = op->attrs<ir::PadAttrs>();
    for (auto& entry : pad.dims) {
      SWAGE_RETURN_IF_ERROR(Bake(binding, &entry.low));
      SWAGE_RETURN_IF_ERROR(Bake(binding, &entry.high));
    }
    op->set_attributes(std::move(pad));
  } else if (op->opcode() == Opcode::kDynamicSlice) {
    ir::DynamicSliceAttrs slice = op->attrs<ir::DynamicSliceAttrs>();
    for (Dim& size : slice.sizes) SWAGE_RETURN_IF_ERROR(Bake(binding, &size));
    op->set_attributes(std::move(slice));
  } else if (op->opcode() == Opcode::kGather) {
    ir::GatherAttrs gather = op->attrs<ir::GatherAttrs>();
    for (Dim& size : gather.slice_sizes) SWAGE_RETURN_IF_ERROR(Bake(binding, &size));
    op->set_attributes(std::move(gather));
  }
  return OkStatus();
}

Status BakeShape(const ir::SymbolBinding& binding, ir::Shape* shape) {
  if (shape->is_tuple()) {
    for (int i = 0; i < shape->tuple_size(); ++i) {
      SWAGE_RETURN_IF_ERROR(BakeShape(binding, shape->mutable_tuple_shape(i)));
    }
  } else if (shape->is_array()) {
    for (int i = 0; i < shape->rank(); ++i) {
      Dim dim = shape->dim(i);
      SWAGE_RETURN_IF_ERROR(Bake(binding, &dim));
      shape->set_dim(i, dim);
    }
  }
  return OkStatus();
}

}  // namespace

Status BakeExtents(absl::Span<const int64_t> values, GeneralisedFusion* fusion) {
  if (values.size() != fusion->symbols.size()) {
    return InvalidArgument("[bake] ", values.size(), " extents, expected ", fusion->symbols.size());
  }
  ir::SymbolBinding binding;
  for (size_t i = 0; i < values.size(); ++i) {
    SWAGE_RETURN_IF_ERROR(binding.Bind(fusion->symbols[i], values[i]));
  }
  for (Instruction* op : fusion->fusion->Instructions()) {
    SWAGE_RETURN_IF_ERROR(BakeShape(binding, op->mutable_shape()));
    SWAGE_RETURN_IF_ERROR(BakeAttributes(binding, op));
  }
  fusion->symbols.clear();
  fusion->values.clear();
  return OkStatus();
}

}  // namespace swage::emit
