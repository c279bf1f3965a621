// File: tests/codegen/emit/kernel_runner.h
//
// Compiles a fusion to machine code and runs it, every buffer against a guard page. A GPU kernel
// runs on the emulated driver.
#ifndef SWAGE_TESTS_CODEGEN_EMIT_KERNEL_RUNNER_H_
#define SWAGE_TESTS_CODEGEN_EMIT_KERNEL_RUNNER_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/guard_memory.h"
#include "base/status.h"
#include "codegen/cpu/kernel_loader.h"
#include "codegen/emit/emit_options.h"
#include "codegen/emit/kernel_emitter.h"
#include "codegen/gpu/launch.h"
#include "compiler/ir/literal.h"
#include "compiler/ir/module.h"
#include "tests/codegen/emit/emulated_run.h"

namespace swage::emit {

struct CompileOptions {
  EmitOptions emit;
  bool baked = false;
  bool keep_text = false;  // IR and assembly
};

// The two vector widths, as far as this machine has them, and the last one with streaming stores.
std::vector<EmitOptions> TargetsHere();

class CompiledKernel {
 public:
  static StatusOr<CompiledKernel> Compile(const ir::Computation& fusion,
                                          const CompileOptions& options);

  // The outputs, in order. `step` tasks per call of the kernel; 0: all at once. On a GPU it is the
  // seed of the order of its threads; where odd, the launch is the one that sizes do not ask for.
  StatusOr<std::vector<ir::Literal>> Run(absl::Span<const ir::Literal> args,
                                         GuardSide side = GuardSide::kEnd, int64_t step = 0) const;

  const std::string& text() const { return text_; }  // of the generalised fusion
  const std::string& ir() const { return ir_; }
  const std::string& assembly() const { return assembly_; }  // PTX for a GPU
  const std::string& object() const { return object_; }
  const std::string& plan() const { return plan_; }
  Schedule schedule() const { return schedule_; }
  // Without symbols of the fusion's own, which Run binds.
  const std::vector<int64_t>& dims() const { return dims_; }
  int64_t tasks() const { return tasks_; }
  cpu::KernelFn entry() const { return kernel_->entry(); }
  // The same with another object, e.g. read back from a file.
  Status Reload(const std::string& object);

 private:
  std::string text_, ir_, assembly_, object_, plan_;
  Schedule schedule_ = Schedule::kLoop;
  std::vector<int64_t> dims_;
  int64_t tasks_ = 0;
  std::vector<ir::Shape> parameters_, results_;  // as the fusion has them
  std::vector<ir::Dim> values_;                  // of the run-time extents
  bool symbolic_ = false;
  int updated_ = -1;  // the parameter that the result is a copy of, but for what is written
  std::shared_ptr<cpu::LoadedKernel> kernel_;
  std::shared_ptr<EmulatedKernel> emulated_;  // a GPU kernel
  gpu::LaunchPlan launch_;

  Status CompileForCpu(llvm::Module& module, const CompileOptions& options);
  Status CompileForGpu(llvm::Module& module, const CompileOptions& options);
};

// Numbers of `shape`: mixed signs and magnitudes, the same ones for the same seed. Integers use the
// whole range; `special` adds infinities, NaN, signed zeros and denormals.
ir::Literal RandomLiteral(const ir::Shape& shape, uint64_t seed, bool special = false);

// Bit-equal, NaNs as NaNs; or within `tolerance` of the largest magnitude.
Status CompareLiterals(const std::vector<ir::Literal>& got, const std::vector<ir::Literal>& want,
                       double tolerance, const std::string& what);

// Runs the entry computation of `hlo` on random arguments, through the evaluator and as a kernel on
// every target, baked and with run-time dims, with guards on both sides, in one call and task by
// task; on the GPU with threads in order and shuffled. All results must be bit-equal, NaNs as NaNs;
// with `tolerance`, the kernel may be off by that relative to the largest magnitude, but its own
// variants must still agree on each target.
Status CheckAgainstEvaluator(std::string_view hlo, double tolerance = 0, bool special = false);
// For a module with symbols: only with run-time dims. Otherwise as above.
Status CheckWithArgs(std::string_view hlo, const std::vector<ir::Literal>& args,
                     double tolerance = 0);

}  // namespace swage::emit

#endif  // SWAGE_TESTS_CODEGEN_EMIT_KERNEL_RUNNER_H_
