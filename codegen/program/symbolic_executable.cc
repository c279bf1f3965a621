#include "codegen/program/symbolic_executable.h"

#include <utility>

namespace swage::codegen {
namespace {

constexpr int64_t kJobBytes = 256;  // about, with its expressions

}  // namespace

SymbolicExecutable::SymbolicExecutable(std::unique_ptr<ir::Module> module, KernelMap kernels,
                                       std::shared_ptr<const Target> target,
                                       const CompileReport& report)
    : module_(std::move(module)), kernels_(std::move(kernels)), target_(std::move(target)) {
  SetBorder(*module_->entry());
  report_ = report;
  memory_bytes_ = static_cast<int64_t>(sizeof(*this)) + ir::ApproximateBytes(*module_) +
                  static_cast<int64_t>(kernels_.size()) * kJobBytes;
}

Status SymbolicExecutable::Run(absl::Span<const void* const>, absl::Span<void* const>) {
  return Internal("[run] a program with symbolic sizes was run without sizes");
}

StatusOr<std::shared_ptr<Executable>> SymbolicExecutable::ForSizes(
    const ir::SymbolBinding& sizes) const {
  const auto start = std::chrono::steady_clock::now();
  CompileReport report;
  report.kernels = report.kernel_hits = report_.kernels;
  report.quick_kernels = report_.quick_kernels;
  return BuildExecutable(*module_, kernels_, sizes, *target_, report, start);
}

}  // namespace swage::codegen
