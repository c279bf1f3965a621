#include "tests/emulated_cuda/llvm_ptx.h"

#include <gtest/gtest.h>

#include <mutex>
#include <utility>

#include "llvm/ADT/SmallString.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

extern "C" {
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace swage::emulated_cuda {
namespace {

std::unique_ptr<llvm::Module> Parse(const std::string& ir, llvm::LLVMContext& context) {
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(ir, problem, context);
  if (module == nullptr) {
    ADD_FAILURE() << "line " << problem.getLineNo() << ": " << problem.getMessage().str() << "\n"
                  << problem.getLineContents().str();
  }
  return module;
}

}  // namespace

std::string PtxOf(const std::string& ir, const std::string& target) {
  static std::once_flag initialised;
  std::call_once(initialised, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = Parse(ir, context);
  std::string error;
  const llvm::Target* const nvptx =
      llvm::TargetRegistry::lookupTarget("nvptx64-nvidia-cuda", error);
  EXPECT_NE(nvptx, nullptr) << error;
  if (module == nullptr || nvptx == nullptr) return "";
  const std::unique_ptr<llvm::TargetMachine> machine(nvptx->createTargetMachine(
      "nvptx64-nvidia-cuda", target, target == "sm_80" ? "+ptx80" : "+ptx83", {}, std::nullopt));
  module->setTargetTriple("nvptx64-nvidia-cuda");
  module->setDataLayout(machine->createDataLayout());
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  EXPECT_FALSE(
      machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile));
  passes.run(*module);
  return std::string(text);
}

std::unique_ptr<llvm::orc::LLJIT> HostCodeOf(const std::string& ir) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto machine = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!machine) {
    ADD_FAILURE() << llvm::toString(machine.takeError());
    return nullptr;
  }
  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(*machine)
                 .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                 .create();
  if (!jit) {
    ADD_FAILURE() << llvm::toString(jit.takeError());
    return nullptr;
  }
  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module = Parse(ir, *context);
  if (module == nullptr) return nullptr;
  module->setDataLayout((*jit)->getDataLayout());
  llvm::orc::ThreadSafeModule shared(std::move(module), std::move(context));
  if (llvm::Error error = (*jit)->addIRModule(std::move(shared))) {
    ADD_FAILURE() << llvm::toString(std::move(error));
    return nullptr;
  }
  return std::move(*jit);
}

}  // namespace swage::emulated_cuda
