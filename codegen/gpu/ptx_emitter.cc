#include "codegen/gpu/ptx_emitter.h"

#include <memory>

#include "codegen/emit/backend.h"
#include "codegen/emit/light_passes.h"
#include "codegen/gpu/legality.h"
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

}  // namespace swage::gpu
