#include "compiler/passes/buffer_assignment.h"

#include "absl/strings/str_cat.h"
#include "compiler/analysis/buffer_assignment.h"

namespace swage::passes {

StatusOr<bool> BufferAssignment::Run(ir::Module& module, PassContext& context) {
  for (const ir::Computation* computation : module.ExecutedComputations()) {
    SWAGE_ASSIGN_OR_RETURN(const analysis::BufferAssignment buffers,
                           analysis::AssignBuffers(*computation));
    if (!computation->schedule().empty()) {
      SWAGE_ASSIGN_OR_RETURN(const analysis::BufferAssignment program,
                             analysis::AssignBuffers(*computation, computation->PostOrder()));
      SWAGE_RET_CHECK(buffers.arena_bytes() <= program.arena_bytes(), computation->name(), ": ",
                      buffers.arena_bytes(), " bytes in the schedule, ", program.arena_bytes(),
                      " in the order of the program");
    }
    context.Log(Severity::kInfo,
                absl::StrCat("[buffer-assignment] ", computation->name(), ": ",
                             buffers.arena_bytes(), " bytes of intermediate values"));
    if (context.is_dumping()) {
      context.DumpFile(absl::StrCat(computation->name(), "-buffer-assignment.txt"),
                       buffers.ToString(), "where each value of " + computation->name() + " lives");
    }
  }
  return false;
}

}  // namespace swage::passes
