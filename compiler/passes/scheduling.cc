#include "compiler/passes/scheduling.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/analysis/memory_order.h"

namespace swage::passes {
namespace {

Status Schedule(ir::Computation& computation, PassContext& context) {
  SWAGE_ASSIGN_OR_RETURN(analysis::MemorySchedule schedule,
                         analysis::ScheduleForMemory(computation));
  if (schedule.arena_bytes < schedule.program_bytes) {
    context.Log(Severity::kInfo,
                absl::StrCat("[scheduling] ", computation.name(), " needs ", schedule.arena_bytes,
                             " bytes for intermediate values, ", schedule.program_bytes,
                             " in the order of the program"));
  }
  computation.set_schedule(std::move(schedule.order));
  return OkStatus();
}

}  // namespace

StatusOr<bool> Scheduling::Run(ir::Module& module, PassContext& context) {
  if (module.is_scheduled()) return false;
  for (ir::Computation* computation : module.NonFusionComputations()) {
    computation->set_schedule(computation->PostOrder());
  }
  for (ir::Computation* computation : module.ExecutedComputations()) {
    SWAGE_RETURN_IF_ERROR(Schedule(*computation, context));
  }
  module.set_is_scheduled(true);
  return true;
}

}  // namespace swage::passes
