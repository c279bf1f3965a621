#include "compiler/passes/slice_mover.h"

#include <algorithm>
#include <vector>

#include "compiler/cost/cost_model.h"
#include "compiler/passes/editor.h"
#include "compiler/passes/match.h"

namespace swage::passes {
namespace {

using ir::Dim;
using ir::DimList;
using ir::Instruction;
using ir::InstructionList;
using ir::Opcode;
using ir::SliceAttrs;

// Of a dot at most one part in so many is taken, or it stays whole.
constexpr int64_t kDotParts = 4;

bool IsSlice(const Instruction* x) {
  return IsOp(x, Opcode::kSlice) || IsOp(x, Opcode::kDynamicSlice);
}

// What one slice takes, as a function of the dimension of its operand.
class Window {
 public:
  Window(const Instruction& slice, Editor& editor) : slice_(slice), editor_(editor) {}

  // The slice of `x` whose dimension d is the sliced operand's dimension `from[d]`; -1: all of it.
  Instruction* Of(Instruction* x, const DimList& from) {
    const bool whole = std::all_of(from.begin(), from.end(), [](int64_t d) { return d < 0; });
    if (whole) return x;
    return IsOp(&slice_, Opcode::kSlice) ? StaticSlice(x, from) : DynamicSlice(x, from);
  }
  Dim Extent(int64_t d) const { return slice_.shape().dim(static_cast<int>(d)); }

 private:
  Instruction* StaticSlice(Instruction* x, const DimList& from) {
    const SliceAttrs& given = slice_.attrs<SliceAttrs>();
    SliceAttrs window;
    for (size_t d = 0; d < from.size(); ++d) {
      const bool all = from[d] < 0;
      window.starts.push_back(all ? Dim(0) : given.starts[from[d]]);
      window.limits.push_back(all ? x->shape().dim(static_cast<int>(d)) : given.limits[from[d]]);
      window.strides.push_back(all ? 1 : given.strides[from[d]]);
    }
    return editor_.Slice(x, std::move(window));
  }

  Instruction* DynamicSlice(Instruction* x, const DimList& from) {
    InstructionList operands = {x};
    ir::DynamicSliceAttrs sizes;
    ir::Dims dims;
    for (size_t d = 0; d < from.size(); ++d) {
      const bool all = from[d] < 0;
      operands.push_back(all ? Zero() : slice_.operand(static_cast<int>(1 + from[d])));
      dims.push_back(all ? x->shape().dim(static_cast<int>(d)) : Extent(from[d]));
      sizes.sizes.push_back(dims.back());
    }
    return editor_.Add(Opcode::kDynamicSlice, ir::Shape::Array(x->shape().dtype(), dims), operands,
                       std::move(sizes));
  }

  Instruction* Zero() {
    if (zero_ == nullptr) {
      zero_ = editor_.Constant(ir::Literal::Scalar(slice_.operand(1)->shape().dtype(), 0));
    }
    return zero_;
  }

  const Instruction& slice_;
  Editor& editor_;
  Instruction* zero_ = nullptr;
};

DimList Every(int rank) {
  DimList all;
  for (int d = 0; d < rank; ++d) all.push_back(d);
  return all;
}

Instruction* SliceDot(const Instruction& dot, const Instruction& slice, Window& window,
                      Editor& editor) {
  if (kDotParts * cost::ElementsClass(slice.shape()) > cost::ElementsClass(dot.shape())) {
    return nullptr;
  }
  const ir::DotAttrs& attrs = dot.attrs<ir::DotAttrs>();
  auto next = static_cast<int64_t>(attrs.lhs_batch.size());
  const auto side = [&](Instruction* x, const DimList& batch, const DimList& contracting) {
    DimList from(x->shape().rank(), -1);
    for (size_t i = 0; i < batch.size(); ++i) from[batch[i]] = static_cast<int64_t>(i);
    for (int64_t d = 0; d < x->shape().rank(); ++d) {
      if (!Has(batch, d) && !Has(contracting, d)) from[d] = next++;
    }
    return window.Of(x, from);
  };
  Instruction* lhs = side(dot.operand(0), attrs.lhs_batch, attrs.lhs_contracting);
  Instruction* rhs = side(dot.operand(1), attrs.rhs_batch, attrs.rhs_contracting);
  return editor.AddLike(dot, slice.shape(), {lhs, rhs});
}

Instruction* SliceReduce(const Instruction& reduce, const Instruction& slice, Window& window,
                         Editor& editor) {
  if (!reduce.shape().is_array()) return nullptr;
  Instruction* x = reduce.operand(0);
  DimList from;
  int64_t next = 0;
  for (int64_t d = 0; d < x->shape().rank(); ++d) {
    from.push_back(Has(reduce.dimensions(), d) ? -1 : next++);
  }
  return editor.AddLike(reduce, slice.shape(), {window.Of(x, from), reduce.operand(1)});
}

Instruction* SliceTranspose(const Instruction& transpose, Window& window, Editor& editor) {
  DimList from(transpose.dimensions().size());
  for (size_t i = 0; i < from.size(); ++i) {
    from[transpose.dimensions()[i]] = static_cast<int64_t>(i);
  }
  return editor.Transpose(window.Of(transpose.operand(0), from), transpose.dimensions());
}

// The op computed for the slice only; null where it stays as it is.
Instruction* Move(const Instruction& slice, Editor& editor) {
  const Instruction& op = *slice.operand(0);
  if (op.users().size() != 1 || op.IsRoot() || HasControlEdges(op) || HasControlEdges(slice) ||
      ir::SameDims(slice.shape(), op.shape())) {
    return nullptr;
  }
  Window window(slice, editor);
  switch (op.opcode()) {
    case Opcode::kDot:
      return SliceDot(op, slice, window, editor);
    case Opcode::kReduce:
      return SliceReduce(op, slice, window, editor);
    case Opcode::kTranspose:
      return SliceTranspose(op, window, editor);
    default:
      break;
  }
  if (!ir::IsElementwise(op.opcode()) || op.operand_count() == 0) return nullptr;
  InstructionList operands;
  const DimList every = Every(op.shape().rank());
  for (Instruction* operand : op.operands()) {
    operands.push_back(operand->shape().is_scalar() ? operand : window.Of(operand, every));
  }
  return editor.AddLike(op, ir::Shape::Array(op.shape().dtype(), slice.shape().dims()), operands);
}

// Slices of one computation, each followed as far as it goes.
class Mover {
 public:
  explicit Mover(ir::Computation& computation) : editor_(computation) {}

  StatusOr<bool> Run() {
    for (const Editor::Ref& ref : editor_.PostOrder()) {
      if (IsSlice(ref.instruction)) work_.push_back(ref);
    }
    // From the last: what a slice leaves of its operand's operands may be sliced too.
    while (!work_.empty()) {
      const Editor::Ref ref = work_.back();
      work_.pop_back();
      if (editor_.IsGone(ref)) continue;
      SWAGE_RETURN_IF_ERROR(MoveOne(ref.instruction));
    }
    return changed_;
  }

 private:
  Status MoveOne(Instruction* slice) {
    editor_.set_origin(slice->operand(0));
    editor_.TakeAdded();
    const InstructionList before = slice->operand(0)->operands();
    Instruction* moved = Move(*slice, editor_);
    if (moved == nullptr) return editor_.DropUnused(nullptr);
    changed_ = true;
    SWAGE_RETURN_IF_ERROR(editor_.Replace(slice, moved));
    std::vector<Instruction*> again = editor_.TakeAdded();
    SWAGE_RETURN_IF_ERROR(MergeEqual(&again));
    for (Instruction* added : again) Push(added);
    // With one reader less, an operand may have a slice for its only one.
    for (Instruction* operand : before) {
      if (operand->users().size() == 1) Push(operand->users()[0]);
    }
    return OkStatus();
  }

  void Push(Instruction* instruction) {
    if (IsSlice(instruction)) work_.push_back({instruction, instruction->id()});
  }

  // Slices of one array that other paths have made already, as in a sum of x and f(x).
  Status MergeEqual(std::vector<Instruction*>* added) {
    for (Instruction*& slice : *added) {
      if (!IsSlice(slice)) continue;
      constexpr int kMostReaders = 8;
      int seen = 0;
      for (Instruction* other : slice->operand(0)->users()) {
        if (++seen > kMostReaders) break;
        if (other == slice || !other->SameOperation(*slice) || other->id() > slice->id()) continue;
        SWAGE_RETURN_IF_ERROR(editor_.Replace(slice, other));
        slice = other;
        break;
      }
    }
    return OkStatus();
  }

  Editor editor_;
  std::vector<Editor::Ref> work_;
  bool changed_ = false;
};

}  // namespace

StatusOr<bool> SliceMover::Run(ir::Module& module, PassContext& context) {
  if (module.has_layouts()) return false;
  bool changed = false;
  for (ir::Computation* computation : module.NonFusionComputations()) {
    SWAGE_ASSIGN_OR_RETURN(const bool moved, Mover(*computation).Run());
    changed |= moved;
  }
  return changed;
}

}  // namespace swage::passes
