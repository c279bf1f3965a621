#include "codegen/cpu/object_emitter.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <utility>

#include "codegen/cpu/legality.h"
#include "codegen/cpu/machine_pool.h"
#include "codegen/cpu/object_file.h"
#include "codegen/cpu/symbol_check.h"
#include "codegen/emit/backend.h"
#include "codegen/emit/light_passes.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace swage::cpu {
namespace {

std::atomic<int64_t> llvm_runs{0};

class Stopwatch {
 public:
  // Milliseconds since the start or the last call.
  double Lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double, std::milli>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

void SetAttributes(llvm::Module& module, const HostTarget& target) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    // Without unwinding there is no .eh_frame, which would slow down every throw in the process.
    function.setDoesNotThrow();
    function.removeFnAttr(llvm::Attribute::UWTable);
    // No pass may see a loop or a comparison chain as memset or memcmp.
    function.addFnAttr("no-builtins");
    function.addFnAttr("prefer-vector-width", std::to_string(8 * target.vector_bytes()));
  }
}

}  // namespace

StatusOr<EmittedObject> EmitObject(llvm::Module& module, const HostTarget& target,
                                   const EmitOptions& options) {
  Stopwatch watch;
  EmittedObject emitted;
  SWAGE_RETURN_IF_ERROR(CheckLegality(
      module, target,
      {.allowed_calls = options.allowed_calls, .allow_fast_math = options.allow_fast_math}));
  SWAGE_ASSIGN_OR_RETURN(PooledMachine machine, PooledMachine::Take(target, options.level));
  module.setTargetTriple(machine->getTargetTriple().str());
  module.setDataLayout(machine->createDataLayout());
  SetAttributes(module, target);
  if (options.keep_ir) emitted.ir_before = emit::IrText(module);
  // Where speed of compilation is asked for, they would take longer than code generation.
  if (options.level != CodegenLevel::kNone) emit::RunLightPasses(module, *machine);
  emitted.passes_ms = watch.Lap();

  if (options.keep_ir) emitted.ir_after = emit::IrText(module);
  if (options.keep_assembly) {
    // Code generation changes the module, so the text comes from a copy.
    const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
    SWAGE_ASSIGN_OR_RETURN(
        emitted.assembly, emit::GenerateCode(*copy, *machine, llvm::CodeGenFileType::AssemblyFile));
  }
  watch.Lap();
  llvm_runs.fetch_add(1, std::memory_order_relaxed);
  SWAGE_ASSIGN_OR_RETURN(const std::string elf, machine.objects().Run(module));
  SWAGE_RETURN_IF_ERROR(CheckObjectSymbols(elf, options.allowed_calls));
  emitted.object = SealObject(elf);
  emitted.codegen_ms = watch.Lap();
  return emitted;
}

int64_t LlvmRunCount() { return llvm_runs.load(std::memory_order_relaxed); }

}  // namespace swage::cpu
