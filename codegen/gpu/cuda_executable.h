// File: codegen/gpu/cuda_executable.h
//
// CudaExecutable: a program as launches into the queue of one GPU. Run returns when its work is in
// the queue, not when it is done: errors of kernels come up in a later call, or where results are
// read (MemorySpace::CopyOut).
//
// - A warm run of up to 64 buffers allocates nothing, and takes no lock but the queue's turn.
// - A program of many steps is recorded as a CUDA graph when it is run with the same buffers twice
//   in a row, and begun with one call from then on. SWAGE_CUDA_GRAPHS=off: never.
// - A kernel that is a large dot and nothing else is left to cuBLASLt where that is found.
// - Under SWAGE_CHECK=memory every intermediate value has a block of its own, and each step is
//   waited for, so that an error names it.
#ifndef SWAGE_CODEGEN_GPU_CUDA_EXECUTABLE_H_
#define SWAGE_CODEGEN_GPU_CUDA_EXECUTABLE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "codegen/cuda/graph.h"
#include "codegen/cuda/matmul.h"
#include "codegen/executable.h"
#include "codegen/gpu/cuda_queue.h"
#include "codegen/gpu/launch.h"
#include "codegen/program/program_plan.h"

namespace swage::gpu {

// What SWAGE_CUDA_GRAPHS says; InvalidArgument for neither auto nor off.
StatusOr<bool> UsesGraphs();

class CudaExecutable;

struct CudaStep {
  using Kind = codegen::StepPlan::Kind;
  Kind kind = Kind::kKernel;
  std::string name;                         // of the instruction, for errors
  std::vector<codegen::BufferRef> buffers;  // operands, then results
  // kKernel
  codegen::KernelCache::KernelPtr kernel;
  Launch launch;
  std::vector<int64_t> dims;
  std::shared_ptr<const cuda::Matmul> matmul;  // runs in its place; null: the kernel does
  int64_t bytes = 0;                           // kCopy
  // kCall; the executable is kept by `callee`.
  std::shared_ptr<codegen::Executable> callee;
  const CudaExecutable* called = nullptr;
};

struct CudaProgram {
  // ResourceExhausted for a kernel of more blocks than a grid can have.
  static StatusOr<CudaProgram> Make(CudaQueue& queue, codegen::ProgramPlan plan);

  codegen::ProgramLayout layout;  // without the constants
  std::vector<std::shared_ptr<const codegen::SpaceBlock>> constants;
  std::vector<CudaStep> steps;
};

class CudaExecutable final : public codegen::Executable {
 public:
  CudaExecutable(CudaQueue& queue, CudaProgram program, const codegen::CompileReport& report);
  ~CudaExecutable() override;

  Status Run(absl::Span<const void* const> inputs, absl::Span<void* const> outputs) override;
  codegen::MemorySpace* memory() const override { return &queue_; }
  int64_t memory_bytes() const override { return memory_bytes_; }

  const CudaProgram& program() const { return program_; }
  // Of this and the programs that it calls.
  int64_t launches() const { return launches_; }
  bool is_recorded() const { return graph_.has_value(); }

 private:
  using Address = cuda::CUdeviceptr;
  class Blocks;
  // Puts all steps into the queue. `border`: inputs, then outputs.
  Status Launch(const CudaQueue::Turn& turn, absl::Span<const Address> border,
                Address scratch) const;
  Status LaunchStep(const CudaQueue::Turn& turn, const CudaStep& step,
                    absl::Span<const Address> bases, Address scratch) const;
  Status LaunchOrReplay(const CudaQueue::Turn& turn, absl::Span<const Address> border,
                        Address scratch);

  CudaQueue& queue_;
  CudaProgram program_;
  int64_t memory_bytes_ = 0, scratch_bytes_ = 0, launches_ = 0;

  // With the turn: the last run, and what was recorded of it.
  std::vector<Address> last_border_;
  int64_t last_generation_ = -1;
  std::optional<cuda::Graph> graph_;
  bool may_record_ = true;
};

}  // namespace swage::gpu

#endif  // SWAGE_CODEGEN_GPU_CUDA_EXECUTABLE_H_
