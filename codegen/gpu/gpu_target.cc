#include "codegen/gpu/gpu_target.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"

extern "C" {
void LLVMInitializeNVPTXAsmPrinter();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
}

namespace swage::gpu {
namespace {

constexpr char kTriple[] = "nvptx64-nvidia-cuda";
constexpr char kPtx[] = "ptx78";

void InitializeNvptx() {
  static const bool initialized = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialized;
}

}  // namespace

StatusOr<GpuTarget> GpuTarget::For(const cost::DeviceDescription& device) {
  if (!device.is_gpu()) return InvalidArgument("[gpu] '", device.name, "' is not a GPU");
  if (device.gpu.compute_capability < 80) {
    return InvalidArgument("[gpu] '", device.name, "' has compute capability ",
                           device.gpu.compute_capability, ", expected 80 (8.0) or later");
  }
  // LLVM ends the process on a name that it does not know.
  return GpuTarget(device.gpu.compute_capability >= 90 ? "sm_90" : "sm_80", kPtx);
}

StatusOr<std::unique_ptr<llvm::TargetMachine>> GpuTarget::CreateTargetMachine() const {
  InitializeNvptx();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(kTriple, error);
  if (target == nullptr) return Internal("[llvm] no NVPTX target: ", error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(kTriple, sm_, "+" + ptx_, options, llvm::Reloc::PIC_,
                                  std::nullopt, llvm::CodeGenOptLevel::Default));
  if (machine == nullptr) return Internal("[llvm] cannot generate code for '", sm_, "'");
  return machine;
}

}  // namespace swage::gpu
