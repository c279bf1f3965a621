#include "codegen/emit/schedules/leaves.h"

namespace swage::emit {

Status StoreLeaf(const KernelPlan& plan, size_t leaf, IndexId index, llvm::Value* value,
                 ValueEmitter& e) {
  const int buffer = plan.fusion->parameter_count() + static_cast<int>(leaf);
  return e.Store(e.buffer(buffer), plan.leaves[leaf].shape.dtype(),
                 StoreOffset(e.arena(), plan.leaves[leaf], index), value);
}

Status EmitLeaves(const KernelPlan& plan, const std::vector<IndexId>& indices, ValueEmitter& e) {
  // All are computed before any is stored: an output may lie where an input lay.
  std::vector<llvm::Value*> values;
  for (size_t i = 0; i < plan.leaves.size(); ++i) {
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, e.Value(plan.leaves[i].value, indices[i]));
    values.push_back(value);
  }
  for (size_t i = 0; i < plan.leaves.size(); ++i) {
    SWAGE_RETURN_IF_ERROR(StoreLeaf(plan, i, indices[i], values[i], e));
  }
  return OkStatus();
}

}  // namespace swage::emit
