#include "compiler/passes/editor.h"

#include <algorithm>

namespace swage::passes {

using ir::Dim;
using ir::DimList;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;

namespace {

bool IsDead(const Instruction& instruction) {
  // Callees may have effects: dce knows.
  return instruction.users().empty() && !instruction.IsRoot() && instruction.called().empty() &&
         !ir::HasEffect(instruction.opcode()) && !HasControlEdges(instruction);
}

bool IsRowMajor(const Shape& shape) {
  bool row_major = true;
  ir::ForEachLeaf(shape, [&](const ir::ShapeIndex&, const Shape& leaf) {
    row_major &= !leaf.has_layout() || (leaf.layout().IsRowMajor() && leaf.layout().suffix.empty());
  });
  return row_major;
}

}  // namespace

std::vector<Editor::Ref> Editor::PostOrder() const {
  std::vector<Ref> refs;
  refs.reserve(computation_.instruction_count());
  for (Instruction* instruction : computation_.PostOrder()) {
    refs.push_back({instruction, instruction->id()});
  }
  return refs;
}

Instruction* Editor::Made(Instruction* added) {
  if (has_layouts_ && added->shape().is_array() && !added->shape().is_scalar()) {
    added->mutable_shape()->set_layout(ir::Layout::RowMajor(added->shape().rank()));
  }
  if (origin_ != nullptr) added->set_metadata(origin_->shared_metadata());
  added_.push_back({added, added->id()});
  return added;
}

Instruction* Editor::Add(Opcode opcode, Shape shape, absl::Span<Instruction* const> operands,
                         ir::Attributes attributes, std::vector<ir::Computation*> called) {
  shape.clear_layout();
  return Made(computation_.Add(opcode, std::move(shape), operands, std::move(attributes),
                               std::move(called)));
}

Instruction* Editor::AddLike(const Instruction& source, const Shape& shape,
                             absl::Span<Instruction* const> operands) {
  return Add(source.opcode(), shape, operands, source.attributes(), source.called());
}

Instruction* Editor::Unary(Opcode opcode, Instruction* x) { return Add(opcode, x->shape(), {x}); }

Instruction* Editor::Binary(Opcode opcode, Instruction* x, Instruction* y) {
  return Add(opcode, x->shape(), {x, y});
}

Instruction* Editor::Compare(Instruction* x, Instruction* y, ir::CompareAttrs attrs) {
  return Add(Opcode::kCompare, Shape::Array(ir::DType::kPred, x->shape().dims()), {x, y}, attrs);
}

Instruction* Editor::Select(Instruction* p, Instruction* x, Instruction* y) {
  return Add(Opcode::kSelect, x->shape(), {p, x, y});
}

Instruction* Editor::Convert(Instruction* x, ir::DType dtype) {
  if (x->shape().dtype() == dtype) return x;
  return Add(Opcode::kConvert, Shape::Array(dtype, x->shape().dims()), {x});
}

Instruction* Editor::Fill(const ir::Literal& scalar, absl::Span<const Dim> dims) {
  return Fill(Constant(scalar), dims);
}

Instruction* Editor::Fill(Instruction* scalar, absl::Span<const Dim> dims) {
  return Broadcast(scalar, dims, {});
}

Instruction* Editor::Broadcast(Instruction* x, absl::Span<const Dim> dims,
                               const DimList& dimensions) {
  bool same = x->shape().dims() == dims;
  for (size_t i = 0; i < dimensions.size(); ++i) same &= dimensions[i] == static_cast<int64_t>(i);
  if (same) return x;
  return Add(Opcode::kBroadcast, Shape::Array(x->shape().dtype(), dims), {x},
             ir::DimensionsAttrs{dimensions});
}

Instruction* Editor::Reshape(Instruction* x, absl::Span<const Dim> dims) {
  if (x->shape().dims() == dims) return x;
  return Add(Opcode::kReshape, Shape::Array(x->shape().dtype(), dims), {x});
}

Instruction* Editor::Transpose(Instruction* x, const DimList& permutation) {
  if (std::is_sorted(permutation.begin(), permutation.end())) return x;
  ir::Dims dims;
  for (int64_t d : permutation) dims.push_back(x->shape().dim(static_cast<int>(d)));
  return Add(Opcode::kTranspose, Shape::Array(x->shape().dtype(), dims), {x},
             ir::DimensionsAttrs{permutation});
}

Instruction* Editor::Slice(Instruction* x, ir::SliceAttrs window) {
  ir::Dims dims;
  bool all = true;
  for (int i = 0; i < x->shape().rank(); ++i) {
    dims.push_back(ir::CeilDiv(window.limits[i] - window.starts[i], window.strides[i]));
    all &= window.starts[i] == Dim(0) && window.limits[i] == x->shape().dim(i) &&
           window.strides[i] == 1;
  }
  if (all) return x;
  return Add(Opcode::kSlice, Shape::Array(x->shape().dtype(), dims), {x}, std::move(window));
}

Instruction* Editor::Concatenate(absl::Span<Instruction* const> parts, int64_t dimension) {
  if (parts.size() == 1) return parts[0];
  Shape shape = parts[0]->shape();
  const int at = static_cast<int>(dimension);
  Dim extent = 0;
  for (const Instruction* part : parts) extent += part->shape().dim(at);
  shape.set_dim(at, extent);
  return Add(Opcode::kConcatenate, std::move(shape), parts, ir::DimensionsAttrs{{dimension}});
}

Status Editor::Replace(Instruction* old, Instruction* value) {
  SWAGE_RETURN_IF_ERROR(old->ReplaceAllUsesWith(value));
  if (value->metadata() == nullptr) value->set_metadata(old->shared_metadata());
  if (!old->users().empty() || ir::HasEffect(old->opcode()) || HasControlEdges(*old)) {
    return OkStatus();
  }
  return Remove(old, value);
}

Status Editor::RemoveIfDead(Instruction* instruction) {
  return IsDead(*instruction) ? Remove(instruction, nullptr) : OkStatus();
}

Status Editor::Remove(Instruction* unused, const Instruction* keep) {
  std::vector<Instruction*> work = {unused};
  while (!work.empty()) {
    Instruction* dead = work.back();
    work.pop_back();
    const ir::InstructionList operands = dead->operands();
    gone_.insert(dead->id());
    SWAGE_RETURN_IF_ERROR(computation_.Remove(dead));
    // What other dead ones use is queued when the last of them goes, so once only.
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool first =
          std::find(operands.begin(), operands.begin() + i, operands[i]) == operands.begin() + i;
      if (first && operands[i] != keep && IsDead(*operands[i])) work.push_back(operands[i]);
    }
  }
  return OkStatus();
}

Status Editor::DropUnused(const Instruction* keep) {
  // Last first: users before operands.
  for (size_t i = added_.size(); i-- > 0;) {
    if (IsGone(added_[i]) || added_[i].instruction == keep) continue;
    SWAGE_RETURN_IF_ERROR(RemoveIfDead(added_[i].instruction));
  }
  return OkStatus();
}

std::vector<Instruction*> Editor::TakeAdded() {
  std::vector<Instruction*> added;
  for (const Ref& ref : added_) {
    if (!IsGone(ref)) added.push_back(ref.instruction);
  }
  added_.clear();
  return added;
}

bool HasControlEdges(const Instruction& instruction) {
  return !instruction.control_predecessors().empty() || !instruction.control_successors().empty();
}

bool IsRowMajor(const Instruction& instruction) {
  return IsRowMajor(instruction.shape()) &&
         std::all_of(instruction.operands().begin(), instruction.operands().end(),
                     [](const Instruction* operand) { return IsRowMajor(operand->shape()); });
}

}  // namespace swage::passes
