#include "compiler/learn/size_values.h"

#include "compiler/ir/dim_expr.h"

namespace swage::learn {
namespace {

using ir::Dim;
using ir::DType;
using ir::Instruction;
using ir::Opcode;

bool HasDim(const ir::Shape& shape, Dim dim) {
  bool found = false;
  ir::ForEachLeaf(shape, [&](const ir::ShapeIndex&, const ir::Shape& leaf) {
    for (const Dim extent : leaf.dims()) found = found || extent == dim;
  });
  return found;
}

}  // namespace

StatusOr<Instruction*> SizeValues::Value(Dim dim, DType dtype) {
  SWAGE_ASSIGN_OR_RETURN(Instruction * narrow, FromParameter(dim));
  if (narrow == nullptr) {
    SWAGE_ASSIGN_OR_RETURN(narrow, Wide(dim));
  }
  if (narrow->shape().dtype() == dtype) return narrow;
  return builder_.Convert(narrow, dtype);
}

StatusOr<Instruction*> SizeValues::FromParameter(Dim dim) {
  for (Instruction* parameter : computation_->parameters()) {
    if (HasDim(parameter->shape(), dim)) return FromLeaf(parameter, dim);
  }
  return nullptr;
}

StatusOr<Instruction*> SizeValues::FromLeaf(Instruction* value, Dim dim) {
  const ir::Shape& shape = value->shape();
  if (shape.is_array()) {
    int d = 0;
    while (shape.dim(d) != dim) ++d;
    return builder_.GetDimensionSize(value, d);
  }
  int element = 0;
  while (!HasDim(shape.tuple_shape(element), dim)) ++element;
  SWAGE_ASSIGN_OR_RETURN(Instruction * inner, builder_.GetTupleElement(value, element));
  return FromLeaf(inner, dim);
}

StatusOr<Instruction*> SizeValues::Wide(Dim dim) {
  if (const auto value = dim.static_value()) return builder_.Scalar(DType::kS64, *value);
  if (const auto made = wide_.find(dim); made != wide_.end()) return made->second;
  SWAGE_ASSIGN_OR_RETURN(Instruction * size, FromParameter(dim));
  Instruction* result = nullptr;
  if (size != nullptr) {
    SWAGE_ASSIGN_OR_RETURN(result, builder_.Convert(size, DType::kS64));
  } else if (dim.node()->kind != ir::DimKind::kPoly) {
    SWAGE_ASSIGN_OR_RETURN(result, WideAtom(*dim.node()));
  } else {
    for (const ir::DimTerm& term : dim.node()->terms) {
      Instruction* product = nullptr;
      if (term.coefficient != 1 || term.monomial.empty()) {
        product = builder_.Scalar(DType::kS64, term.coefficient);
      }
      for (const ir::DimNode* atom : term.monomial) {
        SWAGE_ASSIGN_OR_RETURN(Instruction * factor, Wide(ir::DimNode::ToDim(atom)));
        if (product == nullptr) {
          product = factor;
          continue;
        }
        SWAGE_ASSIGN_OR_RETURN(product, builder_.Binary(Opcode::kMultiply, factor, product));
      }
      if (result == nullptr) {
        result = product;
        continue;
      }
      SWAGE_ASSIGN_OR_RETURN(result, builder_.Binary(Opcode::kAdd, result, product));
    }
  }
  wide_[dim] = result;
  return result;
}

StatusOr<Instruction*> SizeValues::WideAtom(const ir::DimNode& node) {
  if (node.kind == ir::DimKind::kSymbol) {
    // Nothing here has the size: an array that is never read does.
    SWAGE_ASSIGN_OR_RETURN(
        Instruction * array,
        builder_.BroadcastScalar(builder_.Scalar(DType::kPred, 0), {ir::DimNode::ToDim(&node)}));
    SWAGE_ASSIGN_OR_RETURN(Instruction * size, builder_.GetDimensionSize(array, 0));
    return builder_.Convert(size, DType::kS64);
  }
  SWAGE_ASSIGN_OR_RETURN(Instruction * value, Wide(node.args[0]));
  if (node.kind == ir::DimKind::kMax || node.kind == ir::DimKind::kMin) {
    const Opcode opcode = node.kind == ir::DimKind::kMax ? Opcode::kMaximum : Opcode::kMinimum;
    for (size_t i = 1; i < node.args.size(); ++i) {
      SWAGE_ASSIGN_OR_RETURN(Instruction * other, Wide(node.args[i]));
      SWAGE_ASSIGN_OR_RETURN(value, builder_.Binary(opcode, value, other));
    }
    return value;
  }
  const int64_t divisor = node.args[1].static_value().value_or(0);
  const int64_t least = node.args[0].lower_bound();
  int64_t shift = 0;
  if (least < 0 && divisor > 0) shift = -*ir::FloorDivInt(least, divisor);
  int64_t shifted;
  if (node.kind != ir::DimKind::kFloorDiv || divisor <= 0 ||
      __builtin_mul_overflow(shift, divisor, &shifted)) {
    return Unimplemented("[learn] instructions for ", node.key);
  }
  // Division truncates, which is floordiv where nothing is negative: so much is added first.
  const auto add = [&](int64_t number) -> StatusOr<Instruction*> {
    return builder_.Binary(Opcode::kAdd, value, builder_.Scalar(DType::kS64, number));
  };
  if (shift != 0) {
    SWAGE_ASSIGN_OR_RETURN(value, add(shifted));
  }
  SWAGE_ASSIGN_OR_RETURN(
      value, builder_.Binary(Opcode::kDivide, value, builder_.Scalar(DType::kS64, divisor)));
  return shift == 0 ? StatusOr<Instruction*>(value) : add(-shift);
}

}  // namespace swage::learn
