#include "codegen/cpu/program_builder.h"

#include <utility>

#include "compiler/analysis/buffer_assignment.h"

namespace swage::cpu {
namespace {

using analysis::BufferAssignment;
using analysis::Slice;
using ir::Instruction;
using ir::Opcode;

class ProgramBuilder {
 public:
  ProgramBuilder(const BufferAssignment& buffers, CpuProgram* program)
      : buffers_(buffers), program_(program) {}

  // Before any Add.
  Status Prepare(absl::Span<Instruction* const> order, const KernelMap& kernels);
  Status Add(const Instruction& instruction, const KernelMap& kernels,
             const absl::flat_hash_map<const ir::Computation*,
                                       std::shared_ptr<codegen::Executable>>& callees);

 private:
  BufferRef RefOf(const Instruction* value, const ir::ShapeIndex& leaf);
  void AddRefs(const Instruction* value, Step* step);

  const BufferAssignment& buffers_;
  CpuProgram* program_;
  absl::flat_hash_map<std::pair<int64_t, int64_t>, int32_t> arena_rows_;  // (offset, size)
  absl::flat_hash_map<const Instruction*, int> first_table_;  // among the program's constants
};

Status ProgramBuilder::Prepare(absl::Span<Instruction* const> order, const KernelMap& kernels) {
  auto shape_of = [](const analysis::BufferLeaf& leaf) {
    ir::Shape shape = *ir::Subshape(leaf.instruction->shape(), leaf.index);
    shape.clear_layout();
    return shape;
  };
  for (const auto& leaf : buffers_.parameters()) program_->input_shapes.push_back(shape_of(leaf));
  for (const auto& leaf : buffers_.outputs()) program_->output_shapes.push_back(shape_of(leaf));
  for (const Instruction* constant : buffers_.constants()) {
    SWAGE_RET_CHECK(!constant->literal().is_tuple(), constant->name());
    program_->constants.push_back(constant->literal());
  }
  for (const Instruction* instruction : order) {
    const auto it = kernels.find(instruction);
    if (it == kernels.end() || it->second.tables.empty()) continue;
    first_table_[instruction] = static_cast<int>(program_->constants.size());
    for (const ir::Literal& table : it->second.tables) program_->constants.push_back(table);
  }
  program_->table.inputs = static_cast<int32_t>(buffers_.parameters().size());
  program_->table.outputs = static_cast<int32_t>(buffers_.outputs().size());
  program_->table.constants = static_cast<int32_t>(program_->constants.size());
  program_->arena_bytes = buffers_.arena_bytes();
  return OkStatus();
}

BufferRef ProgramBuilder::RefOf(const Instruction* value, const ir::ShapeIndex& leaf) {
  const Slice& slice = buffers_.SliceOf(value, leaf);
  const BaseTable& table = program_->table;
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
                                             static_cast<int32_t>(program_->slices.size()));
  if (fresh) program_->slices.push_back({slice.offset, slice.size});
  return {table.ArenaBase(it->second), 0};
}

void ProgramBuilder::AddRefs(const Instruction* value, Step* step) {
  ir::ForEachLeaf(value->shape(), [&](const ir::ShapeIndex& leaf, const ir::Shape&) {
    step->buffers.push_back(RefOf(value, leaf));
  });
}

Status ProgramBuilder::Add(
    const Instruction& instruction, const KernelMap& kernels,
    const absl::flat_hash_map<const ir::Computation*, std::shared_ptr<codegen::Executable>>&
        callees) {
  Step step;
  step.name = instruction.name();
  switch (instruction.opcode()) {
    case Opcode::kBitcast:
    case Opcode::kConstant:
    case Opcode::kGetTupleElement:
    case Opcode::kParameter:
    case Opcode::kTuple:
      return OkStatus();  // no code: another name for bytes that are there
    case Opcode::kFusion: {
      auto it = kernels.find(&instruction);
      SWAGE_RET_CHECK(it != kernels.end(), instruction.name());
      const KernelJob& job = it->second;
      step.kind = Step::Kind::kKernel;
      step.kernel =
          VersionedKernel({job.kernel->code->entry(), job.dims, job.tasks, job.grain, job.kernel});
      break;
    }
    case Opcode::kCopy: {
      if (!instruction.shape().is_array()) {
        return Unimplemented("[compile] ", instruction.name(), ": copy of a tuple");
      }
      step.kind = Step::Kind::kCopy;
      SWAGE_ASSIGN_OR_RETURN(step.bytes, instruction.shape().ByteSize());
      break;
    }
    case Opcode::kCall: {
      step.kind = Step::Kind::kCall;
      auto it = callees.find(instruction.to_apply());
      SWAGE_RET_CHECK(it != callees.end(), instruction.name());
      step.callee = it->second;
      break;
    }
    default:
      return Unimplemented("[compile] ", std::string(ir::OpcodeName(instruction.opcode())), " (",
                           instruction.name(), ") is not implemented on the cpu");
  }
  for (const Instruction* operand : instruction.operands()) AddRefs(operand, &step);
  if (const auto it = first_table_.find(&instruction); it != first_table_.end()) {
    const size_t count = kernels.at(&instruction).tables.size();
    for (size_t i = 0; i < count; ++i) {
      step.buffers.push_back({program_->table.ConstantBase(it->second + static_cast<int>(i)), 0});
    }
  }
  AddRefs(&instruction, &step);
  program_->steps.push_back(std::move(step));
  return OkStatus();
}

}  // namespace

StatusOr<CpuProgram> BuildProgram(
    const ir::Computation& computation, const KernelMap& kernels,
    const absl::flat_hash_map<const ir::Computation*, std::shared_ptr<codegen::Executable>>&
        callees) {
  SWAGE_ASSIGN_OR_RETURN(const BufferAssignment buffers, analysis::AssignBuffers(computation));
  CpuProgram program;
  ProgramBuilder builder(buffers, &program);
  const std::vector<Instruction*> order =
      computation.schedule().empty() ? computation.PostOrder() : computation.schedule();
  SWAGE_RETURN_IF_ERROR(builder.Prepare(order, kernels));
  for (const Instruction* instruction : order) {
    SWAGE_RETURN_IF_ERROR(builder.Add(*instruction, kernels, callees));
  }
  return program;
}

}  // namespace swage::cpu
