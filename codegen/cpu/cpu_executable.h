// File: codegen/cpu/cpu_executable.h
//
// CpuExecutable: a program as a list of prebuilt steps (kernels, copies, calls of other
// executables) over a table of base addresses. A call fills the table, resolves each step's buffers
// and runs it; it takes no lock and allocates nothing once its arena exists. One run in about 64 on
// a thread is timed step by step, as long as a step may get a better kernel (hot_steps.h).
//
// Under SWAGE_CHECK=memory every constant and every intermediate value has a buffer of its own
// against a guard page (base/check_mode.h), instead of a slice of the arena.
#ifndef SWAGE_CODEGEN_CPU_CPU_EXECUTABLE_H_
#define SWAGE_CODEGEN_CPU_CPU_EXECUTABLE_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "codegen/cpu/hot_steps.h"
#include "codegen/cpu/kernel_version.h"
#include "codegen/cpu/library_dot.h"
#include "codegen/executable.h"
#include "codegen/program/program_plan.h"

namespace swage::cpu {

struct Step {
  using Kind = codegen::StepPlan::Kind;
  Kind kind = Kind::kKernel;
  std::vector<codegen::BufferRef> buffers;  // operands, then results
  // kKernel: one of the two
  VersionedKernel kernel;
  std::shared_ptr<const LibraryDot> library;
  // kCopy
  int64_t bytes = 0;
  // kCall
  std::shared_ptr<codegen::Executable> callee;
  std::string name;  // of the instruction, for errors
};

// The right side of a dot; one operand may be both.
inline const codegen::BufferRef& RightOf(const std::vector<codegen::BufferRef>& buffers) {
  return buffers[buffers.size() == 2 ? 0 : 1];
}

struct CpuProgram : codegen::ProgramLayout {
  std::vector<Step> steps;
  const Specialisation* specialise = nullptr;  // null: kernels stay what they are
};

class CpuExecutable : public codegen::Executable {
 public:
  CpuExecutable(CpuProgram program, codegen::CompileReport report);
  ~CpuExecutable() override;

  Status Run(absl::Span<const void* const> inputs, absl::Span<void* const> outputs) override;
  Status RunTimed(absl::Span<const void* const> inputs, absl::Span<void* const> outputs,
                  std::vector<codegen::StepTime>* times) override;
  // By step, what replaces its library dot; null where nothing does.
  using Dots = std::vector<std::shared_ptr<const LibraryDot>>;
  // `times`: as of RunTimed, or null.
  Status RunWith(const Dots& dots, absl::Span<const void* const> inputs,
                 absl::Span<void* const> outputs, std::vector<codegen::StepTime>* times = nullptr);
  StatusOr<std::shared_ptr<Executable>> PreparedFor(
      absl::Span<const codegen::UnchangingInput> inputs) override;
  int64_t memory_bytes() const override { return memory_bytes_; }

  const CpuProgram& program() const { return program_; }

 private:
  class Arena;
  Status RunSteps(const Dots& dots, char** bases);
  // The same, timed for hot steps; the run stands for `runs`.
  Status RunSampled(const Dots& dots, char** bases, int64_t runs);
  Status RunTimedSteps(const Dots& dots, char** bases, std::vector<codegen::StepTime>* times);

  CpuProgram program_;
  int64_t memory_bytes_;
  // The arena of the last call, for the next; a second caller at the same time makes its own.
  std::atomic<Arena*> spare_{nullptr};
  std::shared_ptr<HotSteps> hot_;  // null: no step is specialised
};

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_CPU_EXECUTABLE_H_
