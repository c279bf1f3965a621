#include "codegen/gpu/ptx_emitter.h"

#include <chrono>
#include <memory>

#include "base/clock.h"
#include "codegen/emit/backend.h"
#include "codegen/emit/kernel_emitter.h"
#include "codegen/emit/light_passes.h"
#include "codegen/gpu/legality.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace swage::gpu {

StatusOr<EmittedPtx> EmitPtx(llvm::Module& module, const GpuTarget& target, bool keep_ir) {
  SWAGE_ASSIGN_OR_RETURN(const std::unique_ptr<llvm::TargetMachine> machine,
                         target.CreateTargetMachine());
  module.setTargetTriple(machine->getTargetTriple().str());
  module.setDataLayout(machine->createDataLayout());
  SWAGE_RETURN_IF_ERROR(CheckLegality(module));
  for (llvm::Function& function : module) {
    // No pass may see a loop as memset or memcpy.
    if (!function.isDeclaration()) function.addFnAttr("no-builtins");
  }
  emit::RunLightPasses(module, *machine);
  EmittedPtx emitted;
  if (keep_ir) emitted.ir = emit::IrText(module);
  SWAGE_ASSIGN_OR_RETURN(emitted.ptx,
                         emit::GenerateCode(module, *machine, llvm::CodeGenFileType::AssemblyFile));
  return emitted;
}

StatusOr<EmittedPtx> EmitPtxOf(const emit::KernelPlan& plan, const GpuTarget& target,
                               bool keep_ir) {
  const auto start = std::chrono::steady_clock::now();
  llvm::LLVMContext context;
  llvm::Module module(kEntryName, context);
  SWAGE_RETURN_IF_ERROR(emit::EmitKernel(plan, &module, kEntryName).status());
  const double emit_ms = MillisecondsSince(start);
  SWAGE_ASSIGN_OR_RETURN(EmittedPtx emitted, EmitPtx(module, target, keep_ir));
  emitted.emit_ms = emit_ms;
  emitted.llvm_ms = MillisecondsSince(start) - emit_ms;
  return emitted;
}

}  // namespace swage::gpu
