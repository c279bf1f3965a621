// File: codegen/cpu/host_target.h
//
// The CPU that code is generated for: its LLVM name, every feature by name, and the vector width.
//
//   SWAGE_ASSIGN_OR_RETURN(const HostTarget* target, HostTarget::Get());
//   if (target->Has("avx512bf16")) ...
//
// Features are listed one by one, never "native": the list is part of every kernel key, so code
// made on one machine is found on another exactly when it may run there. SWAGE_CPU pretends an
// older CPU; one that this machine cannot stand in for is an error. The floor is x86-64-v3.
#ifndef SWAGE_CODEGEN_CPU_HOST_TARGET_H_
#define SWAGE_CODEGEN_CPU_HOST_TARGET_H_

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "base/status.h"
#include "codegen/program/codegen_level.h"

namespace llvm {
class TargetMachine;
}

namespace swage::cpu {

using codegen::CodegenLevel;

class HostTarget {
 public:
  // This machine, or what SWAGE_CPU names. The answer is found once per process.
  static StatusOr<const HostTarget*> Get();

  // `cpu` is an LLVM CPU name such as x86-64-v3, x86-64-v4, skylake-avx512; "" is this machine.
  static StatusOr<HostTarget> Resolve(const std::string& cpu);

  // For a machine called `host_cpu` with the `available` features (LLVM's names); for tests.
  static StatusOr<HostTarget> ResolveFor(const std::string& cpu, const std::string& host_cpu,
                                         const std::set<std::string>& available);

  const std::string& cpu() const { return cpu_; }
  // Every feature that code may be compiled to, on or off, sorted: "+adx,-amx-bf16,...". With cpu()
  // it is part of kernel keys.
  const std::string& feature_string() const { return feature_string_; }
  bool Has(std::string_view feature) const { return features_.count(std::string(feature)) > 0; }
  // 64 with AVX-512 F, BW, DQ and VL, else 32.
  int vector_bytes() const { return vector_bytes_; }

  // A code generator for this CPU, position-independent, with IEEE floating point. One is used by
  // one thread at a time.
  StatusOr<std::unique_ptr<llvm::TargetMachine>> CreateTargetMachine(CodegenLevel level) const;

 private:
  HostTarget() = default;

  std::string cpu_;
  std::string feature_string_;
  std::set<std::string> features_;
  int vector_bytes_ = 32;
};

// Registers LLVM's X86 target, and no other, once per process. Called by everything in this folder
// that needs it.
void InitializeLlvm();

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_HOST_TARGET_H_
