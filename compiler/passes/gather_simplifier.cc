#include "compiler/passes/gather_simplifier.h"

#include <algorithm>

#include "compiler/passes/match.h"
#include "compiler/passes/rewrite_each.h"

namespace swage::passes {
namespace {

using ir::Dim;
using ir::DimList;
using ir::GatherAttrs;
using ir::Instruction;
using ir::Opcode;

// Whether the dimensions of the starts that count windows all have extent 1.
bool HasOneWindow(const Instruction& gather) {
  const ir::Shape& starts = gather.operand(1)->shape();
  for (int d = 0; d < starts.rank(); ++d) {
    if (d != gather.attrs<GatherAttrs>().index_vector_dim && starts.dim(d) != Dim(1)) return false;
  }
  return true;
}

// Component `k` of the only start, as a scalar.
Instruction* StartComponent(Instruction* starts, int64_t k, Editor& editor) {
  ir::SliceAttrs window = {{k}, {k + 1}, {1}};
  return editor.Reshape(editor.Slice(starts, std::move(window)), {});
}

Instruction* OneWindow(Instruction& gather, Editor& editor) {
  const GatherAttrs& attrs = gather.attrs<GatherAttrs>();
  if (!attrs.operand_batching_dims.empty() || !HasOneWindow(gather)) return nullptr;
  Instruction* x = gather.operand(0);
  Instruction* starts =
      editor.Reshape(gather.operand(1), {Dim(static_cast<int64_t>(attrs.start_index_map.size()))});
  Instruction* zero = nullptr;
  ir::InstructionList operands = {x};
  for (int d = 0; d < x->shape().rank(); ++d) {
    const auto found = std::find(attrs.start_index_map.begin(), attrs.start_index_map.end(), d);
    if (found != attrs.start_index_map.end()) {
      operands.push_back(StartComponent(starts, found - attrs.start_index_map.begin(), editor));
      continue;
    }
    if (zero == nullptr) {
      zero = editor.Constant(ir::Literal::Scalar(starts->shape().dtype(), 0));
    }
    operands.push_back(zero);
  }
  Instruction* window =
      editor.Add(Opcode::kDynamicSlice, ir::Shape::Array(x->shape().dtype(), attrs.slice_sizes),
                 operands, ir::DynamicSliceAttrs{attrs.slice_sizes});
  // Dimensions of extent 1 go and come; the order of the others is the operand's.
  return editor.Reshape(window, gather.shape().dims());
}

// Starts do not matter: all are clamped to 0.
Instruction* AllOfTheArray(Instruction& gather, Editor& editor) {
  const GatherAttrs& attrs = gather.attrs<GatherAttrs>();
  Instruction* x = gather.operand(0);
  if (!attrs.operand_batching_dims.empty()) return nullptr;
  ir::Dims kept;
  for (int d = 0; d < x->shape().rank(); ++d) {
    if (ir::ProveEqual(attrs.slice_sizes[d], x->shape().dim(d)) != ir::Ternary::kYes)
      return nullptr;
    if (!Has(attrs.collapsed_slice_dims, d)) kept.push_back(x->shape().dim(d));
  }
  DimList offsets = attrs.offset_dims;
  std::sort(offsets.begin(), offsets.end());
  return editor.Broadcast(editor.Reshape(x, kept), gather.shape().dims(), offsets);
}

Instruction* Simplify(Instruction& gather, Editor& editor) {
  if (!IsOp(&gather, Opcode::kGather)) return nullptr;
  Instruction* all = AllOfTheArray(gather, editor);
  return all != nullptr ? all : OneWindow(gather, editor);
}

}  // namespace

StatusOr<bool> GatherSimplifier::Run(ir::Module& module, PassContext& context) {
  return RewriteEach(module, Simplify, {Opcode::kGather});
}

}  // namespace swage::passes
