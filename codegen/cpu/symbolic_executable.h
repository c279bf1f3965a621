// File: codegen/cpu/symbolic_executable.h
//
// A compiled module whose sizes come with the calls: passes and kernels are done, buffers and steps
// wait for the values of the symbols. Resized it is a CpuExecutable like any other.
//
//   SymbolBinding sizes;                                   // seq = 33
//   SWAGE_ASSIGN_OR_RETURN(auto executable, symbolic->ForSizes(sizes));
//   executable->Run(inputs, outputs);
#ifndef SWAGE_CODEGEN_CPU_SYMBOLIC_EXECUTABLE_H_
#define SWAGE_CODEGEN_CPU_SYMBOLIC_EXECUTABLE_H_

#include <memory>

#include "codegen/cpu/program_builder.h"

namespace swage::cpu {

class SymbolicExecutable : public codegen::Executable {
 public:
  SymbolicExecutable(std::unique_ptr<ir::Module> module, KernelMap kernels,
                     const Specialisation* specialise, const codegen::CompileReport& report);

  // An internal error: sizes are not known here.
  Status Run(absl::Span<const void* const> inputs, absl::Span<void* const> outputs) override;
  StatusOr<std::shared_ptr<codegen::Executable>> ForSizes(
      const ir::SymbolBinding& sizes) const override;
  int64_t memory_bytes() const override { return memory_bytes_; }

 private:
  const std::unique_ptr<ir::Module> module_;
  const KernelMap kernels_;
  const Specialisation* const specialise_;
  int64_t memory_bytes_ = 0;
};

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_SYMBOLIC_EXECUTABLE_H_
