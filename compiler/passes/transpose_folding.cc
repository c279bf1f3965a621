#include "compiler/passes/transpose_folding.h"

#include "compiler/passes/match.h"
#include "compiler/passes/rewrite_each.h"

namespace swage::passes {
namespace {

using ir::DimList;
using ir::DotAttrs;
using ir::Instruction;
using ir::Opcode;

DimList Through(const DimList& dims, const DimList& permutation) {
  DimList result;
  for (int64_t d : dims) result.push_back(permutation[d]);
  return result;
}

// The operand of a transpose with its dimension numbers, if free dimensions keep their order, which
// is that of the result.
Instruction* FoldOperand(Instruction* x, DimList* batch, DimList* contracting) {
  if (!IsOp(x, Opcode::kTranspose)) return nullptr;
  const DimList& permutation = x->dimensions();
  int64_t last = -1;
  for (int64_t d = 0; d < x->shape().rank(); ++d) {
    if (Has(*batch, d) || Has(*contracting, d)) continue;
    if (permutation[d] < last) return nullptr;
    last = permutation[d];
  }
  *batch = Through(*batch, permutation);
  *contracting = Through(*contracting, permutation);
  return x->operand(0);
}

Instruction* FoldOperands(Instruction& dot, Editor& editor) {
  DotAttrs attrs = dot.attrs<DotAttrs>();
  Instruction* lhs = FoldOperand(dot.operand(0), &attrs.lhs_batch, &attrs.lhs_contracting);
  Instruction* rhs = FoldOperand(dot.operand(1), &attrs.rhs_batch, &attrs.rhs_contracting);
  if (lhs == nullptr && rhs == nullptr) return nullptr;
  return editor.Add(Opcode::kDot, dot.shape(),
                    {lhs != nullptr ? lhs : dot.operand(0), rhs != nullptr ? rhs : dot.operand(1)},
                    std::move(attrs));
}

Instruction* FoldResult(Instruction& transpose, Editor& editor) {
  const Instruction* dot = transpose.operand(0);
  if (!IsOp(dot, Opcode::kDot) || dot->users().size() != 1 || dot->IsRoot()) return nullptr;
  const DotAttrs& attrs = dot->attrs<DotAttrs>();
  const int64_t rank = dot->shape().rank();
  const int64_t batch = static_cast<int64_t>(attrs.lhs_batch.size());
  const int64_t rows =
      dot->operand(0)->shape().rank() - batch - static_cast<int64_t>(attrs.lhs_contracting.size());
  // Batch, then columns, then rows.
  DimList swapped;
  for (int64_t d = 0; d < batch; ++d) swapped.push_back(d);
  for (int64_t d = batch + rows; d < rank; ++d) swapped.push_back(d);
  for (int64_t d = batch; d < batch + rows; ++d) swapped.push_back(d);
  if (transpose.dimensions() != swapped) return nullptr;
  return editor.Add(Opcode::kDot, transpose.shape(), {dot->operand(1), dot->operand(0)},
                    DotAttrs{.lhs_batch = attrs.rhs_batch,
                             .rhs_batch = attrs.lhs_batch,
                             .lhs_contracting = attrs.rhs_contracting,
                             .rhs_contracting = attrs.lhs_contracting});
}

Instruction* Fold(Instruction& instruction, Editor& editor) {
  switch (instruction.opcode()) {
    case Opcode::kDot:
      return FoldOperands(instruction, editor);
    case Opcode::kTranspose:
      return FoldResult(instruction, editor);
    default:
      return nullptr;
  }
}

}  // namespace

StatusOr<bool> TransposeFolding::Run(ir::Module& module, PassContext& context) {
  if (module.has_layouts()) return false;
  return RewriteEach(module, Fold, {Opcode::kDot});
}

}  // namespace swage::passes
