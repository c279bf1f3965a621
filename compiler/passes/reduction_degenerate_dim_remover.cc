#include "compiler/passes/reduction_degenerate_dim_remover.h"

#include <algorithm>

#include "compiler/ir/reshape_groups.h"
#include "compiler/passes/match.h"
#include "compiler/passes/reduction_tree.h"
#include "compiler/passes/rewrite_each.h"

namespace swage::passes {
namespace {

using ir::Dim;
using ir::DimList;
using ir::Instruction;
using ir::Opcode;

// Whether the reduce has the same tree once only `kept` dimensions are left.
bool KeepsTree(const Instruction& reduce, const DimList& kept) {
  const int64_t minor = kept.back();
  const ir::Shape& shape = reduce.operand(0)->shape();
  if (minor == shape.rank() - 1 || !OrderMatters(reduce)) return true;
  if (!Has(reduce.dimensions(), minor)) return true;
  return shape.dim(static_cast<int>(minor)).upper_bound() <= kShortestTree;
}

Instruction* RemoveUnits(Instruction& reduce, Editor& editor) {
  if (!IsOp(&reduce, Opcode::kReduce) || !reduce.shape().is_array()) return nullptr;
  Instruction* x = reduce.operand(0);
  const ir::NonUnitDims kept = ir::NonUnitDimsOf(x->shape().dims());
  if (kept.numbers.empty() || kept.numbers.size() == x->shape().dims().size() ||
      !KeepsTree(reduce, kept.numbers)) {
    return nullptr;
  }
  DimList dimensions;
  ir::Dims result;
  for (size_t k = 0; k < kept.numbers.size(); ++k) {
    if (std::count(reduce.dimensions().begin(), reduce.dimensions().end(), kept.numbers[k]) > 0) {
      dimensions.push_back(static_cast<int64_t>(k));
    } else {
      result.push_back(kept.dims[k]);
    }
  }
  // Over dimensions of extent 1 only: algebraic-simplifier knows better.
  if (dimensions.empty()) return nullptr;
  Instruction* removed =
      editor.Add(Opcode::kReduce, ir::Shape::Array(reduce.shape().dtype(), result),
                 {editor.Reshape(x, kept.dims), reduce.operand(1)}, ir::DimensionsAttrs{dimensions},
                 reduce.called());
  return editor.Reshape(removed, reduce.shape().dims());
}

}  // namespace

StatusOr<bool> ReductionDegenerateDimRemover::Run(ir::Module& module, PassContext& context) {
  return RewriteEach(module, RemoveUnits, {Opcode::kReduce});
}

}  // namespace swage::passes
