#include "codegen/program/program_builder.h"

#include <optional>
#include <utility>

#include "base/clock.h"
#include "compiler/analysis/buffer_assignment.h"
#include "compiler/analysis/in_place.h"
#include "compiler/cost/cost_model.h"
#include "compiler/ir/bind_symbols.h"
#include "compiler/ir/unchanging.h"

namespace swage::codegen {
namespace {

using analysis::BufferAssignment;
using analysis::Slice;
using ir::Instruction;
using ir::Opcode;

using Callees = absl::flat_hash_map<const ir::Computation*, std::shared_ptr<Executable>>;

// The step that runs an instruction; none for one that needs no code: another name for bytes that
// are there. Unimplemented names what nothing runs.
StatusOr<std::optional<StepPlan::Kind>> KindOf(const Instruction& instruction,
                                               const Target& target) {
  switch (instruction.opcode()) {
    case Opcode::kBitcast:
    case Opcode::kConstant:
    case Opcode::kGetTupleElement:
    case Opcode::kOptimizationBarrier:  // here and for reshape: the pass that removes it is off
    case Opcode::kParameter:
    case Opcode::kReshape:
    case Opcode::kTuple:
      return std::optional<StepPlan::Kind>();
    case Opcode::kFusion:
      return StepPlan::Kind::kKernel;
    case Opcode::kCall:
      return StepPlan::Kind::kCall;
    case Opcode::kCopy:
      if (instruction.shape().is_array()) return StepPlan::Kind::kCopy;
      return Unimplemented("[compile] ", instruction.name(), ": copy of a tuple");
    default:
      return Unimplemented("[compile] ", std::string(ir::OpcodeName(instruction.opcode())), " (",
                           instruction.name(), ") is not implemented on ",
                           std::string(target.device()));
  }
}

// The elements that a kernel reads and writes, relative to those that its time was estimated for.
StatusOr<double> ShareOfEstimate(const Instruction& fusion, const ir::SymbolBinding& sizes) {
  double here = 1, estimated = 1;
  Status status;
  const auto add = [&](const ir::ShapeIndex&, const ir::Shape& leaf) {
    if (!leaf.is_array() || !status.ok()) return;
    double elements = 1;
    for (const ir::Dim dim : leaf.dims()) {
      const StatusOr<int64_t> extent = dim.Evaluate(sizes);
      status = extent.status();
      if (!status.ok()) return;
      elements *= static_cast<double>(*extent);
    }
    here += elements;
    estimated += static_cast<double>(cost::ElementsClass(leaf));
  };
  for (const Instruction* operand : fusion.operands()) ir::ForEachLeaf(operand->shape(), add);
  ir::ForEachLeaf(fusion.shape(), add);
  if (!status.ok()) return status;
  return here / estimated;
}

class ProgramBuilder {
 public:
  ProgramBuilder(const BufferAssignment& buffers, const ir::SymbolBinding& sizes,
                 const Target& target, ProgramPlan* program)
      : buffers_(buffers),
        sizes_(sizes),
        target_(target),
        layout_(&program->layout),
        steps_(&program->steps) {}

  // Before any Add.
  Status Prepare(absl::Span<Instruction* const> order, const KernelMap& kernels);
  Status Add(const Instruction& instruction, const KernelMap& kernels, const Callees& callees);

 private:
  Status FillKernel(const Instruction& fusion, const KernelJob& job, StepPlan* step) const;
  // Before the kernel of an update in place: what the update leaves as it is.
  Status AddCopyForUpdate(const Instruction& fusion);
  BufferRef RefOf(const Instruction* value, const ir::ShapeIndex& leaf);
  void AddRefs(const Instruction* value, StepPlan* step);

  const BufferAssignment& buffers_;
  const ir::SymbolBinding& sizes_;
  const Target& target_;
  ProgramLayout* layout_;
  std::vector<StepPlan>* steps_;
  absl::flat_hash_map<std::pair<int64_t, int64_t>, int32_t> arena_rows_;  // (offset, size)
  absl::flat_hash_map<const Instruction*, int> first_table_;  // among the program's constants
};

Status ProgramBuilder::Prepare(absl::Span<Instruction* const> order, const KernelMap& kernels) {
  const auto add_shapes = [&](const std::vector<analysis::BufferLeaf>& leaves,
                              std::vector<ir::Shape>* shapes) -> Status {
    for (const analysis::BufferLeaf& leaf : leaves) {
      SWAGE_ASSIGN_OR_RETURN(
          ir::Shape shape,
          ir::SizedShape(*ir::Subshape(leaf.instruction->shape(), leaf.index), sizes_));
      shape.clear_layout();
      shapes->push_back(std::move(shape));
    }
    return OkStatus();
  };
  SWAGE_RETURN_IF_ERROR(add_shapes(buffers_.parameters(), &layout_->input_shapes));
  SWAGE_RETURN_IF_ERROR(add_shapes(buffers_.outputs(), &layout_->output_shapes));
  for (const Instruction* constant : buffers_.constants()) {
    SWAGE_RET_CHECK(!constant->literal().is_tuple(), constant->name());
    layout_->constants.push_back(constant->literal());
  }
  for (const Instruction* instruction : order) {
    const auto it = kernels.find(instruction);
    if (it == kernels.end() || it->second.tables.empty()) continue;
    first_table_[instruction] = static_cast<int>(layout_->constants.size());
    for (const ir::Literal& table : it->second.tables) layout_->constants.push_back(table);
  }
  for (const analysis::BufferLeaf& leaf : buffers_.parameters()) {
    layout_->unchanging.push_back(ir::IsUnchanging(*leaf.instruction));
  }
  layout_->table.inputs = static_cast<int32_t>(buffers_.parameters().size());
  layout_->table.outputs = static_cast<int32_t>(buffers_.outputs().size());
  layout_->table.constants = static_cast<int32_t>(layout_->constants.size());
  layout_->arena_bytes = buffers_.arena_bytes();
  for (const analysis::Donation& donation : buffers_.donations()) {
    layout_->donations.push_back(static_cast<int32_t>(donation.output));
  }
  return OkStatus();
}

BufferRef ProgramBuilder::RefOf(const Instruction* value, const ir::ShapeIndex& leaf) {
  const Slice& slice = buffers_.SliceOf(value, leaf);
  const BaseTable& table = layout_->table;
  const int index = static_cast<int>(slice.index);
  switch (slice.kind) {
    case Slice::Kind::kParameter:
      return {table.InputBase(index), 0};
    case Slice::Kind::kOutput:
      return {table.OutputBase(index), 0};
    case Slice::Kind::kConstant:
      return {table.ConstantBase(index), 0};
    case Slice::Kind::kArena:
      break;
  }
  auto [it, fresh] = arena_rows_.try_emplace({slice.offset, slice.size},
                                             static_cast<int32_t>(layout_->slices.size()));
  if (fresh) layout_->slices.push_back({slice.offset, slice.size});
  return {table.ArenaBase(it->second), 0};
}

void ProgramBuilder::AddRefs(const Instruction* value, StepPlan* step) {
  ir::ForEachLeaf(value->shape(), [&](const ir::ShapeIndex& leaf, const ir::Shape&) {
    step->buffers.push_back(RefOf(value, leaf));
  });
}

Status ProgramBuilder::FillKernel(const Instruction& fusion, const KernelJob& job,
                                  StepPlan* step) const {
  step->kernel = job.kernel;
  bool symbolic = !job.sizes.launch.is_static();
  for (const ir::Dim& dim : job.sizes.dims) {
    SWAGE_ASSIGN_OR_RETURN(const int64_t extent, dim.Evaluate(sizes_));
    SWAGE_RET_CHECK(extent >= 0, fusion.name(), ": ", dim.ToString(), " is ", extent);
    symbolic = symbolic || !dim.is_static();
    step->dims.push_back(extent);
  }
  SWAGE_ASSIGN_OR_RETURN(step->launch, job.sizes.launch.At(sizes_));
  SWAGE_ASSIGN_OR_RETURN(step->dot, DotProblemOf(fusion, sizes_));
  step->nanoseconds = static_cast<double>(job.nanoseconds);
  if (symbolic && job.nanoseconds > 0) {
    SWAGE_ASSIGN_OR_RETURN(const double share, ShareOfEstimate(fusion, sizes_));
    step->nanoseconds *= share;
  }
  return OkStatus();
}

Status ProgramBuilder::AddCopyForUpdate(const Instruction& fusion) {
  const Instruction* update = analysis::UpdateInPlace(*fusion.fused_computation());
  if (update == nullptr) return OkStatus();
  const Instruction* array =
      fusion.operand(static_cast<int>(update->operand(0)->parameter_number()));
  StepPlan step;
  step.kind = StepPlan::Kind::kCopy;
  step.name = fusion.name();
  SWAGE_ASSIGN_OR_RETURN(const ir::Shape shape, ir::SizedShape(fusion.shape(), sizes_));
  SWAGE_ASSIGN_OR_RETURN(step.bytes, shape.ByteSize());
  step.buffers = {RefOf(array, {}), RefOf(&fusion, {})};
  if (step.buffers[0] != step.buffers[1]) steps_->push_back(std::move(step));
  return OkStatus();
}

Status ProgramBuilder::Add(const Instruction& instruction, const KernelMap& kernels,
                           const Callees& callees) {
  SWAGE_ASSIGN_OR_RETURN(const std::optional<StepPlan::Kind> kind, KindOf(instruction, target_));
  if (!kind.has_value()) return OkStatus();
  StepPlan step;
  step.kind = *kind;
  step.name = instruction.name();
  switch (*kind) {
    case StepPlan::Kind::kKernel: {
      auto it = kernels.find(&instruction);
      SWAGE_RET_CHECK(it != kernels.end(), instruction.name());
      SWAGE_RETURN_IF_ERROR(FillKernel(instruction, it->second, &step));
      break;
    }
    case StepPlan::Kind::kCopy: {
      SWAGE_ASSIGN_OR_RETURN(const ir::Shape shape, ir::SizedShape(instruction.shape(), sizes_));
      SWAGE_ASSIGN_OR_RETURN(step.bytes, shape.ByteSize());
      break;
    }
    case StepPlan::Kind::kCall: {
      auto it = callees.find(instruction.to_apply());
      SWAGE_RET_CHECK(it != callees.end(), instruction.name());
      step.callee = it->second;
      break;
    }
  }
  if (step.kind == StepPlan::Kind::kKernel) SWAGE_RETURN_IF_ERROR(AddCopyForUpdate(instruction));
  for (const Instruction* operand : instruction.operands()) AddRefs(operand, &step);
  if (const auto it = first_table_.find(&instruction); it != first_table_.end()) {
    const size_t count = kernels.at(&instruction).tables.size();
    for (size_t i = 0; i < count; ++i) {
      step.buffers.push_back({layout_->table.ConstantBase(it->second + static_cast<int>(i)), 0});
    }
  }
  AddRefs(&instruction, &step);
  steps_->push_back(std::move(step));
  return OkStatus();
}

StatusOr<ProgramPlan> PlanProgram(const ir::Computation& computation, const KernelMap& kernels,
                                  const Callees& callees, const ir::SymbolBinding& sizes,
                                  const Target& target) {
  analysis::BufferOptions options;
  options.sizes = &sizes;
  SWAGE_ASSIGN_OR_RETURN(const BufferAssignment buffers,
                         analysis::AssignBuffers(computation, options));
  ProgramPlan program;
  ProgramBuilder builder(buffers, sizes, target, &program);
  const std::vector<Instruction*> order =
      computation.schedule().empty() ? computation.PostOrder() : computation.schedule();
  SWAGE_RETURN_IF_ERROR(builder.Prepare(order, kernels));
  for (const Instruction* instruction : order) {
    SWAGE_RETURN_IF_ERROR(builder.Add(*instruction, kernels, callees));
  }
  return program;
}

}  // namespace

Status CheckOps(const ir::Module& module, const Target& target) {
  for (const ir::Computation* computation : module.ExecutedComputations()) {
    for (const Instruction* instruction : computation->Instructions()) {
      SWAGE_RETURN_IF_ERROR(KindOf(*instruction, target).status());
    }
  }
  return OkStatus();
}

StatusOr<std::shared_ptr<Executable>> BuildExecutable(const ir::Module& module,
                                                      const KernelMap& kernels,
                                                      const ir::SymbolBinding& sizes,
                                                      const Target& target, CompileReport report,
                                                      std::chrono::steady_clock::time_point start) {
  Callees executables;
  for (const ir::Computation* computation : module.ExecutedComputations()) {
    SWAGE_ASSIGN_OR_RETURN(ProgramPlan program,
                           PlanProgram(*computation, kernels, executables, sizes, target));
    report.total_ms = MillisecondsSince(start);
    SWAGE_ASSIGN_OR_RETURN(executables[computation],
                           target.MakeExecutable(std::move(program), report));
  }
  return executables.at(module.entry());
}

}  // namespace swage::codegen
