#include "codegen/gpu/cuda_executable.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/check_mode.h"
#include "base/env.h"
#include "base/log.h"
#include "codegen/cuda/blas.h"
#include "codegen/gpu/cuda_target.h"
#include "compiler/cost/cost_model.h"

namespace swage::gpu {
namespace {

using codegen::BaseTable;
using codegen::BufferRef;
using codegen::StepPlan;

constexpr size_t kInlineBases = 64;
constexpr size_t kInlineParameters = 32;
// Programs of fewer launches gain nothing from a graph.
constexpr int64_t kGraphLaunches = 4;
constexpr int64_t kScratchAlignment = 256;

int64_t AlignUp(int64_t bytes) {
  return (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
}

// The library's plan of a dot; Unavailable or Unimplemented says why it is emitted instead.
StatusOr<std::shared_ptr<const cuda::Matmul>> MatmulOf(CudaQueue& queue,
                                                       const codegen::DotProblem& dot) {
  if (dot.flops() < cost::kLibraryFlops) {
    return Unimplemented(absl::StrFormat("%.0f operations, the library is asked from %.0f on",
                                         dot.flops(), cost::kLibraryFlops));
  }
  const cuda::ContextScope scope(queue.device());
  SWAGE_RETURN_IF_ERROR(scope.status());
  SWAGE_ASSIGN_OR_RETURN(cuda::Blas* const blas, cuda::Blas::Of(queue.device()));
  return blas->Plan({.dtype = dot.dtype,
                     .result = dot.result,
                     .m = dot.m,
                     .n = dot.n,
                     .k = dot.k,
                     .batch = dot.batch,
                     .transpose_a = dot.transpose_a,
                     .transpose_b = dot.transpose_b});
}

// The plan, or null; who computes the dot is told.
std::shared_ptr<const cuda::Matmul> LibraryFor(CudaQueue& queue, const std::string& name,
                                               const codegen::DotProblem& dot) {
  StatusOr<std::shared_ptr<const cuda::Matmul>> matmul = MatmulOf(queue, dot);
  if (LogEnabled(LogLevel::kDebug)) {
    Log(LogLevel::kDebug,
        absl::StrCat(
            "[cuda] ", name, ", ", dot.batch, " x (", dot.m, " x ", dot.k, " by ", dot.k, " x ",
            dot.n, "): ",
            matmul.ok() ? "by cuBLASLt" : absl::StrCat("emitted, ", matmul.status().message())));
  }
  return matmul.ok() ? *std::move(matmul) : nullptr;
}

StatusOr<CudaStep> StepOf(CudaQueue& queue, StepPlan&& plan) {
  CudaStep step;
  step.kind = plan.kind;
  step.name = std::move(plan.name);
  step.buffers = std::move(plan.buffers);
  step.bytes = plan.bytes;
  step.callee = std::move(plan.callee);
  step.called = static_cast<const CudaExecutable*>(step.callee.get());
  if (step.kind == StepPlan::Kind::kKernel) {
    SWAGE_ASSIGN_OR_RETURN(step.launch, LaunchFor(plan.launch, {}));
    if (plan.dot.has_value()) step.matmul = LibraryFor(queue, step.name, *plan.dot);
    step.kernel = std::move(plan.kernel);
    step.dims = std::move(plan.dims);
  }
  return step;
}

// For programs that have some; each dot is told of with SWAGE_LOG=debug.
void LogLibraryDots(const CudaProgram& program) {
  if (!LogEnabled(LogLevel::kInfo)) return;
  const auto count = std::count_if(program.steps.begin(), program.steps.end(),
                                   [](const CudaStep& step) { return step.matmul != nullptr; });
  if (count == 0) return;
  Log(LogLevel::kInfo, absl::StrCat("[cuda] ", count, " of ", program.steps.size(),
                                    " steps of the program by cuBLASLt"));
}

bool MayRecord() {
  static const bool may = [] {
    const StatusOr<bool> uses = UsesGraphs();
    return !uses.ok() || *uses;  // who compiled was told of a wrong word
  }();
  return may;
}

}  // namespace

StatusOr<bool> UsesGraphs() {
  const std::string text = GetEnv("SWAGE_CUDA_GRAPHS").value_or("auto");
  if (text == "auto" || text == "off") return text == "auto";
  return InvalidArgument("[environment] SWAGE_CUDA_GRAPHS='", text, "', expected auto or off");
}

// Memory check: a block for each slice.
class CudaExecutable::Blocks {
 public:
  Status Allocate(const CudaQueue::Turn& turn, const codegen::ProgramLayout& layout,
                  absl::Span<Address> slices) {
    for (size_t i = 0; i < layout.slices.size(); ++i) {
      SWAGE_ASSIGN_OR_RETURN(cuda::DeviceMemory block,
                             cuda::DeviceMemory::Allocate(turn.stream(), layout.slices[i].size));
      slices[i] = block.pointer();
      blocks_.push_back(std::move(block));
    }
    return OkStatus();
  }

 private:
  std::vector<cuda::DeviceMemory> blocks_;
};

StatusOr<CudaProgram> CudaProgram::Make(CudaQueue& queue, codegen::ProgramPlan plan) {
  CudaProgram program;
  for (const ir::Literal& literal : plan.layout.constants) {
    SWAGE_ASSIGN_OR_RETURN(auto constant, queue.Constant(literal));
    program.constants.push_back(std::move(constant));
  }
  program.layout = std::move(plan.layout);
  program.layout.constants.clear();
  for (StepPlan& step : plan.steps) {
    SWAGE_ASSIGN_OR_RETURN(program.steps.emplace_back(), StepOf(queue, std::move(step)));
  }
  LogLibraryDots(program);
  return program;
}

CudaExecutable::CudaExecutable(CudaQueue& queue, CudaProgram program,
                               const codegen::CompileReport& report)
    : queue_(queue), program_(std::move(program)) {
  input_shapes_ = program_.layout.input_shapes;
  output_shapes_ = program_.layout.output_shapes;
  donations_ = program_.layout.donations;
  report_ = report;
  memory_bytes_ = sizeof(*this);
  int64_t called = 0;
  for (const CudaStep& step : program_.steps) {
    memory_bytes_ += static_cast<int64_t>(sizeof(step) + step.name.size() +
                                          step.buffers.size() * sizeof(BufferRef) +
                                          step.dims.size() * sizeof(int64_t));
    if (step.called != nullptr) called = std::max(called, step.called->scratch_bytes_);
    if (step.matmul != nullptr) called = std::max(called, step.matmul->workspace_bytes());
    launches_ += step.called != nullptr ? step.called->launches_ : 1;
  }
  scratch_bytes_ = AlignUp(program_.layout.arena_bytes) + called;
}

CudaExecutable::~CudaExecutable() {
  for (const CudaStep& step : program_.steps) {
    if (step.kernel != nullptr) codegen::KernelCache::RaiseUse(step.kernel, use().value());
    if (step.callee != nullptr) step.callee->use().Raise(use().value());
  }
  if (!graph_.has_value()) return;
  const CudaQueue::Turn turn(queue_);
  graph_.reset();
}

Status CudaExecutable::Run(absl::Span<const void* const> inputs, absl::Span<void* const> outputs) {
  SWAGE_RET_CHECK(static_cast<int32_t>(inputs.size()) == program_.layout.table.inputs);
  SWAGE_RET_CHECK(static_cast<int32_t>(outputs.size()) == program_.layout.table.outputs);
  absl::InlinedVector<Address, kInlineBases> border;
  for (const void* input : inputs) border.push_back(reinterpret_cast<uintptr_t>(input));
  for (const void* output : outputs) border.push_back(reinterpret_cast<uintptr_t>(output));
  const CudaQueue::Turn turn(queue_);
  SWAGE_RETURN_IF_ERROR(turn.status());
  Address scratch = 0;
  if (scratch_bytes_ > 0 && !CheckMode::Get().memory) {
    SWAGE_ASSIGN_OR_RETURN(scratch, turn.Scratch(scratch_bytes_));
  }
  return LaunchOrReplay(turn, border, scratch);
}

Status CudaExecutable::LaunchOrReplay(const CudaQueue::Turn& turn, absl::Span<const Address> border,
                                      Address scratch) {
  if (launches_ < kGraphLaunches || !may_record_ || !MayRecord() || CheckMode::Get().memory ||
      !queue_.device().driver().has_graphs()) {
    return Launch(turn, border, scratch);
  }
  const bool same =
      last_generation_ == turn.scratch_generation() && absl::MakeConstSpan(last_border_) == border;
  if (same && graph_.has_value()) return graph_->Launch(turn.stream());
  if (!same) {
    graph_.reset();
    last_generation_ = turn.scratch_generation();
    last_border_.assign(border.begin(), border.end());
    return Launch(turn, border, scratch);
  }
  StatusOr<cuda::Graph> graph =
      cuda::Graph::Record(turn.stream(), [&] { return Launch(turn, border, scratch); });
  if (!graph.ok()) {  // launches do without it, from now on
    SWAGE_RETURN_IF_ERROR(queue_.device().Usable());
    may_record_ = false;
    return Launch(turn, border, scratch);
  }
  graph_.emplace(*std::move(graph));
  return graph_->Launch(turn.stream());
}

Status CudaExecutable::Launch(const CudaQueue::Turn& turn, absl::Span<const Address> border,
                              Address scratch) const {
  const codegen::ProgramLayout& layout = program_.layout;
  const BaseTable& table = layout.table;
  absl::InlinedVector<Address, kInlineBases> bases(border.begin(), border.end());
  for (const auto& constant : program_.constants) {
    bases.push_back(reinterpret_cast<uintptr_t>(constant->data()));
  }
  bases.resize(table.ArenaBase(static_cast<int>(layout.slices.size())));
  Blocks blocks;
  if (CheckMode::Get().memory) {
    SWAGE_RETURN_IF_ERROR(
        blocks.Allocate(turn, layout, absl::MakeSpan(bases).subspan(table.ArenaBase(0))));
  } else {
    for (size_t i = 0; i < layout.slices.size(); ++i) {
      bases[table.ArenaBase(static_cast<int>(i))] = scratch + layout.slices[i].offset;
    }
  }
  for (const CudaStep& step : program_.steps) {
    Status status = LaunchStep(turn, step, bases, scratch + AlignUp(layout.arena_bytes));
    if (status.ok() && CheckMode::Get().memory) status = turn.stream().Synchronize();
    if (status.ok()) continue;
    // Otherwise it may be an error of any work before.
    if (!CheckMode::Get().memory) return Annotate(status, " (in this program, or earlier work)");
    return Annotate(status, absl::StrCat(" (in ", step.name, ")"));
  }
  return OkStatus();
}

Status CudaExecutable::LaunchStep(const CudaQueue::Turn& turn, const CudaStep& step,
                                  absl::Span<const Address> bases, Address scratch) const {
  absl::InlinedVector<Address, kInlineParameters> values;
  for (const BufferRef& ref : step.buffers) values.push_back(bases[ref.base] + ref.offset);
  switch (step.kind) {
    case StepPlan::Kind::kCopy:
      if (values[0] == values[1]) return OkStatus();
      return turn.stream().Copy(values[1], values[0], step.bytes);
    case StepPlan::Kind::kCall:
      return step.called->Launch(turn, values, scratch);
    case StepPlan::Kind::kKernel:
      break;
  }
  if (step.matmul != nullptr) {
    // One operand may be both sides.
    const Address b = step.buffers.size() == 2 ? values[0] : values[1];
    if (!CheckMode::Get().memory) {
      return step.matmul->Run(turn.stream(), values[0], b, values.back(), scratch);
    }
    SWAGE_ASSIGN_OR_RETURN(
        const cuda::DeviceMemory workspace,
        cuda::DeviceMemory::Allocate(turn.stream(), step.matmul->workspace_bytes()));
    return step.matmul->Run(turn.stream(), values[0], b, values.back(), workspace.pointer());
  }
  if (step.launch.blocks == 0) return OkStatus();
  for (const int64_t dim : step.dims) values.push_back(static_cast<Address>(dim));
  absl::InlinedVector<void*, kInlineParameters> parameters;
  for (Address& value : values) parameters.push_back(&value);
  const auto& code = static_cast<const LoadedPtx&>(*step.kernel->code);
  const cuda::LaunchShape shape{.grid = {static_cast<unsigned>(step.launch.blocks)},
                                .block = {static_cast<unsigned>(step.launch.threads_x),
                                          static_cast<unsigned>(step.launch.threads_y)}};
  return code.function().Launch(turn.stream(), shape, parameters);
}

}  // namespace swage::gpu
