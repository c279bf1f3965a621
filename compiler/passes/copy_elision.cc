#include "compiler/passes/copy_elision.h"

#include <utility>
#include <vector>

#include "compiler/analysis/memory_order.h"
#include "compiler/passes/copy_elider.h"

namespace swage::passes {

using ir::Instruction;

StatusOr<bool> CopyElision::Run(ir::Module& module, PassContext& context) {
  bool changed = false;
  for (ir::Computation* computation : module.ExecutedComputations()) {
    std::vector<Instruction*> copies;
    for (Instruction* instruction : computation->PostOrder()) {
      const bool is_copy = instruction->opcode() == ir::Opcode::kCopy;
      if (is_copy && instruction->shape().is_array()) copies.push_back(instruction);
    }
    SWAGE_ASSIGN_OR_RETURN(const int64_t removed, ElideCopies(*computation, copies));
    if (removed == 0) continue;
    changed = true;
    if (!module.is_scheduled()) continue;
    SWAGE_ASSIGN_OR_RETURN(analysis::MemorySchedule schedule,
                           analysis::ScheduleForMemory(*computation));
    computation->set_schedule(std::move(schedule.order));
  }
  return changed;
}

}  // namespace swage::passes
