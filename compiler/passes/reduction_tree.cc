#include "compiler/passes/reduction_tree.h"

#include "compiler/passes/combiner_match.h"

namespace swage::passes {

bool OrderMatters(const ir::Instruction& reduce) {
  if (reduce.operand_count() != 2) return true;
  const auto op = CombinerOp(*reduce.to_apply());
  return !op.has_value() || !IsAssociative(*op, reduce.shape().dtype());
}

}  // namespace swage::passes
