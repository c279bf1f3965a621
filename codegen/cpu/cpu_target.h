// File: codegen/cpu/cpu_target.h
//
// The machine itself as a target: kernels through LLVM and JITLink, steps on the threads of the
// process.
#ifndef SWAGE_CODEGEN_CPU_CPU_TARGET_H_
#define SWAGE_CODEGEN_CPU_CPU_TARGET_H_

#include <memory>
#include <string>

#include "codegen/cpu/host_target.h"
#include "codegen/program/target.h"
#include "compiler/cost/library_dot.h"

namespace swage::cpu {

struct Specialisation;

class CpuTarget final : public codegen::Target {
 public:
  // `specialise`: how hot kernels are specialised in the background (specialise.h); null: they are
  // not. It outlives the target.
  // `library_dots`: as the passes are told, too.
  static StatusOr<std::shared_ptr<const CpuTarget>> Create(
      const Specialisation* specialise = nullptr,
      cost::LibraryDots library_dots = cost::LibraryDots::kAuto);
  // For the machine that `host` describes, which outlives the target.
  CpuTarget(const HostTarget& host, const Specialisation* specialise,
            cost::LibraryDots library_dots = cost::LibraryDots::kAuto)
      : host_(host), specialise_(specialise), library_dots_(library_dots) {}

  std::string_view device() const override { return "cpu"; }
  const cost::DeviceDescription& description() const override { return cost::HostCpu(); }
  Status RunPasses(ir::Module* module, passes::PassContext& context) const override;
  emit::EmitOptions emit_options() const override;
  void AddMachine(KeyMaterial* key) const override;
  void AddDecisions(KeyMaterial* key) const override;
  StatusOr<codegen::CompiledKernel> Generate(
      const emit::KernelPlan& plan, const codegen::GenerateOptions& options) const override;
  StatusOr<codegen::CompiledKernel> Link(std::string object,
                                         codegen::EntryStore* store) const override;
  std::string SourceOf(const ir::Computation& fusion) const override;
  std::string_view assembly_suffix() const override { return "s"; }
  StatusOr<std::shared_ptr<codegen::Executable>> MakeExecutable(
      codegen::ProgramPlan plan, const codegen::CompileReport& report) const override;

 private:
  const HostTarget& host_;
  const Specialisation* specialise_;
  const cost::LibraryDots library_dots_;
};

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_CPU_TARGET_H_
