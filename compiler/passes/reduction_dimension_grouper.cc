#include "compiler/passes/reduction_dimension_grouper.h"

#include "compiler/passes/match.h"
#include "compiler/passes/reduction_tree.h"
#include "compiler/passes/rewrite_each.h"

namespace swage::passes {
namespace {

using ir::DimList;
using ir::Instruction;
using ir::Opcode;

Instruction* Group(Instruction& reduce, Editor& editor) {
  if (!IsOp(&reduce, Opcode::kReduce) || !reduce.shape().is_array() || OrderMatters(reduce)) {
    return nullptr;
  }
  Instruction* x = reduce.operand(0);
  ir::Dims dims;
  DimList reduced;
  bool was_reduced = false;
  for (int d = 0; d < x->shape().rank(); ++d) {
    const bool is_reduced = Has(reduce.dimensions(), d);
    if (is_reduced && was_reduced) {
      dims.back() = dims.back() * x->shape().dim(d);
    } else {
      if (is_reduced) reduced.push_back(static_cast<int64_t>(dims.size()));
      dims.push_back(x->shape().dim(d));
    }
    was_reduced = is_reduced;
  }
  if (reduced.size() == reduce.dimensions().size()) return nullptr;
  return editor.Add(Opcode::kReduce, reduce.shape(), {editor.Reshape(x, dims), reduce.operand(1)},
                    ir::DimensionsAttrs{reduced}, reduce.called());
}

}  // namespace

StatusOr<bool> ReductionDimensionGrouper::Run(ir::Module& module, PassContext& context) {
  return RewriteEach(module, Group, {Opcode::kReduce});
}

}  // namespace swage::passes
