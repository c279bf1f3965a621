// File: codegen/program/symbolic_executable.h
//
// A compiled module whose sizes come with the calls: passes and kernels are done, buffers and steps
// wait for the values of the symbols. Resized it is an executable like any other.
//
//   SymbolBinding sizes;                                   // seq = 33
//   SWAGE_ASSIGN_OR_RETURN(auto executable, symbolic->ForSizes(sizes));
//   executable->Run(inputs, outputs);
#ifndef SWAGE_CODEGEN_PROGRAM_SYMBOLIC_EXECUTABLE_H_
#define SWAGE_CODEGEN_PROGRAM_SYMBOLIC_EXECUTABLE_H_

#include <memory>

#include "codegen/program/program_builder.h"

namespace swage::codegen {

class SymbolicExecutable : public Executable {
 public:
  SymbolicExecutable(std::unique_ptr<ir::Module> module, KernelMap kernels,
                     std::shared_ptr<const Target> target, const CompileReport& report);

  // An internal error: sizes are not known here.
  Status Run(absl::Span<const void* const> inputs, absl::Span<void* const> outputs) override;
  StatusOr<std::shared_ptr<Executable>> ForSizes(const ir::SymbolBinding& sizes) const override;
  int64_t memory_bytes() const override { return memory_bytes_; }

 private:
  const std::unique_ptr<ir::Module> module_;
  const KernelMap kernels_;
  const std::shared_ptr<const Target> target_;
  int64_t memory_bytes_ = 0;
};

}  // namespace swage::codegen

#endif  // SWAGE_CODEGEN_PROGRAM_SYMBOLIC_EXECUTABLE_H_
