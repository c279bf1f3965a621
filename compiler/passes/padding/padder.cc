#include "compiler/passes/padding/padder.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/ir/bind_symbols.h"
#include "compiler/ir/shape_inference.h"

namespace swage::passes::padding {

using ir::Dim;
using ir::Instruction;
using ir::Literal;
using ir::Opcode;
using ir::PaddingRule;
using ir::Shape;

namespace {

bool HasSymbols(const Shape& shape) { return !shape.is_static(); }

bool IsTouched(const Instruction* op) {
  return HasSymbols(op->shape()) ||
         std::any_of(op->operands().begin(), op->operands().end(),
                     [](const Instruction* operand) { return HasSymbols(operand->shape()); });
}

// The first argument with an open dimension that shares a symbol with `op`: "argument 0 (x), whose
// dimension 1 is n".
std::string ArgumentOf(const Instruction* op) {
  std::vector<const ir::Symbol*> symbols;
  const auto collect = [&](const ir::ShapeIndex&, const Shape& leaf) {
    if (!leaf.is_array()) return;
    for (const Dim dim : leaf.dims()) dim.CollectSymbols(&symbols);
  };
  ir::ForEachLeaf(op->shape(), collect);
  for (const Instruction* operand : op->operands()) ir::ForEachLeaf(operand->shape(), collect);
  std::string found;
  for (const Instruction* parameter : op->parent()->parameters()) {
    ir::ForEachLeaf(parameter->shape(), [&](const ir::ShapeIndex&, const Shape& leaf) {
      for (int i = 0; leaf.is_array() && i < leaf.rank() && found.empty(); ++i) {
        std::vector<const ir::Symbol*> here;
        leaf.dim(i).CollectSymbols(&here);
        const bool shared = std::any_of(here.begin(), here.end(), [&](const ir::Symbol* symbol) {
          return std::find(symbols.begin(), symbols.end(), symbol) != symbols.end();
        });
        if (!shared) continue;
        found = absl::StrCat("argument ", parameter->parameter_number(), " (", parameter->name(),
                             "), whose dimension ", i, " is ", leaf.dim(i).ToString());
      }
    });
  }
  return found.empty() ? "no argument" : found;
}

Status CheckBounds(const Instruction* op) {
  Status status;
  ir::ForEachLeaf(op->shape(), [&](const ir::ShapeIndex&, const Shape& leaf) {
    for (int i = 0; leaf.is_array() && i < leaf.rank() && status.ok(); ++i) {
      const int64_t bound = leaf.dim(i).upper_bound();
      if (leaf.dim(i).is_static() || bound <= kMaxElements) continue;
      status = Unimplemented(
          "[padding] dimension ", i, " of ", op->name(), " is ", leaf.dim(i).ToString(), ", ",
          bound == ir::kUnbounded ? "without an upper bound" : absl::StrCat("at most ", bound),
          ", got from ", ArgumentOf(op), "; declare a maximum, as in seq<=512");
    }
    if (!leaf.is_array() || leaf.is_static() || !status.ok()) return;
    const StatusOr<int64_t> elements = BoundShape(leaf).NumElements();
    if (elements.ok() && *elements <= kMaxElements) return;
    status = Unimplemented("[padding] ", op->name(), " would be ",
                           BoundShape(leaf).ToString(/*with_layout=*/false), ", at most ",
                           kMaxElements, " elements are padded, got from ", ArgumentOf(op),
                           "; declare a smaller maximum");
  });
  return status;
}

}  // namespace

Shape BoundShape(const Shape& shape) {
  if (shape.is_tuple()) {
    std::vector<Shape> shapes;
    for (const Shape& element : shape.tuple_shapes()) shapes.push_back(BoundShape(element));
    return Shape::Tuple(std::move(shapes));
  }
  Shape bound = shape;
  for (int i = 0; bound.is_array() && i < bound.rank(); ++i) {
    if (IsPadded(bound.dim(i))) bound.set_dim(i, std::max<int64_t>(0, bound.dim(i).upper_bound()));
  }
  return bound;
}

Status Padder::Check() const {
  for (const Instruction* op : entry_.Instructions()) {
    SWAGE_RETURN_IF_ERROR(CheckBounds(op));
    if (!IsTouched(op)) continue;
    if (ir::InfoOf(op->opcode()).padding == PaddingRule::kExactOnly || HasControlEdges(*op)) {
      return Unimplemented(
          "[padding] ", ToAbsl(ir::OpcodeName(op->opcode())), " (", op->name(), ") ",
          HasControlEdges(*op) ? "is ordered by control edges" : "has no padding rule",
          ", got sizes from ", ArgumentOf(op), "; compile it for exact sizes");
    }
  }
  return OkStatus();
}

StatusOr<bool> Padder::Run() {
  if (!ir::HasSymbols(module_)) return false;
  SWAGE_RETURN_IF_ERROR(Check());
  const std::vector<Editor::Ref> old = editor_.PostOrder();
  for (const Editor::Ref& ref : old) {
    editor_.set_origin(ref.instruction);
    SWAGE_RETURN_IF_ERROR(Visit(ref.instruction));
  }
  editor_.set_origin(nullptr);
  Instruction* const root = entry_.root();
  Instruction* const dense = Dense(root);
  changed_ = dense != root;
  if (changed_) entry_.set_root(dense);
  SWAGE_RETURN_IF_ERROR(editor_.DropUnused(entry_.root()));
  SWAGE_RETURN_IF_ERROR(RemoveOld(old));
  return changed_;
}

Status Padder::RemoveOld(absl::Span<const Editor::Ref> old) {
  if (!changed_) return OkStatus();
  for (size_t i = old.size(); i-- > 0;) {
    Instruction* const op = old[i].instruction;
    if (editor_.IsGone(old[i]) || op->opcode() == Opcode::kParameter) continue;
    if (op->users().empty() && !op->IsRoot()) SWAGE_RETURN_IF_ERROR(entry_.Remove(op));
  }
  return OkStatus();
}

Status Padder::Visit(Instruction* op) {
  if (op->opcode() == Opcode::kParameter) {
    dense_[op] = op;
    if (!HasSymbols(op->shape())) bound_[op] = op;
    return OkStatus();
  }
  if (IsTouched(op)) return ApplyRule(op);
  const std::vector<Instruction*> operands = BoundOperands(op);
  const bool same = std::equal(operands.begin(), operands.end(), op->operands().begin());
  bound_[op] = same ? op : editor_.AddLike(*op, op->shape(), operands);
  fill_[op] = FillAfter(op);
  return OkStatus();
}

Status Padder::ApplyRule(Instruction* op) {
  switch (ir::InfoOf(op->opcode()).padding) {
    case PaddingRule::kThrough:
    case PaddingRule::kPositions:
      return ApplyThrough(op);
    case PaddingRule::kSize:
      return ApplySize(op);
    case PaddingRule::kIdentity:
      return ApplyIdentity(op);
    case PaddingRule::kContracted:
      return ApplyContracted(op);
    case PaddingRule::kRepack: {
      SWAGE_ASSIGN_OR_RETURN(const bool done, TryUnmoved(op));
      return done ? OkStatus() : Repack(op);
    }
    case PaddingRule::kBorder:
    case PaddingRule::kExactOnly:
      break;
  }
  return Internal("[padding] ", op->name(), " was to be refused");
}

Instruction* Padder::Bound(const Instruction* old) {
  const auto it = bound_.find(old);
  if (it != bound_.end()) return it->second;
  Instruction* const bound = PadToBounds(dense_.at(old));
  bound_[old] = bound;
  if (old->shape().is_array()) {
    fill_[old] = Fill::Padding(FillAround(dense_.at(old)));
  }
  return bound;
}

Instruction* Padder::Dense(const Instruction* old) {
  const auto it = dense_.find(old);
  if (it != dense_.end()) return it->second;
  Instruction* const dense = CutToValid(bound_.at(old), old->shape());
  dense_[old] = dense;
  return dense;
}

std::vector<Instruction*> Padder::BoundOperands(const Instruction* op) {
  std::vector<Instruction*> operands;
  for (const Instruction* operand : op->operands()) operands.push_back(Bound(operand));
  return operands;
}

ir::Literal Padder::FillAround(const Instruction* dense) const {
  const ir::DType dtype = dense->shape().dtype();
  if (dense->opcode() == Opcode::kParameter) {
    for (const auto& [parameter, value] : options_.values) {
      if (parameter == dense->parameter_number()) return FillValue(value, dtype);
    }
  }
  return FillValue(options_.fill, dtype);
}

Instruction* Padder::PadToBounds(Instruction* dense) {
  const Shape shape = dense->shape();
  if (!HasSymbols(shape)) return dense;
  if (shape.is_tuple()) {
    std::vector<Instruction*> elements;
    for (int i = 0; i < shape.tuple_size(); ++i) {
      elements.push_back(PadToBounds(editor_.Add(Opcode::kGetTupleElement, shape.tuple_shape(i),
                                                 {dense}, ir::TupleIndexAttrs{i})));
    }
    return editor_.Add(Opcode::kTuple, BoundShape(shape), elements);
  }
  const Shape bound = BoundShape(shape);
  ir::PadAttrs pad;
  for (int i = 0; i < shape.rank(); ++i) {
    pad.dims.push_back({.low = 0, .high = bound.dim(i) - shape.dim(i)});
  }
  Instruction* const value = editor_.Constant(FillAround(dense));
  return editor_.Add(Opcode::kPad, bound, {dense, value}, std::move(pad));
}

Instruction* Padder::CutToValid(Instruction* bound, const Shape& valid) {
  if (!HasSymbols(valid)) return bound;
  if (valid.is_tuple()) {
    std::vector<Instruction*> elements;
    for (int i = 0; i < valid.tuple_size(); ++i) {
      Instruction* const element = editor_.Add(
          Opcode::kGetTupleElement, bound->shape().tuple_shape(i), {bound}, ir::TupleIndexAttrs{i});
      elements.push_back(CutToValid(element, valid.tuple_shape(i)));
    }
    return editor_.Add(Opcode::kTuple, valid, elements);
  }
  ir::SliceAttrs slice;
  for (const Dim dim : valid.dims()) {
    slice.starts.push_back(0);
    slice.limits.push_back(dim);
    slice.strides.push_back(1);
  }
  return editor_.Slice(bound, std::move(slice));
}

Instruction* Padder::SizeOf(Dim dim) {
  Instruction*& size = sizes_[dim];
  if (size != nullptr) return size;
  const auto make = [&](Instruction* array, int64_t i) {
    return editor_.Add(Opcode::kGetDimensionSize, Shape::Scalar(ir::DType::kS32), {array},
                       ir::DimensionsAttrs{{i}});
  };
  for (Instruction* parameter : entry_.parameters()) {
    if (!parameter->shape().is_array()) continue;
    for (int i = 0; i < parameter->shape().rank(); ++i) {
      if (parameter->shape().dim(i) == dim) return size = make(parameter, i);
    }
  }
  // An array that is never computed says it.
  return size = make(editor_.Fill(Literal::Scalar(ir::DType::kPred, 0), {dim}), 0);
}

Instruction* Padder::LanesBelow(Dim dim) {
  Instruction*& lanes = lanes_[dim];
  if (lanes != nullptr) return lanes;
  const Dim bound = std::max<int64_t>(0, dim.upper_bound());
  Instruction* const iota =
      editor_.Add(Opcode::kIota, Shape::Array(ir::DType::kS32, {bound}), {}, ir::IotaAttrs{0});
  Instruction* const size = editor_.Fill(SizeOf(dim), {bound});
  return lanes = editor_.Compare(iota, size, {.direction = ir::CompareDirection::kLt});
}

Instruction* Padder::ValidLanes(const Shape& shape, const ir::DimList& dims) {
  const Shape bound = BoundShape(shape);
  Instruction* valid = nullptr;
  for (const int64_t d : dims) {
    Instruction* const lanes =
        editor_.Broadcast(LanesBelow(shape.dim(static_cast<int>(d))), bound.dims(), {d});
    valid = valid == nullptr ? lanes : editor_.Binary(Opcode::kAnd, valid, lanes);
  }
  return valid;
}

Instruction* Padder::Masked(const Instruction* old, const ir::DimList& dims, const Literal& value) {
  Instruction* const bound = Bound(old);
  const Fill fill = FillOf(old);
  if (MaySkipMasks() && fill.known() && fill.value == value) return bound;
  if (options_.masks == PaddingMasks::kNone) return bound;
  return editor_.Select(ValidLanes(old->shape(), dims), bound,
                        editor_.Fill(value, bound->shape().dims()));
}

StatusOr<bool> Padder::SetAtBounds(Instruction* op, AtBounds at) {
  std::vector<const Shape*> shapes;
  for (const Instruction* operand : at.operands) shapes.push_back(&operand->shape());
  const Shape wanted = BoundShape(op->shape());
  const StatusOr<Shape> got = ir::InferShape({.opcode = op->opcode(),
                                              .operands = shapes,
                                              .attributes = at.attributes,
                                              .called = at.called,
                                              .declared = &wanted});
  // Bounds of expressions can be wider than what the op makes of its operands' bounds.
  if (!got.ok() || !ir::Compatible(*got, wanted)) return false;
  bound_[op] = editor_.Add(op->opcode(), wanted, at.operands, std::move(at.attributes),
                           std::move(at.called));
  fill_[op] = FillAfter(op);
  return true;
}

Status Padder::Repack(Instruction* op) {
  std::vector<Instruction*> operands;
  for (const Instruction* operand : op->operands()) operands.push_back(Dense(operand));
  const bool same = std::equal(operands.begin(), operands.end(), op->operands().begin());
  Instruction* const dense = same ? op : editor_.AddLike(*op, op->shape(), operands);
  dense_[op] = dense;
  if (!HasSymbols(op->shape())) bound_[op] = dense;
  return OkStatus();
}

Status Padder::ApplyThrough(Instruction* op) {
  SWAGE_ASSIGN_OR_RETURN(const bool done,
                         SetAtBounds(op, {BoundOperands(op), op->attributes(), op->called()}));
  return done ? OkStatus() : Repack(op);
}

Status Padder::ApplySize(Instruction* op) {
  const Dim dim = op->operand(0)->shape().dim(static_cast<int>(op->dimensions()[0]));
  if (dim.is_static()) return ApplyThrough(op);
  bound_[op] = SizeOf(dim);
  return OkStatus();
}

Fill Padder::FillOf(const Instruction* old) const {
  const auto it = fill_.find(old);
  return it == fill_.end() ? Fill::Unknown() : it->second;
}

Fill Padder::FillAfter(const Instruction* op) const {
  if (!MaySkipMasks()) return Fill::Unknown();
  switch (op->opcode()) {
    case Opcode::kConstant:
      if (!op->shape().is_scalar()) return Fill::Unknown();
      return Fill::Uniform(op->literal());
    case Opcode::kBroadcast: {
      const Fill fill = FillOf(op->operand(0));
      if (fill.kind != Fill::Kind::kPadding) return fill;
      // A padded dimension that the operand does not have brings valid elements behind the size.
      const ir::DimList& from = op->dimensions();
      for (int d = 0; d < op->shape().rank(); ++d) {
        const bool mapped = std::find(from.begin(), from.end(), d) != from.end();
        if (IsPadded(op->shape().dim(d)) && !mapped) return Fill::Unknown();
      }
      return fill;
    }
    case Opcode::kCopy:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kTranspose:
      return FillOf(op->operand(0));
    default:
      break;
  }
  if (!ir::IsElementwise(op->opcode())) return Fill::Unknown();
  std::vector<Fill> operands;
  for (const Instruction* operand : op->operands()) operands.push_back(FillOf(operand));
  return FoldFill(*op, operands);
}

}  // namespace swage::passes::padding
