#include "compiler/passes/reduction_layout_normalizer.h"

#include <algorithm>

#include "compiler/passes/combiner_match.h"
#include "compiler/passes/match.h"
#include "compiler/passes/reduction_tree.h"
#include "compiler/passes/rewrite_each.h"

namespace swage::passes {
namespace {

using ir::DimList;
using ir::Instruction;
using ir::Opcode;

// Whether reducing `to` of the transposed array's operand is the same tree as reducing `from` of
// the transposed array.
bool KeepsTree(const Instruction& reduce, const DimList& permutation) {
  if (!OrderMatters(reduce)) return true;
  DimList from = reduce.dimensions();
  std::sort(from.begin(), from.end());
  const int64_t minor = static_cast<int64_t>(permutation.size()) - 1;
  int64_t last = -1;
  for (int64_t d : from) {
    const int64_t to = permutation[d];
    if (to < last) return false;
    last = to;
    const auto extent = reduce.operand(0)->shape().dim(static_cast<int>(d)).upper_bound();
    if ((d == minor) != (to == minor) && !(extent <= kShortestTree)) return false;
  }
  return true;
}

Instruction* ReadInPlace(Instruction& reduce, Editor& editor) {
  if (!IsOp(&reduce, Opcode::kReduce) || reduce.operand_count() != 2) return nullptr;
  const Instruction* transpose = reduce.operand(0);
  if (!IsOp(transpose, Opcode::kTranspose)) return nullptr;
  const DimList& permutation = transpose->dimensions();
  if (!KeepsTree(reduce, permutation)) return nullptr;
  DimList reduced, kept;  // of the transpose's operand
  for (int64_t d = 0; d < static_cast<int64_t>(permutation.size()); ++d) {
    (Has(reduce.dimensions(), d) ? reduced : kept).push_back(permutation[d]);
  }
  std::sort(reduced.begin(), reduced.end());
  DimList ordered = kept;
  std::sort(ordered.begin(), ordered.end());
  Instruction* x = transpose->operand(0);
  ir::Dims dims;
  for (int64_t d : ordered) dims.push_back(x->shape().dim(static_cast<int>(d)));
  Instruction* result =
      editor.Add(Opcode::kReduce, ir::Shape::Array(reduce.shape().dtype(), dims),
                 {x, reduce.operand(1)}, ir::DimensionsAttrs{reduced}, reduce.called());
  DimList back;
  for (int64_t d : kept) {
    back.push_back(std::find(ordered.begin(), ordered.end(), d) - ordered.begin());
  }
  return editor.Transpose(result, back);
}

}  // namespace

StatusOr<bool> ReductionLayoutNormalizer::Run(ir::Module& module, PassContext& context) {
  return RewriteEach(module, ReadInPlace, {Opcode::kTranspose});
}

}  // namespace swage::passes
