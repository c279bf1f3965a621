#include "codegen/emit/light_passes.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/BasicAliasAnalysis.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ProfileSummaryInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

namespace swage::emit {
namespace {

// Only what these passes ask for: PassBuilder would register a hundred analyses for each kernel and
// link most of LLVM.
class Analyses {
 public:
  explicit Analyses(llvm::TargetMachine& machine) : library_(NoLibrary(machine.getTargetTriple())) {
    functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library_); });
    functions.registerPass([&] { return machine.getTargetIRAnalysis(); });
    functions.registerPass([] { return llvm::AssumptionAnalysis(); });
    functions.registerPass([] { return llvm::BasicAA(); });
    functions.registerPass([] { return llvm::DominatorTreeAnalysis(); });
    functions.registerPass([] { return llvm::OptimizationRemarkEmitterAnalysis(); });
    functions.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
    functions.registerPass([] {
      llvm::AAManager aliases;
      aliases.registerFunctionAnalysis<llvm::BasicAA>();
      return aliases;
    });
    functions.registerPass([&] { return llvm::ModuleAnalysisManagerFunctionProxy(modules_); });
    modules_.registerPass([&] { return llvm::FunctionAnalysisManagerModuleProxy(functions); });
    modules_.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
    modules_.registerPass([] { return llvm::ProfileSummaryAnalysis(); });
  }

  llvm::FunctionAnalysisManager functions;

 private:
  // Nothing may be turned into a call of the C library. Made once, since its table is long.
  static const llvm::TargetLibraryInfoImpl& NoLibrary(const llvm::Triple& triple) {
    static const auto* const library = [&] {
      auto* empty = new llvm::TargetLibraryInfoImpl(triple);
      empty->disableAllFunctions();
      return empty;
    }();
    return *library;
  }

  const llvm::TargetLibraryInfoImpl& library_;
  llvm::ModuleAnalysisManager modules_;
};

}  // namespace

void RunLightPasses(llvm::Module& module, llvm::TargetMachine& machine) {
  Analyses analyses(machine);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) passes.run(function, analyses.functions);
  }
}

}  // namespace swage::emit
