// File: tools/prepared_run.h
//
// An executable with its buffers in place, so that nothing but its run is timed.
//
//   SWAGE_ASSIGN_OR_RETURN(auto run, PreparedRun::Create(executable, inputs));
//   SWAGE_RETURN_IF_ERROR(run->Run(100));
//   SWAGE_ASSIGN_OR_RETURN(std::vector<ir::Literal> results, run->Results());
#ifndef SWAGE_TOOLS_PREPARED_RUN_H_
#define SWAGE_TOOLS_PREPARED_RUN_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/status.h"
#include "codegen/executable.h"
#include "codegen/run_on_literals.h"
#include "compiler/ir/literal.h"

namespace swage::tools {

class PreparedRun {
 public:
  // `inputs`: one literal per parameter.
  static StatusOr<std::unique_ptr<PreparedRun>> Create(
      std::shared_ptr<codegen::Executable> executable, std::vector<ir::Literal> inputs);

  // Runs it so often and waits for the end.
  Status Run(int64_t times);
  // Runs it once more, and adds what each step took (codegen/executable.h).
  Status RunTimed(std::vector<codegen::StepTime>* times);
  // The leaves that the last run wrote.
  StatusOr<std::vector<ir::Literal>> Results() const;

 private:
  PreparedRun(std::shared_ptr<codegen::Executable> executable, std::vector<ir::Literal> inputs,
              codegen::RunBuffers buffers)
      : executable_(std::move(executable)),
        inputs_(std::move(inputs)),
        buffers_(std::move(buffers)) {}

  const std::shared_ptr<codegen::Executable> executable_;
  const std::vector<ir::Literal> inputs_;  // leaves
  codegen::RunBuffers buffers_;
};

// The median milliseconds of one run: after a warm-up, samples of at least `min_ms` together, and
// at least three. Short runs are timed many at a time.
struct RunTime {
  double ms = 0;
  int64_t runs = 0;
};
StatusOr<RunTime> TimeRuns(PreparedRun& run, double min_ms);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_PREPARED_RUN_H_
