// File: codegen/emit/schedules/row_cache.cc
#include "codegen/emit/schedules/row_cache.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_set.h"

namespace swage::emit {

using ir::Instruction;

namespace {

// What `values` need at their own index, through elementwise ops; nearest first.
std::vector<const Instruction*> SameIndex(std::vector<const Instruction*> values) {
  absl::flat_hash_set<const Instruction*> seen(values.begin(), values.end());
  for (size_t i = 0; i < values.size(); ++i) {
    if (!ir::IsElementwise(values[i]->opcode())) continue;
    for (const Instruction* operand : values[i]->operands()) {
      if (operand->shape().rank() > 0 && seen.insert(operand).second) values.push_back(operand);
    }
  }
  return values;
}

bool IsExpensive(const Instruction* value) {
  for (const Instruction* op : SameIndex({value})) {
    if (ir::InfoOf(op->opcode()).cost == ir::CostClass::kTranscendental) return true;
  }
  return false;
}

}  // namespace

std::optional<RowCachePlan> FindRowCache(const KernelPlan& plan) {
  if (plan.schedule != Schedule::kRowTile) return std::nullopt;
  const int rank = static_cast<int>(plan.space.parts_per_dim.size());
  std::vector<const Instruction*> outputs;
  for (const Leaf& leaf : plan.leaves) {
    if (leaf.shape.rank() == rank && leaf.value->shape().is_array()) outputs.push_back(leaf.value);
  }
  if (outputs.empty() || plan.space.parts_per_dim.back() != 1) return std::nullopt;
  const std::vector<const Instruction*> used = SameIndex(outputs);
  for (const Instruction* reduce : plan.fusion->PostOrder()) {
    if (reduce->opcode() != ir::Opcode::kReduce || reduce->operand_count() != 2) continue;
    if (reduce->dimensions() != ir::DimList{rank - 1} ||
        !ir::SameDims(reduce->operand(0)->shape(), outputs[0]->shape())) {
      continue;
    }
    for (const Instruction* value : SameIndex({reduce->operand(0)})) {
      const bool shared = std::find(used.begin(), used.end(), value) != used.end();
      if (shared && IsExpensive(value)) return RowCachePlan{value, reduce};
    }
  }
  return std::nullopt;
}

}  // namespace swage::emit
