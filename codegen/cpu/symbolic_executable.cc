#include "codegen/cpu/symbolic_executable.h"

#include <utility>

namespace swage::cpu {
namespace {

void AddLeaves(const ir::Shape& shape, std::vector<ir::Shape>* leaves) {
  ir::ForEachLeaf(shape, [&](const ir::ShapeIndex&, const ir::Shape& leaf) {
    leaves->push_back(leaf);
    leaves->back().clear_layout();
  });
}

int64_t BytesOf(const ir::Module& module, const KernelMap& kernels) {
  constexpr int64_t kInstruction = 512, kJob = 256;  // about, with names and shapes
  int64_t bytes = static_cast<int64_t>(kernels.size()) * kJob;
  for (const ir::Computation* computation : module.Computations()) {
    for (const ir::Instruction* instruction : computation->Instructions()) {
      bytes += kInstruction;
      if (instruction->opcode() != ir::Opcode::kConstant) continue;
      if (instruction->literal().is_tuple()) continue;
      bytes += static_cast<int64_t>(instruction->literal().bytes().size());
    }
  }
  return bytes;
}

}  // namespace

SymbolicExecutable::SymbolicExecutable(std::unique_ptr<ir::Module> module, KernelMap kernels,
                                       const Specialisation* specialise,
                                       const codegen::CompileReport& report)
    : module_(std::move(module)), kernels_(std::move(kernels)), specialise_(specialise) {
  for (const ir::Instruction* parameter : module_->entry()->parameters()) {
    AddLeaves(parameter->shape(), &input_shapes_);
  }
  AddLeaves(module_->entry()->root()->shape(), &output_shapes_);
  report_ = report;
  memory_bytes_ = static_cast<int64_t>(sizeof(*this)) + BytesOf(*module_, kernels_);
}

Status SymbolicExecutable::Run(absl::Span<const void* const>, absl::Span<void* const>) {
  return Internal("[run] a program with symbolic sizes was run without sizes");
}

StatusOr<std::shared_ptr<codegen::Executable>> SymbolicExecutable::ForSizes(
    const ir::SymbolBinding& sizes) const {
  const auto start = std::chrono::steady_clock::now();
  codegen::CompileReport report;
  report.kernels = report.kernel_hits = report_.kernels;
  report.quick_kernels = report_.quick_kernels;
  return BuildExecutable(*module_, kernels_, sizes, specialise_, report, start);
}

}  // namespace swage::cpu
